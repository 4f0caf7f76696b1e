import Domain
import GTFS
import Wire

/// A bus driver and its phone: drives the recorded runs of one bus, each as a tour, sends the recorded fixes, counts seats as
/// the recording does, answers citizens. Pure: messages and time come in, actions come out. Recorded time is hub time.
struct BusDriverMachine {
    struct Tour: Equatable {
        var id: String
        /// Index in the runs; nil: it is none of them, but one that the hub still had.
        var run: Int?
    }

    private(set) var session: Session
    let bus: String
    let seats: Int
    private let runs: [RecordedBuses.Run]
    private(set) var tour: Tour?
    private(set) var list: StopList
    private let odds: Odds
    private var dice: Dice

    /// Hub ms; nil before the world begins: connected, and doing nothing.
    private var beginMs: Int64?
    /// The next fix: of which run, which one.
    private var next = (run: 0, fix: 0)
    /// The run that is driven now, by the recording; nil between two.
    private var duty: Int?
    private(set) var here: GeoPoint?
    /// The last fix, as long as it has not gone out.
    private var unsent: RecordedBuses.Fix?
    /// As recorded last, 0…1.
    private var load: Double?
    /// As the hub was told on this tour.
    private var taken: Int?
    private var tryStartMs: Int64 = 0
    /// Runs that the hub refuses for good.
    private var hopeless: Set<Int> = []
    private var endedTours: Set<String> = []
    private var isStanding = false
    private var isRetiring = false
    private var dropMs: Int64?

    /// After the last fix of a run its tour is ended, hub ms.
    private static let endAfterMs: Int64 = 20_000

    /// `startMs`: the real time of its first connecting.
    init(
        driver: BusWorld.Driver, seats: Int, odds: Odds, keyPrefix: String, seed: UInt64, startMs: Int64 = 0
    ) {
        dice = Dice(seed: seed, part: "driver \(driver.subject)")
        // A bus driver's channel is a driver's.
        session = Session(
            role: "driver", subject: driver.subject, keyPrefix: keyPrefix, startMs: startMs,
            dice: Dice(seed: seed, part: "link of \(driver.subject)"))
        list = StopList(odds: odds)
        bus = driver.bus
        runs = driver.runs
        self.seats = seats
        self.odds = odds
    }

    /// The world begins now.
    mutating func begin(_ now: Moment) {
        beginMs = now.hubMs
        dropMs = odds.nextDrop(after: now.hubMs, &dice)
        drive(now)
    }

    /// Nothing waits for an answer.
    var isIdle: Bool { !session.hasPending }

    // MARK: Links

    mutating func opened(token: String?, _ now: Moment, _ out: inout [ClientAction]) {
        session.opened(token: token, now, &out)
    }

    mutating func closed(code: UInt16, reason: String, _ now: Moment, _ out: inout [ClientAction]) {
        session.closed(code: code, reason: reason, now, &out)
    }

    mutating func received(_ message: ServerMessage, _ now: Moment, _ out: inout [ClientAction]) {
        switch session.received(message, now, &out) {
        case .live, .nothing, .shared, .state: break
        case .ok(let command, let data): granted(command, data, &out)
        case .refused(let command, let code): refused(command, code, now, &out)
        case .event(let type, let data): happened(type, data, now, &out)
        case .snapshot(let data): adopt(data, now)
        }
        decide(now, &out)
    }

    // MARK: Time

    mutating func wake(_ now: Moment, _ out: inout [ClientAction]) {
        session.wake(now, &out)
        drive(now)
        decide(now, &out)
        if let due = dropMs, now.hubMs >= due {
            session.cut(untilHubMs: now.hubMs + dice.milliseconds(odds.dropMs), now, &out)
            dropMs = odds.nextDrop(after: now.hubMs, &dice)
        }
    }

    func dueMs(_ now: Moment) -> Int64 {
        guard beginMs != nil, !isStanding else { return session.dueMs }
        var hubDue = min(upcoming?.at ?? .max, list.dueMs, dropMs ?? .max)
        if let duty { hubDue = min(hubDue, end(of: duty)) } else if tour != nil { hubDue = min(hubDue, tryStartMs) }
        return min(session.dueMs, hubDue == .max ? .max : now.real(atHub: hubDue))
    }

    private var upcoming: RecordedBuses.Fix? { next.run < runs.count ? runs[next.run].fixes[next.fix] : nil }

    private func end(of run: Int) -> Int64 { (runs[run].fixes.last?.at ?? 0) + Self.endAfterMs }

    private mutating func drive(_ now: Moment) {
        guard beginMs != nil, !isStanding else { return }
        while let fix = upcoming, fix.at <= now.hubMs {
            if duty != next.run { load = nil }
            duty = next.run
            list.passed(from: here, to: fix.point, now, &dice)
            here = fix.point
            unsent = fix
            load = fix.load ?? load
            next.fix += 1
            if next.fix == runs[next.run].fixes.count { next = (next.run + 1, 0) }
        }
        if let driven = duty, now.hubMs >= end(of: driven) {
            duty = nil
            unsent = nil
        }
    }

