import ClientSupport
import Wire

/// The results of the dispatch benchmark.
public struct DispatchReport: Sendable {
    let configuration: DispatchBench.Configuration
    let counts: DispatchLoad.Counts
    let lostLinks: Int
    /// Real time in which it was counted.
    let seconds: Double
    /// CPU seconds of this process in that time, and of the processes named.
    let ownCPU: Double
    let cpu: [(name: String, seconds: Double?)]

    /// Above this share of a core the client, not the hub, may be what was measured.
    private static let busyShare = 0.8

    /// Milliseconds; nil when nothing was measured.
    public func requestToOffer(percentile: Double) -> Double? {
        counts.requestToOffer.milliseconds(percentile: percentile)
    }
    public func acceptToTold(percentile: Double) -> Double? { counts.acceptToTold.milliseconds(percentile: percentile) }
    public var requestsPerSecond: Double { Double(counts.requests) / seconds }
    /// Of a core.
    public var ownShare: Double { ownCPU / seconds }

    public var text: String {
        var table = TextTable()
        table.add(
            "dispatch",
            "\(configuration.drivers) drivers, \(configuration.passengers) passengers, \(Self.one(requestsPerSecond)) requests/s for \(Self.one(seconds)) s"
        )
        table.gap()
        table.add("request → offer at the driver", counts.requestToOffer.text(50, 99, 99.9))
        table.add("accept → passenger told", counts.acceptToTold.text(50, 99, 99.9))
        table.add("requests", counts.requests)
        table.add("passengers told", counts.told)
        table.add("rides ended", counts.ended)
        let refused = counts.refused.sorted { $0.key.rawValue < $1.key.rawValue }.map {
            "\($0.key.rawValue) \($0.value)"
        }
        table.add("refused", refused.isEmpty ? "none" : refused.joined(separator: ", "))
        table.add("links lost", lostLinks)
        table.gap()
        table.add("the load came late by", counts.lateness.text(50, 99))
        if counts.skipped > 0 { table.add("turns without a free passenger", counts.skipped) }
        table.add("CPU of these clients", Self.percent(ownShare))
        for (name, seconds) in cpu {
            table.add("CPU of \(name)", seconds.map { Self.percent($0 / self.seconds) } ?? "gone")
        }
        var text = "\n" + table.text
        if ownShare > Self.busyShare {
            text +=
                "\n  The clients used more than \(Int(Self.busyShare * 100)) % of a core: these times are theirs as much as the hub's.\n"
        }
        return text
    }

    public var json: String {
        func number(_ value: Int) -> JSONValue { .number(Double(value)) }
        var others = JSONObject()
        for (name, seconds) in cpu { others[name] = seconds.map { .number($0 / self.seconds) } ?? .null }
        var refused = JSONObject()
        for (code, count) in counts.refused { refused[code.rawValue] = number(count) }
        let value: JSONValue = [
            "drivers": number(configuration.drivers), "passengers": number(configuration.passengers),
            "seconds": .number(seconds), "requests_per_second": .number(requestsPerSecond),
            "request_to_offer": counts.requestToOffer.json, "accept_to_told": counts.acceptToTold.json,
            "requests": number(counts.requests), "told": number(counts.told), "ended": number(counts.ended),
            "refused": .object(refused), "links_lost": number(lostLinks), "skipped": number(counts.skipped),
            "lateness": counts.lateness.json, "client_cpu": .number(ownShare), "cpu": .object(others),
            "client_was_busy": .bool(ownShare > Self.busyShare),
        ]
        return value.description
    }

    private static func one(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
    private static func percent(_ share: Double) -> String { "\(one(share * 100)) % of a core" }
}
