/// Replays what the hub's event log tells of tours and of stops on request, and holds every step of it against the rules.
/// Pure.
///
/// Begin with the state at the log's beginning, `take` every event, `finish` with the state at its end.
struct BusLogChecker {
    struct Tour: Equatable {
        var bus: String
        var line: String
        var driver: String
        var isRunning = true
        var taken: Int?
        /// Began before the log did.
        var isFromBefore = false
    }

    enum Phase: Equatable {
        case requested, accepted
        case over(String)
    }

    struct Request: Equatable {
        var citizen: String
        /// That was to serve it at first, and that had it when it ended.
        var firstTour: String?
        var lastTour: String?
        var phase = Phase.requested
        var acceptances = 0
        /// Hub ms of the last one.
        var acceptedMs: Int64 = 0
        /// How often it was asked anew, as its tour had ended.
        var reopenings = 0
        /// How often another tour took it over, as it waited for a later round.
        var takeovers = 0
        /// 0, 500 or 20: the last alert.
        var rung = 0
        var isFromBefore = false

        var outcome: String? {
            if case .over(let outcome) = phase { outcome } else { nil }
        }
    }

    private(set) var violations: [Violation] = []
    private(set) var events: [LoggedEvent] = []
    private(set) var tours: [String: Tour] = [:]
    private(set) var requests: [String: Request] = [:]
    /// Line → its schedule.changed.
    private(set) var changes: [String: Int] = [:]
    /// Each time a driver said that nobody was there.
    private(set) var noShows: [LoggedEvent] = []
    /// Bus → running tour, driver → running tour.
    private var tourOfBus: [String: String] = [:]
    private var tourOfDriver: [String: String] = [:]

    init(from start: BusSnapshot = BusSnapshot()) {
        for (id, tour) in start.tours {
            tours[id] = Tour(
                bus: tour.bus, line: tour.line, driver: tour.driver, isRunning: tour.isRunning, taken: tour.taken,
                isFromBefore: true)
            guard tour.isRunning else { continue }
            tourOfBus[tour.bus] = id
            tourOfDriver[tour.driver] = id
        }
        for (id, request) in start.requests {
            let phase: Phase =
                switch request.state {
                case "requested": .requested
                case "accepted": .accepted
                default: .over(request.state)
                }
            requests[id] = Request(
                citizen: request.citizen, lastTour: request.tour, phase: phase, isFromBefore: true)
        }
    }

    mutating func take(_ event: LoggedEvent) {
        events.append(event)
        switch event.type {
        case "tour.started": started(event)
        case "tour.ended": ended(event)
        case "seats.changed": if event.tour != nil { counted(event) }
        case "stop.passed": _ = running(event)
        case "schedule.changed": if let line = event.line { changes[line, default: 0] += 1 }
        case "stop.requested": requested(event)
        case "stop.unanswered", "stop.reminder": break
        case "stop.accepted": accepted(event)
        case "stop.reopened": reopened(event)
        case "stop.taken_over":
            _ = running(event)
            if let id = known(event) { requests[id]?.takeovers += 1 }
        case "stop.near": alerted(event, 500)
        case "stop.arrived": alerted(event, 20)
        case "stop.noshow":
            noShows.append(event)
            closed(event)
        case "stop.declined", "stop.expired", "stop.completed", "stop.cancelled": closed(event)
        default:
            if event.type.hasPrefix("tour.") || event.type.hasPrefix("stop.") {
                report(.log, "an unknown type of event: \(event.type)")
            }
        }
    }

    mutating func report(_ rule: Violation.Rule, _ message: String) {
        violations.append(Violation(rule: rule, message: message, eventID: events.last?.id))
    }

    mutating func add(_ found: [Violation]) { violations += found }

    /// The entry at which a violation showed, between the ones around it.
    func context(of violation: Violation, around: Int = 4) -> [LoggedEvent] {
        guard let id = violation.eventID, let index = events.firstIndex(where: { $0.id == id }) else { return [] }
        return Array(events[max(0, index - around)..<min(events.count, index + around + 1)])
    }

    // MARK: Tours

    private mutating func started(_ event: LoggedEvent) {
        guard let id = event.tour, let bus = event.bus, let line = event.line, let driver = event.driver else {
            return report(.log, "tour.started names no tour, bus, line or driver")
        }
        if tours[id] != nil { report(.tour, "tour \(id) begins twice") }
        if let other = tourOfBus[bus] { report(.tour, "bus \(bus) begins tour \(id) while it is on tour \(other)") }
        if let other = tourOfDriver[driver] {
            report(.tour, "driver \(driver) begins tour \(id) while on tour \(other)")
        }
        tours[id] = Tour(bus: bus, line: line, driver: driver, taken: 0)
        tourOfBus[bus] = id
        tourOfDriver[driver] = id
    }

    private mutating func ended(_ event: LoggedEvent) {
        guard let id = event.tour, let tour = running(event) else { return }
        tours[id]?.isRunning = false
        if tourOfBus[tour.bus] == id { tourOfBus[tour.bus] = nil }
        if tourOfDriver[tour.driver] == id { tourOfDriver[tour.driver] = nil }
    }

    private mutating func counted(_ event: LoggedEvent) {
        guard let id = event.tour, running(event) != nil else { return }
        guard let taken = event.taken, let seats = event.seats, (0...seats).contains(taken) else {
            return report(.seats, "tour \(id): \(event.taken ?? -1) of \(event.seats ?? -1) seats are taken")
        }
        tours[id]?.taken = taken
    }

