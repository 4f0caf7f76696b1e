import ClientSupport
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

    var session: ClientSession
    var cuts: LinkCuts
    let bus: String
    let seats: Int
    private var drive: RecordedDrive
    private(set) var tour: Tour?
    private(set) var list: StopList
    /// What has gone out, for the check of where the bus has stood.
    private(set) var track: [RecordedBuses.Fix] = []
    /// By request: where on the track the driver said what became of it at its place, if the hub took that. The link had been the
    /// same since the beginning, so the hub had all of these before it.
    private(set) var served: [String: Range<Int>] = [:]
    private var said: [String: Range<Int>] = [:]
    /// Where on the track the present link began.
    private var linkBegan = 0
    private var random: SeededRandom

    /// Before it the driver is connected, and does nothing.
    private var hasBegun = false
    /// As the hub was told on this tour.
    private var taken: Int?
    private var tryStartMs: Int64 = 0
    /// Runs that the hub refuses for good.
    private var hopeless: Set<Int> = []
    private var endedTours: Set<String> = []
    private var isStanding = false
    private var isRetiring = false

    /// `startMs`: the real time of its first connecting.
    init(
        driver: BusScenario.Driver, seats: Int, behaviour: BehaviourModel, keyPrefix: String, seed: UInt64,
        startMs: Int64 = 0
    ) {
        random = SeededRandom(seed: seed, part: "driver \(driver.subject)")
        session = ClientSession(
            role: Self.role, subject: driver.subject, keyPrefix: keyPrefix, startMs: startMs, seed: seed)
        cuts = LinkCuts(behaviour: behaviour)
        list = StopList(behaviour: behaviour)
        bus = driver.bus
        drive = RecordedDrive(runs: driver.runs)
        self.seats = seats
    }

    /// The scenario begins now.
    mutating func begin(_ now: Moment) {
        hasBegun = true
        cuts.begin(afterHubMs: now.hubMs, &random)
        driveOn(now)
    }

    /// Nothing waits for an answer.
    var isIdle: Bool { !session.hasPending }

    mutating func received(_ message: ServerMessage, _ now: Moment, _ out: inout [ClientAction]) {
        switch session.received(message, now, &out) {
        case .live:
            linkBegan = track.count
            said = [:]
        case .nothing, .shared, .vehicles, .state: break
        case .ok(let command, let data): granted(command, data, &out)
        case .refused(let command, let code): refused(command, code, now, &out)
        case .event(let type, _, let data): happened(type, data, now, &out)
        case .snapshot(let data): adopt(data, now)
        }
        decide(now, &out)
    }

    // MARK: Time

    mutating func wake(_ now: Moment, _ out: inout [ClientAction]) {
        session.wake(now, &out)
        driveOn(now)
        decide(now, &out)
        cuts.take(&session, now, &random, &out)
    }

    func dueMs(_ now: Moment) -> Int64 {
        guard hasBegun, !isStanding else { return session.dueMs }
        let hubDue = min(drive.dueMs, list.dueMs)
        return dueMs(now, atHub: drive.duty == nil && tour != nil ? min(hubDue, tryStartMs) : hubDue)
    }

    private mutating func driveOn(_ now: Moment) {
        guard hasBegun, !isStanding else { return }
        while let (from, to) = drive.advance(now) {
            if let until = list.passed(from: from, to: to, now, &random) { drive.stand(until: until) }
            if let ahead = drive.ahead, let place = list.nextPlace(from: to, to: ahead, now) { drive.goBy(place) }
        }
    }

    /// Sends nothing more by itself, until it signs off.
    mutating func standStill() { isStanding = true }

    /// The run is over: the tour is ended.
    mutating func signOff(_ now: Moment, _ out: inout [ClientAction]) {
        isRetiring = true
        decide(now, &out)
    }

    // MARK: What the driver does by itself

    /// Whatever is due by now, given what is known.
    private mutating func decide(_ now: Moment, _ out: inout [ClientAction]) {
        guard hasBegun, session.isLive, !isStanding || isRetiring else { return }
        if !isRetiring {
            for request in list.answer(&session, now, &out) { said[request] = linkBegan..<track.count }
        }
        guard !session.isPending(\.movesTour) else { return }
        let wanted = isRetiring ? nil : drive.duty
        if let tour {
            guard tour.run != nil, tour.run == wanted else {
                return session.ask(.tours(.tourEnd(tour: tour.id)), now, &out)
            }
            work(now, &out)
        } else if let wanted, now.hubMs >= tryStartMs, !hopeless.contains(wanted) {
            let run = drive.runs[wanted]
            session.ask(.tours(.tourStart(bus: bus, line: run.line, pattern: nil, trip: run.trip)), now, &out)
        }
    }

    private mutating func work(_ now: Moment, _ out: inout [ClientAction]) {
        if let fix = drive.unsent, session.sendPosition(PlannedFix(fix), atMs: fix.at, &out) {
            drive.hasSent()
            track.append(fix)
            out.append(.note(.bus(.fixSent(bus: bus, atMs: fix.at))))
        }
        guard let count = drive.load.map({ Int(($0 * Double(seats)).rounded()) }), count != taken,
            !session.isPending({ if case .seats(.seatsSet) = $0 { true } else { false } })
        else { return }
        session.ask(.seats(.seatsSet(taken: count, reason: nil)), now, &out)
    }

    // MARK: What the hub says

    private mutating func granted(_ command: Command, _ data: JSONValue, _ out: inout [ClientAction]) {
        switch command {
        case .tours(.tourStart(_, _, _, let trip)):
            guard let id = data.text("tour"), !endedTours.contains(id) else { return }
            tour = Tour(id: id, run: drive.run(of: trip))
            taken = nil
            out.append(.note(.bus(.tourStarted)))
        case .tours(.tourEnd(let id)):
            out.append(.note(.bus(.tourEnded)))
            if let id { over(id) }
        case .seats(.seatsSet(let count, _)):
            taken = count
            out.append(.note(.bus(.seatsSet)))
        case .stops(.stopAnswer(let answer, let request, _)):
            out.append(.note(.bus(.answered(answer))))
            if answer == .complete || answer == .noshow { served[request] = said[request] }
            list.granted(answer, request)
        default: break
        }
    }

    private mutating func refused(
        _ command: Command, _ code: ErrorCode, _ now: Moment, _ out: inout [ClientAction]
    ) {
        switch command {
        case .tours(.tourStart(_, _, _, let trip)):
            tryStartMs = now.hubMs + 30_000
            if code == .notFound, let run = drive.run(of: trip) {
                hopeless.insert(run)
                out.append(.note(.bus(.tourRefused)))
            } else {
                // The hub has it on a tour that it doesn't know of.
                session.renew(now, &out)
            }
        case .tours(.tourEnd(let id)): if let id { over(id) }
        case .seats(.seatsSet(let count, _)): taken = count
        case .stops(.stopAnswer(let answer, let request, _)):
            if answer == .noshow { out.append(.note(.bus(.noShowRefused))) }
            if let until = list.refused(answer, request, code, now) { drive.stand(until: until) }
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
            if let places = data["places"]?.elements {
                list.take(places, now, &random)
            } else if type == "stop.withdrawn" {
                if let request = data.text("request") { list.drop(request) }
            } else if type == "stop.list", data.text("reason") != "taken_over" {
                list.clear()
            }
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
        list.take(data["places"]?.elements ?? [], now, &random)
        guard let mine = data["tour"], let id = mine.text("tour") else {
            if let id = tour?.id { over(id) }
            return
        }
        guard tour?.id != id else { return }
        tour = Tour(id: id, run: drive.run(of: mine.text("trip")))
        taken = nil
    }
}

extension PlannedFix {
    /// As it was recorded.
    init(_ fix: RecordedBuses.Fix) {
        self.init(offsetMs: 0, place: fix.point, speed: fix.speed, heading: fix.bearing, isInterpolated: false)
    }
}