    mutating func calmDown() { dropMs = nil }

    /// Sends nothing more by itself, until it signs off.
    mutating func standStill() { isStanding = true }

    /// The run is over: the tour is ended.
    mutating func signOff(_ now: Moment, _ out: inout [ClientAction]) {
        isRetiring = true
        decide(now, &out)
    }

    mutating func leave(_ out: inout [ClientAction]) { session.leave(&out) }

    // MARK: What the driver does by itself

    /// Whatever is due by now, given what is known.
    private mutating func decide(_ now: Moment, _ out: inout [ClientAction]) {
        guard beginMs != nil, session.isLive, !isStanding || isRetiring else { return }
        if !isRetiring { list.answer(&session, now, &out) }
        guard !session.isPending(\.movesTour) else { return }
        let wanted = isRetiring ? nil : duty
        if let tour {
            guard tour.run != nil, tour.run == wanted else { return session.ask(.tourEnd(tour: tour.id), now, &out) }
            work(now, &out)
        } else if let wanted, now.hubMs >= tryStartMs, !hopeless.contains(wanted) {
            let run = runs[wanted]
            session.ask(.tourStart(bus: bus, line: run.line, pattern: nil, trip: run.trip), now, &out)
        }
    }

    private mutating func work(_ now: Moment, _ out: inout [ClientAction]) {
        if let fix = unsent {
            let planned = PlannedFix(
                offsetMs: 0, place: fix.point, speed: fix.speed, heading: fix.bearing, isInterpolated: false)
            if session.sendPosition(planned, atMs: fix.at, &out) {
                unsent = nil
                out.append(.note(.bus(.fixSent(bus: bus, atMs: fix.at))))
            }
        }
        guard let count = load.map({ Int(($0 * Double(seats)).rounded()) }), count != taken,
            !session.isPending({ if case .seatsSet = $0 { true } else { false } })
        else { return }
        session.ask(.seatsSet(taken: count, reason: nil), now, &out)
    }

    // MARK: What the hub says

    private mutating func granted(_ command: Command, _ data: JSONValue, _ out: inout [ClientAction]) {
        switch command {
        case .tourStart(_, _, _, let trip):
            guard let id = data.text("tour"), !endedTours.contains(id) else { return }
            tour = Tour(id: id, run: run(of: trip))
            taken = nil
            out.append(.note(.bus(.tourStarted)))
        case .tourEnd(let id):
            out.append(.note(.bus(.tourEnded)))
            if let id { over(id) }
        case .seatsSet(let count, _):
            taken = count
            out.append(.note(.bus(.seatsSet)))
        case .stopAnswer(let answer, let request, _):
            out.append(.note(.bus(.answered(answer))))
            list.granted(answer, request)
        default: break
        }
    }

    private mutating func refused(
        _ command: Command, _ code: ErrorCode, _ now: Moment, _ out: inout [ClientAction]
    ) {
        switch command {
        case .tourStart(_, _, _, let trip):
            tryStartMs = now.hubMs + 30_000
            if code == .notFound, let run = run(of: trip) {
                hopeless.insert(run)
                out.append(.note(.bus(.tourRefused)))
            } else {
                // The hub has it on a tour that it doesn't know of.
                session.renew(now, &out)
            }
        case .tourEnd(let id): if let id { over(id) }
        case .seatsSet(let count, _): taken = count
        case .stopAnswer(let answer, let request, _): list.refused(answer, request, code, now)
        default: break
        }
    }

    private mutating func happened(
        _ type: String, _ data: JSONValue, _ now: Moment, _ out: inout [ClientAction]
    ) {
        if type == "tour.ended" {
            if let id = data.text("tour") { over(id) }
        } else if type.hasPrefix("stop."), data.text("tour") == tour?.id || tour == nil {
            if type == "stop.requested" { out.append(.note(.bus(.prompted))) }
            list.take(data["places"]?.elements ?? [], now, &dice)
        }
    }

    private mutating func over(_ id: String) {
        endedTours.insert(id)
        guard tour?.id == id else { return }
        tour = nil
        list.clear()
    }

    /// The hub's own account, after a gap or at the first hello: what it says is so.
    private mutating func adopt(_ data: JSONValue, _ now: Moment) {
        list.take(data["places"]?.elements ?? [], now, &dice)
        guard let mine = data["tour"], let id = mine.text("tour") else {
            if let id = tour?.id { over(id) }
            return
        }
        guard tour?.id != id else { return }
        tour = Tour(id: id, run: run(of: mine.text("trip")))
        taken = nil
    }

    /// The one that is driven, or else the next one of that trip.
    private func run(of trip: String?) -> Int? {
        if let duty, runs[duty].trip == trip { return duty }
        return runs.indices.last { runs[$0].trip == trip && $0 <= next.run } ?? runs.firstIndex { $0.trip == trip }
    }
}
