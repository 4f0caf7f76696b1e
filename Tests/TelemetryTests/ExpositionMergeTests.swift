import Foundation
import Telemetry
import Testing

@Suite struct ExpositionMergeTests {
    @Test func `Each family's head comes once and each sample has its worker`() {
        func text(_ n: Int) -> String {
            let metrics = Metrics()
            metrics.counter("a_total", "A \"help\".", labels: ["x": "}\"\\\n, y"]).add(n)
            metrics.gauge("b", "B.").set(n)
            metrics.histogram("c_seconds", "C.", bounds: [1]).observe(Double(n))
            return metrics.exposition()
        }
        #expect(
            ExpositionMerge.merge([("1", text(1)), ("2", text(2))]) == """
                # HELP a_total A "help".
                # TYPE a_total counter
                a_total{worker="1",x="}\\"\\\\\\n, y"} 1
                a_total{worker="2",x="}\\"\\\\\\n, y"} 2
                # HELP b B.
                # TYPE b gauge
                b{worker="1"} 1
                b{worker="2"} 2
                # HELP c_seconds C.
                # TYPE c_seconds histogram
                c_seconds_bucket{worker="1",le="1"} 1
                c_seconds_bucket{worker="1",le="+Inf"} 1
                c_seconds_sum{worker="1"} 1
                c_seconds_count{worker="1"} 1
                c_seconds_bucket{worker="2",le="1"} 0
                c_seconds_bucket{worker="2",le="+Inf"} 1
                c_seconds_sum{worker="2"} 2
                c_seconds_count{worker="2"} 1

                """)
    }

    @Test func `A family that only one worker has, and samples without a head, are kept together`() {
        let first = "# TYPE a gauge\na 1\nz 5\n"
        let second = "y 6\n# TYPE b gauge\nb 2\n# TYPE a gauge\na 3\nz 7 1395066363000\n"
        #expect(
            ExpositionMerge.merge([("1", first), ("2", second)]) == """
                # TYPE a gauge
                a{worker="1"} 1
                a{worker="2"} 3
                z{worker="1"} 5
                z{worker="2"} 7 1395066363000
                y{worker="2"} 6
                # TYPE b gauge
                b{worker="2"} 2

                """)
    }

    @Test func `A text that was cut off anywhere leaves only whole lines`() {
        let metrics = Metrics()
        metrics.counter("a_total", "A.", labels: ["x": "é\"1"]).add(12_345)
        metrics.gauge("b", "B.").set(67_890)
        let whole = Array(metrics.exposition().utf8)
        for length in whole.indices {
            let merged = ExpositionMerge.merge([("1", String(decoding: whole[..<length], as: UTF8.self))])
            for line in merged.split(separator: "\n") where !line.hasPrefix("#") {
                #expect(line.hasSuffix(" 12345") || line.hasSuffix(" 67890"))
            }
        }
    }

    @Test(arguments: [
        "a", "a ", "a x", "a{", "a{x=\"1\"", "a{x=\"1\"}", "a{x=\"1\"}2", "1a 2", "a 1 2 3", "é 1", "{x=\"1\"} 2",
        "a\t1",
        " a 1", "a 1 soon", "# HELP", "# TYPE é gauge", "#",
    ])
    func `A wrong line is left out`(line: String) {
        #expect(ExpositionMerge.merge([("1", "ok 1\n\(line)\nok2 2\n")]) == "ok{worker=\"1\"} 1\nok2{worker=\"1\"} 2\n")
    }

    @Test func `Where types differ the first one stands`() {
        let merged = ExpositionMerge.merge([
            ("1", "# TYPE a gauge\na 1\n"), ("2", "# TYPE a histogram\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 1\n"),
        ])
        #expect(merged == "# TYPE a gauge\na{worker=\"1\"} 1\n")
    }

    @Test func `A sample that says its worker keeps it, and worker names are escaped`() {
        #expect(
            ExpositionMerge.merge([("2", "a{worker=\"1\"} 1\na{x=\"2\",worker=\"3\"} 1\n")])
                == "a{worker=\"1\"} 1\na{x=\"2\",worker=\"3\"} 1\n")
        #expect(
            ExpositionMerge.merge([("\"", "a{} 1\nb{x=\"1\",} 2\n")])
                == "a{worker=\"\\\"\"} 1\nb{worker=\"\\\"\",x=\"1\"} 2\n")
        #expect(ExpositionMerge.merge([]) == "")
    }

    @Test func `Workers meet in a directory`() throws {
        let directory = FileManager.default.temporaryDirectory.path + "/kerbside-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let shared = WorkerExpositions(directory: directory)
        for worker in ["10", "2", "1"] { try shared.publish("a \(worker)\n", worker: worker) }
        try shared.publish("a 3\n", worker: "2")
        try "a 9".write(toFile: directory + "/other", atomically: false, encoding: .utf8)
        #expect(
            shared.merged(own: ("1", "a 7\n"), maxAgeS: 60)
                == "a{worker=\"1\"} 7\na{worker=\"2\"} 3\na{worker=\"10\"} 10\n")
        shared.remove(worker: "2")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -100)], ofItemAtPath: directory + "/worker-10.prom")
        #expect(shared.merged(own: ("1", "a 7\n"), maxAgeS: 60) == "a{worker=\"1\"} 7\n")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == [
                "other", "worker-1.prom", "worker-10.prom",
            ])

        let nowhere = WorkerExpositions(directory: directory + "/none")
        #expect(throws: WorkerExpositions.PublishFailure.self) { try nowhere.publish("a 1\n", worker: "1") }
        #expect(nowhere.merged(own: ("1", "a 1\n"), maxAgeS: 60) == "a{worker=\"1\"} 1\n")
    }
}
