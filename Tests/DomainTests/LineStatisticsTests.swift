import Testing
import Wire

@testable import Domain

@Suite("The administrators' figures")
struct LineStatisticsTests {
    private static let date = ServiceDate(days: 20_778)

    private func page(_ fields: [(String, Int)]) -> StatisticsPages {
        StatisticsPages(
            LineStatistics.day(Self.date, fields.map { (name: $0.0, value: $0.1) }), from: Self.date, to: Self.date,
            timeZone: "Europe/Berlin", earlySeconds: 60, lateSeconds: 300)
    }

    @Test("B16: a day's hash becomes its lines, sorted; what is no figure is left out")
    func day() {
        let rows = page([("9|passengers", 3), ("1|x|passengers", 2), ("1|x|refused:no_driver", 4), ("7", 1)]).rows
        #expect(rows.map(\.line) == ["1|x", "9"])
        #expect(rows[0][.passengers] == 2 && rows[0].refused == ["no_driver": 4] && rows[0][.requested] == 0)
        #expect(rows[0].meanDelay == nil)
    }

    @Test("B16: the mean is of the stops whose delay was known, and may be negative")
    func mean() throws {
        let row = page([("1|stops_passed", 9), ("1|stops_early", 1), ("1|stops_late", 2), ("1|delay_s", -100)]).rows[0]
        #expect(row.judgedStops == 3)
        let mean = try #require(row.meanDelay)
        #expect(abs(mean + 33.333) < 0.001)
        let json = try JSONValue(parsing: page([("1|stops_on_time", 3), ("1|delay_s", 100)]).json)
        #expect(json["days"]?.elements?.first?["punctuality"]?["mean_delay_s"]?.double == 33.3)
    }

    @Test("B16: CSV by RFC 4180: quoted where it must be, every row as long as the first")
    func csv() {
        let text = String(
            decoding: page([("a\"b,c|passengers", 1), ("d\r\ne|refused:no_driver", 1), ("f|refused:new_code", 2)]).csv,
            as: UTF8.self)
        #expect(text.hasPrefix("date,line,tours_started,"))
        #expect(text.contains("\r\n\(Self.date),\"a\"\"b,c\",0,") && text.contains("\r\n\(Self.date),\"d\r\ne\",0,"))
        #expect(text.hasSuffix(",2\r\n"), "a code without a column of its own is counted all the same")
        let accent = String(decoding: page([("g\"\u{301}h|passengers", 1)]).csv, as: UTF8.self)
        #expect(accent.unicodeScalars.count { $0 == "\"" } == 4, "a quote with an accent on it is doubled, too")
        let formula = String(
            decoding: page([("=A1|passengers", 1), ("=A1|stops_late", 1), ("=A1|delay_s", -9)]).csv, as: UTF8.self)
        #expect(formula.contains(",'=A1,") && formula.contains(",-9.0,"), "a text is marked, a number is not")
        let plain = page([("1|passengers", 1)])
        let lines = String(decoding: plain.csv, as: UTF8.self).split(separator: "\r\n")
        #expect(
            lines.count == 2
                && lines.allSatisfy { $0.split(separator: ",", omittingEmptySubsequences: false).count == 33 })
        #expect(StatisticsPages.columns.count == 33 && Set(StatisticsPages.columns).count == 33)
    }

    @Test("B16: by the fields of a line all that is told of it is found, and nothing of others")
    func fields() {
        let fields = LineStatistics.fields(of: "1|x")
        #expect(Set(fields).count == fields.count && fields.allSatisfy { $0.hasPrefix("1|x|") })
        let row = page(fields.map { ($0, 7) }).rows[0]
        #expect(row.line == "1|x" && Statistic.allCases.allSatisfy { row[$0] == 7 } && row.meanDelay != nil)
        #expect(Set(row.refused.keys) == Set(ErrorCode.allCases.map(\.rawValue)))
    }

    @Test("B16: JSON has every figure by name")
    func json() throws {
        let fields = Statistic.allCases.enumerated().map { ("52|" + $0.element.rawValue, $0.offset + 1) }
        let day = try #require(try JSONValue(parsing: page(fields).json)["days"]?.elements?.first)
        func sum(_ value: JSONValue) -> Int {
            if case .object(let members) = value { return members.reduce(0) { $0 + sum($1.value) } }
            return Int(value.integer ?? 0)
        }
        #expect(sum(day) == Statistic.allCases.count * (Statistic.allCases.count + 1) / 2, "each once")
    }
}
