import ClientSupport
import Wire

/// What a reader of a line knows of its buses, by the contract's rules: a snapshot replaces all, a state one. Notices what
/// must never be seen: a bus that goes back in time or runs again after its end, seats that don't add up.
struct LineView: Equatable {
    let line: String
    /// Tour → its last state.
    private(set) var buses: [String: JSONValue] = [:]
    private(set) var faults: [Violation] = []
    private(set) var states = 0
    private var ended: Set<String> = []
    /// Tour → time of its last position, Unix ms.
    private var lastAt: [String: Int64] = [:]

    init(line: String) { self.line = line }

    mutating func take(_ type: String, hubMs: Int64, _ data: JSONValue, _ out: inout [ClientAction]) {
        switch type {
        case "snapshot":
            let all = (data["buses"]?.elements ?? []).compactMap { bus in bus.text("tour").map { ($0, bus) } }
            for tour in Set(buses.keys).subtracting(all.map(\.0)) {
                buses[tour] = nil
                ended.insert(tour)
            }
            for (tour, bus) in all { see(tour, bus, &out) }
        case "bus":
            guard let tour = data.text("tour") else {
                return fault(.line, "a state of line \(line) names no tour: \(data)")
            }
            see(tour, data, &out)
        case "schedule.changed": out.append(.note(.bus(.changeTold)))
        default: break
        }
    }

    private mutating func see(_ tour: String, _ bus: JSONValue, _ out: inout [ClientAction]) {
        states += 1
        if bus.text("state") != "running" {
            buses[tour] = nil
            ended.insert(tour)
            return
        }
        if ended.contains(tour) { fault(.order, "tour \(tour) runs again after its end") }
        if bus.text("line") != line {
            fault(.line, "tour \(tour) of line \(bus.text("line") ?? "none") is told on \(line)")
        }
        if let at = bus["position"]?.integer("at") {
            if let last = lastAt[tour], at < last {
                fault(.order, "tour \(tour) goes back from its position of \(last) to that of \(at)")
            }
            if lastAt[tour] != at, let name = bus.text("bus") { out.append(.note(.bus(.fixSeen(bus: name, atMs: at)))) }
            lastAt[tour] = at
        }
        let seats = bus["seats"]
        if let total = seats?.integer("total"), let taken = seats?.integer("taken"), let free = seats?.integer("free") {
            if taken < 0 || free < 0 || taken + free != total {
                fault(.seats, "tour \(tour): \(taken) of \(total) seats are taken and \(free) free")
            }
        } else {
            fault(.seats, "tour \(tour) tells no seats")
        }
        buses[tour] = bus
    }

    private mutating func fault(_ rule: Violation.Rule, _ message: String) {
        // One is enough to see what is wrong.
        if faults.count < 20 { faults.append(Violation(rule: rule, message: message)) }
    }
}
