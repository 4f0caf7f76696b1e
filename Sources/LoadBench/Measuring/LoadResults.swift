import ClientSupport
import Wire

/// What was counted and measured while a load ran.
public struct LoadResults: Sendable {
    /// What a server's process used.
    struct Use {
        var name: String
        /// CPU seconds; nil when the process has gone.
        var cpu: Double?
        /// Resident bytes, before the load's connections and at its end.
        var memoryBefore: Int
        var memoryAfter: Int
    }

    /// Real time in which it was counted.
    var seconds = 0.0
    /// What the load sent: messages, positions.
    var sent = 0
    /// What readers got: messages, rows.
    var deliveries = 0
    /// What they should have got, where that is known.
    var expected: Int?
    var messages = 0
    var bytes = 0
    /// Sent → arrived at the reader's socket, microseconds.
    var latency = Latency()
    /// Arrived → read by these clients, microseconds, of each reading.
    var readDelay = Latency()
    /// How late the load was itself, microseconds.
    var lateness = Latency()
    var refused = 0
    /// Connections that were lost.
    var lost = 0
    var connections = 0
    var ownCPU = 0.0
    var servers: [Use] = []
    /// The same sends with nothing around them; nil where nobody says what was sent.
    var floor: SendFloor?

    /// Above this share of a core the client, not the server, may be what was measured.
    static let busyShare = 0.8

    public var serverCPU: Double { servers.reduce(0) { $0 + ($1.cpu ?? 0) } }
    /// Deliveries per second of all server processes' CPU; nil when no process was named.
    public var deliveriesPerServerSecond: Double? { serverCPU > 0 ? Double(deliveries) / serverCPU : nil }
    public var clientWasBusy: Bool { ownCPU / seconds > Self.busyShare }
    public var deliveriesPerSecond: Double { Double(deliveries) / seconds }
    /// Of a core, all server processes.
    public var serverShare: Double { serverCPU / seconds }

    func add(to table: inout TextTable, sent what: String, delivered unit: String) {
        table.add(what, "\(Self.count(Double(sent) / seconds)) a second for \(Self.one(seconds)) s")
        if deliveries > 0 {
            var text = "\(Self.count(deliveriesPerSecond)) a second"
            if let expected, expected > 0 {
                text += ", \(Self.two(Double(deliveries) / Double(expected) * 100)) % of what was due"
            }
            table.add(unit, text)
            table.add(
                "frames",
                "\(Self.count(Double(messages) / seconds)) a second; \(Self.one(bytesPerDelivery)) bytes of payload for each of the \(unit)"
            )
            table.add("sent → arrived", latency.text(50, 99, 99.9))
            table.add("arrived → read by clients", readDelay.text(50, 99))
        }
        table.gap()
        for use in servers {
            table.add("CPU of \(use.name)", use.cpu.map { Self.percent($0 / seconds) } ?? "gone")
        }
        if deliveries > 0, let rate = deliveriesPerServerSecond {
            table.add("\(unit) per server CPU second", Self.count(rate))
        }
        floor?.add(to: &table, serverShare: serverShare)
        for use in servers {
            table.add(
                "memory of \(use.name)",
                "\(use.memoryBefore >> 10) KiB before, \(use.memoryAfter >> 10) KiB with \(connections) connections")
        }
        table.gap()
        table.add("refused", refused)
        table.add("links lost", lost)
        table.add("the load came late by", lateness.text(50, 99))
        table.add("CPU of these clients", Self.percent(ownCPU / seconds))
    }

    /// The line below a table when the client may have been the limit.
    var warning: String {
        guard clientWasBusy else { return "" }
        return
            "\n  The clients used more than \(Int(Self.busyShare * 100)) % of a core: these figures are theirs as much as the server's.\n"
    }

    var bytesPerDelivery: Double { Double(bytes) / Double(max(1, deliveries)) }

    var json: JSONObject {
        func number(_ value: Int) -> JSONValue { .number(Double(value)) }
        let processes = servers.map { use -> JSONValue in
            [
                "name": .string(use.name), "cpu": use.cpu.map { .number($0 / seconds) } ?? .null,
                "memory_before": number(use.memoryBefore), "memory_after": number(use.memoryAfter),
            ]
        }
        var object = JSONObject()
        object["seconds"] = .number(seconds)
        object["connections"] = number(connections)
        object["sent"] = number(sent)
        object["deliveries"] = number(deliveries)
        object["expected"] = expected.map(number) ?? .null
        object["deliveries_per_second"] = .number(deliveriesPerSecond)
        object["deliveries_per_server_second"] = deliveriesPerServerSecond.map { .number($0) } ?? .null
        object["server_cpu"] = .number(serverShare)
        object["frames"] = number(messages)
        object["bytes_per_delivery"] = .number(bytesPerDelivery)
        object["latency"] = latency.json
        object["read_delay"] = readDelay.json
        object["lateness"] = lateness.json
        object["servers"] = .array(processes)
        object["floor"] = floor?.json(serverShare: serverShare) ?? .null
        object["refused"] = number(refused)
        object["links_lost"] = number(lost)
        object["client_cpu"] = .number(ownCPU / seconds)
        object["client_was_busy"] = .bool(clientWasBusy)
        return object
    }

    static func one(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
    static func two(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
    static func percent(_ share: Double) -> String { "\(one(share * 100)) % of a core" }

    /// `1,234,567`; below 100 with one decimal.
    static func count(_ value: Double) -> String {
        guard value >= 100, value < 1e18 else { return one(value) }
        let digits = Array(String(Int(value.rounded())))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }
}
