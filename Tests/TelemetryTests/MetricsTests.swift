import Telemetry
import Testing

@Suite struct MetricsTests {
    @Test func `Every kind of instrument has its text`() {
        let metrics = Metrics()
        let accepted = metrics.counter("kerbside_connections_accepted_total", "Connections accepted.")
        let refused = metrics.counter(
            "kerbside_refused_total", "Refused, by reason.", labels: ["reason": "limit", "zone": "7"])
        let open = metrics.gauge("kerbside_connections", "Connections open.")
        let delay = metrics.histogram("kerbside_offer_seconds", "Request to pop-up.", bounds: [0.001, 0.5, 2])
        metrics.counter("kerbside_sent_bytes_total", "Bytes sent.") { 1_234_567_890_123 }
        metrics.gauge("kerbside_ratio", "A share.") { 0.25 }

        accepted.increment()
        accepted.add(41)
        accepted.add(-5)
        refused.increment()
        open.set(10)
        open.add(-3)
        for value in [0.001, 0.0011, 0.5, 1, 3, .nan] { delay.observe(value) }
        delay.observe(nanoseconds: 500_000)
        delay.observe(milliseconds: 1_500)

        #expect(
            metrics.exposition() == """
                # HELP kerbside_connections_accepted_total Connections accepted.
                # TYPE kerbside_connections_accepted_total counter
                kerbside_connections_accepted_total 42
                # HELP kerbside_refused_total Refused, by reason.
                # TYPE kerbside_refused_total counter
                kerbside_refused_total{reason="limit",zone="7"} 1
                # HELP kerbside_connections Connections open.
                # TYPE kerbside_connections gauge
                kerbside_connections 7
                # HELP kerbside_offer_seconds Request to pop-up.
                # TYPE kerbside_offer_seconds histogram
                kerbside_offer_seconds_bucket{le="0.001"} 2
                kerbside_offer_seconds_bucket{le="0.5"} 4
                kerbside_offer_seconds_bucket{le="2"} 6
                kerbside_offer_seconds_bucket{le="+Inf"} 7
                kerbside_offer_seconds_sum 6.0026
                kerbside_offer_seconds_count 7
                # HELP kerbside_sent_bytes_total Bytes sent.
                # TYPE kerbside_sent_bytes_total counter
                kerbside_sent_bytes_total 1234567890123
                # HELP kerbside_ratio A share.
                # TYPE kerbside_ratio gauge
                kerbside_ratio 0.25

                """)
    }

    @Test func `Texts are escaped`() {
        let metrics = Metrics()
        _ = metrics.gauge("a", "back\\slash and\nbreak \"kept\"", labels: ["l": "q\" b\\ n\n ü"])
        #expect(
            metrics.exposition() == """
                # HELP a back\\\\slash and\\nbreak "kept"
                # TYPE a gauge
                a{l="q\\" b\\\\ n\\n ü"} 0

                """)
    }

    @Test func `Odd numbers are spelled as Prometheus reads them`() {
        let metrics = Metrics()
        let values: [(String, Double)] = [
            ("NaN", .nan), ("+Inf", .infinity), ("-Inf", -.infinity), ("-3", -3), ("0", -0.0), ("1e-05", 0.00001),
            ("1e+300", 1e300), ("4503599627370495.5", 4_503_599_627_370_495.5),
        ]
        for (index, (_, value)) in values.enumerated() { metrics.gauge("g\(index)", "") { value } }
        let lines = metrics.exposition().split(separator: "\n").filter { !$0.hasPrefix("#") }
        for (index, (text, _)) in values.enumerated() { #expect(lines[index] == "g\(index) \(text)") }
    }

    @Test func `The same name and labels are the same instrument`() {
        let metrics = Metrics()
        let a = metrics.counter("a_total", "A.", labels: ["x": "1"])
        let b = metrics.counter("a_total", "A.", labels: ["x": "2"])
        #expect(a === metrics.counter("a_total", "A.", labels: ["x": "1"]))
        #expect(a !== b)
        #expect(metrics.exposition().split(separator: "\n").filter { $0.hasPrefix("# TYPE") }.count == 1)
    }

    @Test func `Labels are bounded: beyond the limit all are counted as other`() {
        let metrics = Metrics()
        for index in 0..<(Metrics.maxSeries + 100) {
            metrics.counter("a_total", "A.", labels: ["zone": "\(index)"]).increment()
        }
        let lines = metrics.exposition().split(separator: "\n")
        #expect(lines.count == 2 + Metrics.maxSeries + 1)
        #expect(lines.last == "a_total{zone=\"other\"} 100")
    }

    @Test func `A histogram's buckets take their upper ends`() {
        let histogram = Metrics().histogram("h", "H.", bounds: [1, 2])
        for value in [-1, 1, 1.5, 2, 2.5, .infinity] { histogram.observe(value) }
        #expect(histogram.buckets == [2, 2, 2])
        #expect(histogram.count == 6)
    }

    @Test func `Wrong names stop the program at start`() async {
        await #expect(processExitsWith: .failure) { _ = Metrics().counter("a", "") }
        await #expect(processExitsWith: .failure) { _ = Metrics().gauge("a_total", "") }
        await #expect(processExitsWith: .failure) { _ = Metrics().histogram("a_ms", "") }
        await #expect(processExitsWith: .failure) { _ = Metrics().gauge("a b", "") }
        await #expect(processExitsWith: .failure) { _ = Metrics().gauge("1a", "") }
        await #expect(processExitsWith: .failure) { _ = Metrics().gauge("a", "", labels: ["__x": ""]) }
        await #expect(processExitsWith: .failure) { _ = Metrics().histogram("a", "", bounds: [2, 1]) }
        await #expect(processExitsWith: .failure) { _ = Metrics().histogram("a", "", labels: ["le": "1"]) }
        await #expect(processExitsWith: .failure) {
            let metrics = Metrics()
            _ = metrics.gauge("a", "")
            _ = metrics.histogram("a", "")
        }
    }

    @Test func `The process tells of itself`() throws {
        let metrics = Metrics()
        metrics.addProcessMetrics()
        var values: [Substring: Double] = [:]
        for line in metrics.exposition().split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            values[words[0]] = Double(words[1])
        }
        #expect(try #require(values["process_cpu_seconds_total"]) > 0)
        #expect(try #require(values["process_resident_memory_bytes"]) > 1_000_000)
        #expect(try #require(values["process_max_fds"]) >= 64)
        #expect(try #require(values["process_start_time_seconds"]) > 1_700_000_000)
    }
}
