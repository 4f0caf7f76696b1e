import Testing

@testable import Hub

/// What the log says of who reads the records.
@Suite struct ToldReadingsTests {
    @Test("the first reading of a kind is told at once, and what follows within a minute together; nothing is left out")
    func together() {
        var told = ToldReadings()
        var lines: [ToldReadings.Line] = []
        func line(_ name: String, _ of: String, _ by: Set<String>, _ times: Int) -> ToldReadings.Line {
            ToldReadings.Line(operator: name, of: of, by: by, times: times)
        }
        func add(_ name: String, _ of: String, _ by: Set<String>, _ now: UInt64) {
            if let line = told.add(name, of: of, by: by, at: now) { lines.append(line) }
        }
        for n in 0..<3_000 {
            add("o1", "rides", n % 2 == 0 || n < 7 ? ["driver"] : ["passenger", "from"], UInt64(n) * 20)
        }
        add("o1", "stops", [], 59_000)
        add("o2", "rides", ["zone"], 59_000)
        #expect(
            lines == [
                line("o1", "rides", ["driver"], 1), line("o1", "rides", ["passenger", "from"], 1),
                line("o1", "stops", [], 1),
                line("o2", "rides", ["zone"], 1),
            ], "what is new is told at once")
        let early = told.due(at: 59_999)
        #expect(early == [])
        let first = told.due(at: 60_000)
        #expect(first == [line("o1", "rides", ["driver", "passenger", "from"], 2_998)])
        add("o1", "stops", [], 60_000)
        let last = told.due(at: 119_000)
        #expect(last == [line("o1", "stops", [], 1)], "what was one reading has been told")
        lines = []
        for kind in ["rides", "stops"] { add("o1", kind, [], 119_000) }
        #expect(lines.count == 2)
        let none = told.due(at: 1_000_000)
        #expect(none == [])
    }

    @Test("at the end all that was counted is told, however short a time ago, and once")
    func atTheEnd() {
        var told = ToldReadings()
        var now: [ToldReadings.Line?] = []
        for n in 0..<3 { now.append(told.add("o1", of: "rides", by: ["driver"], at: UInt64(n))) }
        now.append(told.add("o2", of: "stops", by: [], at: 3))
        #expect(now.map { $0?.times } == [1, nil, nil, 1])
        let rest = told.rest()
        #expect(rest == [ToldReadings.Line(operator: "o1", of: "rides", by: ["driver"], times: 2)])
        let none = told.rest() + told.due(at: 100_000)
        #expect(none == [])
    }
}
