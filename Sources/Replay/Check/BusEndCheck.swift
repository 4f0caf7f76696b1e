import ClientSupport
import Wire

/// What the clients of a run of buses have at its end, against what the log and the state in Redis say.
enum BusEndCheck {
    /// One citizen client at the end of a run.
    struct Citizen {
        var subject: String
        var asks: [CitizenMachine.Ask]
        var view: LineView
        var hasPending: Bool
        var receipts: ChannelReceipts
    }

    // MARK: Lines

    /// Every reader sees of its line the running tours and no others, each as it is now.
    static func lines(_ citizens: [Citizen], _ end: BusSnapshot) -> [Violation] {
        var found: [Violation] = []
        for citizen in citizens {
            found += citizen.view.faults.map {
                Violation(rule: $0.rule, message: "\(citizen.subject): \($0.message)")
            }
            let running = end.tours.filter { $0.value.isRunning && $0.value.line == citizen.view.line }
            for id in Set(running.keys).union(citizen.view.buses.keys).sorted() {
                let difference =
                    switch (running[id], citizen.view.buses[id]) {
                    case (nil, _): "is shown, and does not run"
                    case (_, nil): "runs, and is not shown"
                    case (let tour?, let seen?): difference(tour, seen)
                    }
                guard let difference else { continue }
                found.append(
                    Violation(
                        rule: .line,
                        message: "\(citizen.subject) on line \(citizen.view.line): tour \(id) \(difference)"))
            }
        }
        return found
    }

    private static func difference(_ tour: BusSnapshot.Tour, _ seen: JSONValue) -> String? {
        let position = seen["position"]
        let pairs: [(String, String, String)] = [
            ("bus", tour.bus, seen.text("bus") ?? ""), ("trip", tour.trip ?? "", seen.text("trip") ?? ""),
            ("seats taken", "\(tour.taken)", text(seen["seats"]?.integer("taken"))),
            ("seats", "\(tour.seats)", text(seen["seats"]?.integer("total"))),
            ("time of the position", text(tour.at), text(position?.integer("at"))),
            ("latitude", text(tour.lat), text(position?["lat"]?.double)),
            ("longitude", text(tour.lon), text(position?["lon"]?.double)),
            ("delay", text(tour.delay), text(seen.integer("delay_s"))),
            ("off its route", "\(tour.isOffRoute)", "\(seen["off_route"]?.boolean ?? false)"),
        ]
        if let other = pairs.first(where: { $0.1 != $0.2 }) {
            return "has \(other.0) \(other.1), and is shown with \(other.2)"
        }
        // Behind its last stop a bus has no next one.
        if let next = seen["next_stop"]?.integer("index"), next != tour.next {
            return "comes to stop \(tour.next), and is shown coming to \(next)"
        }
        return nil
    }

    private static func text(_ value: (some CustomStringConvertible)?) -> String { value.map(\.description) ?? "" }

    // MARK: Stops on request

    /// Both sides of every request were told what became of it: the citizen once, and the driver who had it.
    static func told(
        _ citizens: [Citizen], drivers: [String: ChannelReceipts], log: BusLogChecker
    ) -> [Violation] {
        var found: [Violation] = []
        func add(_ message: String) { found.append(Violation(rule: .told, message: message)) }
        let clients = Dictionary(citizens.map { ($0.subject, $0) }, uniquingKeysWith: { first, _ in first })
        for citizen in citizens {
            if citizen.hasPending || citizen.asks.contains(where: { $0.outcome == nil }) {
                add("citizen \(citizen.subject) was never told what became of a request")
            }
            for ask in citizen.asks {
                if let request = ask.request, log.requests[request] == nil {
                    add("citizen \(citizen.subject) was told of request \(request), which the log doesn't know")
                }
            }
        }
        for (id, request) in log.requests.sorted(by: { $0.key < $1.key }) where !request.isFromBefore {
            if let client = clients[request.citizen] {
                for problem in citizenProblems(id, request, client.receipts) { add(problem) }
            }
            for problem in driverProblems(id, request, drivers, log) { add(problem) }
        }
        return found
    }

    private static func citizenProblems(
        _ id: String, _ request: BusLogChecker.Request, _ receipts: ChannelReceipts
    ) -> [String] {
        let told = receipts.events.filter { $0.request == id }
        func count(_ type: String) -> Int { told.count { $0.type == type } }
        var problems: [String] = []
        // Once more each time that a driver can answer who could not before.
        let asked = request.reopenings + 1
        let again = request.takeovers + (request.firstTour == nil || request.reopenings > 0 ? asked : 0)
        let isPending = (asked...asked + again).contains(count("stop.pending"))
        if !isPending || count("stop.accepted") != request.acceptances {
            problems.append("request \(id) of \(request.citizen): it was told \(told.map(\.type))")
        }
        guard let outcome = request.outcome else { return problems }
        let ends = told.map(\.type).filter { Self.ends.contains($0) }
        if ends != ["stop." + outcome] {
            problems.append("request \(id) is \(outcome); citizen \(request.citizen) was told \(ends)")
        }
        return problems
    }

    private static let ends: Set<String> = [
        "stop.declined", "stop.expired", "stop.completed", "stop.noshow", "stop.cancelled",
    ]

    private static func driverProblems(
        _ id: String, _ request: BusLogChecker.Request, _ drivers: [String: ChannelReceipts], _ log: BusLogChecker
    ) -> [String] {
        func receipts(_ tour: String?) -> (driver: String, told: [Receipt])? {
            guard let driver = tour.flatMap({ log.tours[$0]?.driver }), let all = drivers[driver] else { return nil }
            return (driver, all.events.filter { $0.request == id })
        }
        var problems: [String] = []
        if let first = receipts(request.firstTour), !first.told.contains(where: { $0.type == "stop.requested" }) {
            problems.append("driver \(first.driver) was never asked for request \(id)")
        }
        // One that waits for a driver when it ends has none to tell.
        guard let outcome = request.outcome, let last = receipts(request.lastTour) else { return problems }
        let isTold =
            outcome == "cancelled" || outcome == "expired"
            ? last.told.count { $0.type == "stop.withdrawn" } == 1
            : last.told.contains { $0.type == "stop.list" && $0.state == (outcome == "noshow" ? "no_show" : outcome) }
        if !isTold {
            problems.append(
                "request \(id) is \(outcome); driver \(last.driver) was told \(last.told.map { "\($0.type) \($0.state ?? "")" })"
            )
        }
        return problems
    }
}