    /// The running tour that an event names.
    private mutating func running(_ event: LoggedEvent) -> Tour? {
        guard let id = event.tour, let tour = tours[id], tour.isRunning else {
            report(.tour, "\(event.type) of tour \(event.tour ?? "none"), which is not running")
            return nil
        }
        return tour
    }

    // MARK: Stops on request

    private mutating func requested(_ event: LoggedEvent) {
        guard let id = event.request, let citizen = event.citizen else {
            return report(.log, "stop.requested names no request or no citizen")
        }
        if requests[id] != nil { report(.outcome, "request \(id) is made twice") }
        // One that is made ahead has no tour yet.
        if event.tour != nil { _ = running(event) }
        requests[id] = Request(citizen: citizen, firstTour: event.tour)
    }

    private mutating func accepted(_ event: LoggedEvent) {
        guard let id = known(event) else { return }
        if requests[id]?.phase != .requested {
            report(.acceptance, "request \(id) is accepted and was not open for it")
        }
        _ = running(event)
        requests[id]?.phase = .accepted
        requests[id]?.acceptances += 1
        requests[id]?.acceptedMs = event.timeMs
    }

    /// What its driver promised counts no more, nor do the alerts of a bus that does not come.
    private mutating func reopened(_ event: LoggedEvent) {
        guard let id = known(event), let request = requests[id] else { return }
        if let outcome = request.outcome { report(.outcome, "request \(id) is asked anew, and was \(outcome)") }
        if event.tour != nil { _ = running(event) }
        requests[id]?.phase = .requested
        requests[id]?.rung = 0
        requests[id]?.reopenings += 1
    }

    private mutating func alerted(_ event: LoggedEvent, _ rung: Int) {
        guard let id = known(event), let request = requests[id] else { return }
        if request.phase != .accepted { report(.alert, "request \(id): \(event.type), but it is \(request.phase)") }
        if request.rung != 0, request.rung <= rung { report(.alert, "request \(id): \(event.type) came twice") }
        requests[id]?.rung = rung
    }

    private mutating func closed(_ event: LoggedEvent) {
        guard let id = known(event), let request = requests[id] else { return }
        if let outcome = request.outcome { report(.outcome, "request \(id) is \(event.type), and was \(outcome)") }
        if ["stop.completed", "stop.noshow"].contains(event.type), request.phase == .requested {
            report(.acceptance, "request \(id) is \(event.type), and was never accepted")
        }
        if event.type == "stop.noshow", request.rung != 20, !request.isFromBefore {
            report(.noShow, "request \(id): nobody came, and its citizen was not told that the bus was there")
        }
        requests[id]?.phase = .over(String(event.type.dropFirst("stop.".count)))
        requests[id]?.lastTour = event.tour
    }

    private mutating func known(_ event: LoggedEvent) -> String? {
        guard let id = event.request, requests[id] != nil else {
            report(.log, "\(event.type) of request \(event.request ?? "none"), which was never made")
            return nil
        }
        return id
    }

    // MARK: The end

    /// `mustBeOver`: every request of the log has had time to end.
    mutating func finish(_ end: BusSnapshot, mustBeOver: Bool) {
        var found: [Violation] = []
        func add(_ rule: Violation.Rule, _ message: String) {
            found.append(Violation(rule: rule, message: message))
        }
        for (id, tour) in end.tours {
            guard (0...tour.seats).contains(tour.taken) else {
                add(.seats, "tour \(id): \(tour.taken) of \(tour.seats) seats are taken")
                continue
            }
            guard tour.isRunning else { continue }
            if end.tourOfBus[tour.bus] != id {
                add(
                    .tour,
                    "tour \(id) runs with bus \(tour.bus), whose record says \(end.tourOfBus[tour.bus] ?? "none")")
            }
            if end.tourOfDriver[tour.driver] != id {
                add(
                    .tour,
                    "tour \(id) runs with driver \(tour.driver), whose record says \(end.tourOfDriver[tour.driver] ?? "none")"
                )
            }
        }
        for (bus, id) in end.tourOfBus where end.tours[id]?.isRunning != true {
            add(.tour, "bus \(bus) is on tour \(id), which is not running")
        }
        for (driver, id) in end.tourOfDriver where end.tours[id]?.isRunning != true {
            add(.tour, "driver \(driver) is on tour \(id), which is not running")
        }
        for id in Set(tours.keys).union(end.tours.keys) {
            let (logged, held) = (tours[id], end.tours[id])
            if (logged?.isRunning ?? false) != (held?.isRunning ?? false) {
                add(
                    .state,
                    "tour \(id) is \(held?.state ?? "gone"), by the log \(logged?.isRunning == true ? "running" : "over")"
                )
            } else if let logged, let held, held.isRunning, logged.taken != held.taken {
                add(.state, "tour \(id) has \(held.taken) seats taken, by the log \(logged.taken ?? 0)")
            }
        }
        for (id, request) in requests {
            let isOpen = end.requests[id]?.isOpen == true
            if isOpen != (request.outcome == nil) {
                add(.state, "request \(id) is \(end.requests[id]?.state ?? "gone"), by the log \(request.phase)")
            }
            if mustBeOver, !request.isFromBefore, request.outcome == nil {
                add(.outcome, "request \(id) has no outcome: it is \(request.phase)")
            }
        }
        for (id, request) in end.requests where request.isOpen && requests[id] == nil {
            add(.log, "request \(id) is open, and the log does not know it")
        }
        self.add(found.sorted { $0.message < $1.message })
    }
}
