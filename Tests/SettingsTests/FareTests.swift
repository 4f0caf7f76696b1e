import Testing

@testable import Settings

@Suite("M11: fares by distance, per route")
struct FareTests {
    private let table = FareTable(["*: 2km=8.00 5km=12.00", "R7: 1km=5 1.5km=6.25"])

    @Test(
        "the first distance that is enough; beyond the last its fare stays",
        arguments: [
            (nil, 0, 800), (nil, 2000, 800), (nil, 2001, 1200), ("R1", 50_000, 1200), ("R7", 999, 500),
            ("R7", 1200, 625), ("R7", 9000, 625),
        ] as [(String?, Double, Int)])
    func fares(route: String?, metres: Double, fare: Int) {
        #expect(table.fare(route: route, metres: metres) == fare)
    }

    @Test("no line, no fare")
    func none() {
        #expect(FareTable([]).fare(route: nil, metres: 1) == nil)
        #expect(FareTable(["R7: 1km=5"]).fare(route: "R8", metres: 1) == nil)
    }

    @Test(
        "what is no line of fares",
        arguments: [
            "", "R7", "R7:", "R7: ", "R7: 5", "R7: 5km", "R7: 5km=", "R7: 5km=x", "R7: 5=3", "R7: 5km=3 4km=2",
            "R7: 5km=-3", "R 7: 5km=3", "ü: 5km=3", "R7: 0km=3", "R7:5km=3",
        ])
    func malformed(text: String) {
        #expect(FareTable.Line(text) == nil)
    }
}
