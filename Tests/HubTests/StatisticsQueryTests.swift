import Domain
import Testing

@testable import Hub

@Suite struct StatisticsQueryTests {
    private static let today = ServiceDate(year: 2026, month: 3, day: 2)!

    @Test("B16: a week without a word, or what is asked for")
    func read() throws {
        let usual = try StatisticsQuery(nil, today: Self.today)
        #expect("\(usual.from) \(usual.to)" == "2026-02-24 2026-03-02" && usual.dates.count == 7 && usual.line == nil)
        let asked = try StatisticsQuery("line=a%2Bb+c&to=2026-02-28&from=2026-02-28", today: Self.today)
        #expect(asked.line == "a+b c" && asked.dates.map(\.description) == ["2026-02-28"])
        #expect(try StatisticsQuery("to=2026-02-28", today: Self.today).from.description == "2026-02-22")
        #expect(try StatisticsQuery("from=2025-03-02&", today: Self.today).dates.count == 366)
    }

    @Test(
        "B16: what is wrong is named",
        arguments: [
            "from", "=1", "from=", "from=2026-02-30", "from=2026-03-03", "from=2025-03-01", "line=", "line=%4", "x=1",
            "line=1&line=1", "to=20260302", "to=2026-0302x",
        ])
    func problems(_ query: String) throws {
        #expect(throws: StatisticsQuery.Problem.self) { try StatisticsQuery(query, today: Self.today) }
    }

    @Test("Accept: the sharper range counts, then its weight; JSON when they are alike")
    func preference() {
        for accept in [
            "text/csv", "text/*", "text/csv;q=0.2, */*;q=0.1", "application/json;q=0.5,text/csv",
            "*/*, application/*;q=0",
        ] {
            #expect(MediaPreference(accept).prefersCSV, "\(accept)")
        }
        for accept in [
            nil, "", "*/*", "application/json", "text/csv;q=0, */*", "text/csv;q=x", "image/png",
            "text/*, text/csv;q=0",
        ] {
            #expect(!MediaPreference(accept).prefersCSV, "\(accept ?? "none")")
        }
    }
}
