import ClientSupport
import Wire

/// What a hub's sends cost a sender with nothing around it: `send` in a loop on as many sockets, as often, of as many bytes.
/// No hub can be below it, so a hub's CPU says little without it.
struct SendFloor: Sendable {
    /// Sockets that are sent to, in turn.
    var sockets: Int
    /// Sends that follow one another without a pause.
    var burst: Int
    /// What the hub sent, which is what the floor was asked for.
    var wanted: SendRate
    /// What the bare sender did: sends, in so many seconds, with so many CPU seconds of its thread.
    var sends: Int
    var seconds: Double
    var cpu: Double
    /// First send of a burst → arrived at each reader's socket, microseconds.
    var latency = Latency()

    var microsecondsPerSend: Double { cpu * 1e6 / Double(max(1, sends)) }

    /// Of a core, for as many sends as the hub made; beyond 1 where one core is not enough for them.
    var share: Double { wanted.perSecond * microsecondsPerSend / 1e6 }

    /// How many times as much CPU a server took; nil where nothing was sent.
    func ratio(serverShare: Double) -> Double? { share > 0 && serverShare > 0 ? serverShare / share : nil }

    func add(to table: inout TextTable, serverShare: Double) {
        var text =
            "\(LoadResults.count(wanted.perSecond)) a second of \(LoadResults.count(wanted.bytes)) bytes: \(LoadResults.percent(share)), \(LoadResults.two(microsecondsPerSend)) µs each"
        if let ratio = ratio(serverShare: serverShare) { text += "; the server takes \(LoadResults.two(ratio)) × that" }
        table.add("the same sends, bare", text)
        table.add(
            "\(LoadResults.count(Double(burst))) bare sends at once", "first send → arrived \(latency.text(50, 99))")
    }

    func json(serverShare: Double) -> JSONValue {
        [
            "sockets": .number(Double(sockets)), "sends_per_second": .number(wanted.perSecond),
            "bytes_per_send": .number(wanted.bytes), "share": .number(share),
            "microseconds_per_send": .number(microsecondsPerSend),
            "ratio": ratio(serverShare: serverShare).map { .number($0) } ?? .null, "burst": .number(Double(burst)),
            "burst_latency": latency.json,
        ]
    }
}

/// How often something is sent, and how much at once.
struct SendRate: Sendable, Equatable {
    /// Sends a second.
    var perSecond: Double
    /// Mean bytes of a send.
    var bytes: Double
}

/// What a hub has given to its sockets so far, by its own counters.
struct HubSends: Sendable {
    var atUs: Int64
    var sends: Double
    var bytes: Double

    /// Asks the hub. nil: this one can't be asked, because it is elsewhere, under TLS, or no hub.
    static func read(_ url: String, _ dialect: LoadDialect) -> HubSends? {
        guard dialect == .kerbside, let counters = try? HubCounters(url: url) else { return nil }
        return HubSends(
            atUs: Monotonic.microseconds, sends: counters["kerbside_socket_writes_total"],
            bytes: counters["kerbside_sent_bytes_total"])
    }

    /// The rate from an earlier reading to this one; nil when nothing was sent.
    func rate(since earlier: HubSends) -> SendRate? {
        let (sent, took) = (sends - earlier.sends, Double(atUs - earlier.atUs) / 1e6)
        guard sent > 0, took > 0 else { return nil }
        return SendRate(perSecond: sent / took, bytes: (bytes - earlier.bytes) / sent)
    }
}
