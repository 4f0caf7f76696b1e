import ClientSupport
import Domain
import GTFS
import Wire

/// A minibus driver and its phone: drives recorded runs, announces the way of each, is online while it drives, answers who
/// wants a seat, takes passengers up and sets them down on its way, counts by hand now and then. Pure: messages and time come
/// in, actions come out. Recorded time is hub time.
struct MinibusMachine {
    /// A booking that waits for an answer.
    struct Request: Equatable {
        var booking: String
        var answer: BehaviourModel.Answer
        /// Hub ms of the tap; nil when there is none (any more).
        var tapMs: Int64?
    }

    var session: ClientSession
    var cuts: LinkCuts
    let seats: Int
    private var drive: RecordedDrive
    private(set) var request: Request?
    private(set) var bookings: BookingList
    /// As far as it was told.
    private(set) var isOnline = false
    /// Seats that are taken or promised, as the hub told last.
    private(set) var taken = 0
    /// The run whose way the hub knows.
    private var announced: Int?
    private var hasSentFix = false
    /// Passengers aboard who booked nothing.
    private var walkIns = 0
    private var wantsToCount = false
    private var tryOnlineMs: Int64 = 0
    private let behaviour: BehaviourModel
    private var random: SeededRandom
    /// Before it the driver is connected, and does nothing.
    private var hasBegun = false
    private var isStanding = false
    private var isRetiring = false

    /// `startMs`: the real time of its first connecting.
    init(
        driver: MinibusScenario.Driver, seats: Int, behaviour: BehaviourModel, keyPrefix: String, seed: UInt64,
        startMs: Int64 = 0
    ) {
        random = SeededRandom(seed: seed, part: "driver \(driver.subject)")
        session = ClientSession(
            role: "driver", subject: driver.subject, keyPrefix: keyPrefix, startMs: startMs, seed: seed)
        cuts = LinkCuts(behaviour: behaviour)
        drive = RecordedDrive(runs: driver.runs)
        bookings = BookingList(behaviour: behaviour)
        self.seats = seats
        self.behaviour = behaviour
    }

    /// The scenario begins now.
    mutating func begin(_ now: Moment) {
        hasBegun = true
        cuts.begin(afterHubMs: now.hubMs, &random)
        driveOn(now)
    }

    /// Nobody rides or waits, and no command waits for its answer.
    var isIdle: Bool { bookings.isEmpty && request == nil && !session.hasPending }

    // MARK: Messages and time

    mutating func received(_ message: ServerMessage, _ now: Moment, _ out: inout [ClientAction]) {
        switch session.received(message, now, &out) {
        case .live, .nothing, .shared, .vehicles, .state: break
        case .ok(let command, let data): granted(command, data, now, &out)
        case .refused(let command, let code): refused(command, code, now, &out)
        case .event(let type, _, let data): happened(type, data, now, &out)
        case .snapshot(let data): adopt(data, now, &out)
        }
        decide(now, &out)
    }

    mutating func wake(_ now: Moment, _ out: inout [ClientAction]) {
        session.wake(now, &out)
        driveOn(now)
        decide(now, &out)
        cuts.take(&session, now, &random, &out)
    }

    func dueMs(_ now: Moment) -> Int64 {
        guard hasBegun, !isStanding else { return session.dueMs }
        let tapMs = min(request?.tapMs ?? .max, bookings.dueMs)
        return dueMs(now, atHub: min(drive.dueMs, tapMs, isOnline == (drive.duty != nil) ? .max : tryOnlineMs))
    }

    private mutating func driveOn(_ now: Moment) {
        guard hasBegun, !isStanding else { return }
        while let (from, to) = drive.advance(now) {
            bookings.passed(from: from, to: to, now, &random)
            wantsToCount = wantsToCount || random.chance(behaviour.handCount)
        }
    }

    /// Sends nothing more by itself, until it signs off.
    mutating func standStill() { isStanding = true }

    /// The run is over: everybody gets out here.
    mutating func endHere(_ now: Moment, _ out: inout [ClientAction]) {
        bookings.finishAll(now)
        decide(now, &out)
    }

    /// The run is over: offline.
    mutating func signOff(_ now: Moment, _ out: inout [ClientAction]) {
        isRetiring = true
        decide(now, &out)
    }

    // MARK: What the driver does by itself

    /// Whatever is due by now, given what is known.
    private mutating func decide(_ now: Moment, _ out: inout [ClientAction]) {
        guard hasBegun, session.isLive, !isStanding || isRetiring else { return }
        let wanted = isRetiring ? nil : drive.duty
        if let fix = drive.unsent, !isRetiring, session.sendPosition(PlannedFix(fix), atMs: fix.at, &out) {
            drive.hasSent()
            hasSentFix = true
            out.append(.note(.seat(.fixSent)))
        }
        answer(now, &out)
        // Who rode on an earlier run gets out at its end.
        if wanted == nil || announced != wanted { bookings.finishAll(now) }
        bookings.work(&session, now, &out)
        guard !session.isPending(\.movesMinibus), now.hubMs >= tryOnlineMs else { return }
        guard let wanted else {
            if isOnline, bookings.isEmpty { session.ask(.rides(.driverUnavailable), now, &out) }
            return
        }
        if announced != wanted {
            session.ask(.seats(.routeSet(route: nil, way: AnnouncedWay(drive.runs[wanted]))), now, &out)
        } else if !isOnline {
            if hasSentFix { session.ask(.rides(.driverAvailable), now, &out) }
        } else if wantsToCount {
            count(now, &out)
        }
    }

    private mutating func answer(_ now: Moment, _ out: inout [ClientAction]) {
        guard let open = request, let due = open.tapMs, now.hubMs >= due else { return }
        request?.tapMs = nil
        switch open.answer {
        case .accept: session.ask(.seats(.seatAccept(booking: open.booking)), now, &out)
        case .decline: session.ask(.seats(.seatDecline(booking: open.booking)), now, &out)
        case .silent: break
        }
    }

    /// Some got on or off in the street. Now and then it is full, and now and then the driver forgets who is to come.
    private mutating func count(_ now: Moment, _ out: inout [ClientAction]) {
        wantsToCount = false
        guard !session.isPending({ if case .seats(.seatsSet) = $0 { true } else { false } }) else { return }
        let known = min(seats, bookings.passengers)
        let before = walkIns
        let drawn = random.fraction()
        walkIns = drawn < 0.2 ? seats - known : min(seats - known, Int.random(in: 0...2, using: &random))
        let taken = drawn > 0.95 ? 0 : known + walkIns
        session.ask(.seats(.seatsSet(taken: taken, reason: walkIns > before ? "got_on" : "got_off")), now, &out)
    }

    // MARK: What the hub says

    private mutating func shown(_ booking: String, _ now: Moment, _ out: inout [ClientAction]) {
        out.append(.note(.seat(.prompted)))
        session.ask(.rides(.offerSeen(ride: booking)), now, &out)
        let answer = behaviour.answer(&random)
        out.append(.note(.seat(.answered(answer))))
        request = Request(
            booking: booking, answer: answer,
            tapMs: answer == .silent ? nil : now.hubMs + random.milliseconds(behaviour.answerMs))
    }

    private mutating func closeRequest(_ booking: String?) {
        guard let booking, request?.booking == booking else { return }
        request = nil
        session.forget { $0 == .rides(.offerSeen(ride: booking)) || $0 == .seats(.seatDecline(booking: booking)) }
    }

    private mutating func happened(
        _ type: String, _ data: JSONValue, _ now: Moment, _ out: inout [ClientAction]
    ) {
        let booking = data.text("booking")
        switch type {
        case "seat.requested": if let booking { shown(booking, now, &out) }
        case "seat.withdrawn": closeRequest(booking)
        case "seat.assigned": assigned(data, now)
        case "seat.aboard": bookings.isAboard(booking ?? "", passengers: data.integer("passengers"), now)
        case "seat.ended", "seat.cancelled": over(booking)
        case "seats.changed": taken = data.integer("taken").map(Int.init) ?? taken
        default: break
        }
    }

    private mutating func assigned(_ data: JSONValue, _ now: Moment) {
        closeRequest(data.text("booking"))
        bookings.add(data, now, &random)
    }

    private mutating func over(_ booking: String?) {
        guard let booking else { return }
        closeRequest(booking)
        bookings.remove(booking)
        session.forget { $0.concernsBooking(booking) }
    }

    private mutating func granted(
        _ command: Command, _ data: JSONValue, _ now: Moment, _ out: inout [ClientAction]
    ) {
        switch command {
        case .rides(.driverAvailable):
            isOnline = true
            out.append(.note(.seat(.online)))
        case .rides(.driverUnavailable):
            isOnline = false
            out.append(.note(.seat(.offline)))
        case .seats(.routeSet):
            announced = drive.duty
            out.append(.note(.seat(.wayAnnounced)))
        case .seats(.seatAccept): assigned(data, now)
        case .seats(.seatDecline(let booking)): closeRequest(booking)
        case .seats(.seatAboard(let booking, let count)):
            bookings.isAboard(booking, passengers: count.map(Int64.init), now)
        case .seats(.seatEnd(let booking, _)), .seats(.seatCancel(let booking?)): over(booking)
        case .seats(.seatsSet(let count, _)):
            taken = count
            out.append(.note(.seat(.counted(count))))
        default: break
        }
    }

    private mutating func refused(
        _ command: Command, _ code: ErrorCode, _ now: Moment, _ out: inout [ClientAction]
    ) {
        switch command {
        case .rides(.driverAvailable), .seats(.routeSet): tryOnlineMs = now.hubMs + 20_000
        // The hub has bookings of it that it doesn't know of.
        case .rides(.driverUnavailable):
            tryOnlineMs = now.hubMs + 20_000
            session.renew(now, &out)
        case .seats(.seatAccept(let booking)), .seats(.seatDecline(let booking)): closeRequest(booking)
        case .seats(.seatAboard(let booking, _)), .seats(.seatEnd(let booking, _)), .seats(.seatCancel(let booking?)):
            bookings.refused(booking, now)
        case .seats(.seatsSet): out.append(.note(.seat(.counted(nil))))
        default: break
        }
    }

    /// The hub's own account, after a gap or at the first hello: what it says is so.
    private mutating func adopt(_ data: JSONValue, _ now: Moment, _ out: inout [ClientAction]) {
        isOnline = data.text("state") == "available"
        taken = data.integer("taken").map(Int.init) ?? 0
        let open = data["request"]?.text("booking")
        if let mine = request?.booking, mine != open { closeRequest(mine) }
        if let open, request == nil { shown(open, now, &out) }
        let held = data["bookings"]?.elements ?? []
        let known = Set(held.compactMap { $0.text("booking") })
        for booking in bookings.all.keys where !known.contains(booking) { over(booking) }
        for booking in held {
            bookings.add(booking, now, &random)
            if booking.text("state") == "aboard" {
                bookings.isAboard(booking.text("booking") ?? "", passengers: booking.integer("passengers"), now)
            }
        }
    }
}
