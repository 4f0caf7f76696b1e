import Domain
import Testing

@testable import GTFS

/// Ids of a feed have no end.
@Suite struct LongIDsTests {
    private func id(_ name: String) -> String { String(repeating: "agency-", count: 42) + name }

    /// Lines, stops, trips, days and a shape, all with ids of 300 bytes that begin alike.
    private func feed(_ names: [String]) -> SmallFeed {
        func rows(_ row: (String) -> String) -> String { names.map { row($0) + "\n" }.joined() }
        return SmallFeed()
            .with("agency.txt", "agency_id,agency_timezone\n\(id("A")),Europe/Berlin\n")
            .with("stops.txt", "stop_id,stop_name,stop_lat,stop_lon\n\(id("a")),A,52,13\n\(id("b")),B,52,13.01\n")
            .with("routes.txt", "route_id,agency_id,route_type\n" + rows { "\(id($0)),\(id("A")),3" })
            .with(
                "calendar.txt",
                "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\n"
                    + rows { "\(id($0)),1,1,1,1,1,1,1,20260101,20261231" }
            )
            .with(
                "trips.txt",
                "route_id,service_id,trip_id,shape_id\n" + rows { "\(id($0)),\(id($0)),\(id($0)),\(id("s"))" }
            )
            .with(
                "shapes.txt",
                "shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence\n\(id("s")),52,13,1\n\(id("s")),52,13.01,2\n"
            )
            .with(
                "stop_times.txt",
                SmallFeed.head
                    + rows { "\(id($0)),8:00:00,8:00:00,\(id("a")),1\n\(id($0)),8:10:00,8:10:00,\(id("b")),2" })
    }

    @Test("Nothing is left out for a long id; the one here can be named in a command, and the feed's is kept")
    func taken() throws {
        let names = ["x", "y", "z"]
        let (catalog, report) = try feed(names).read()
        #expect(report.count(.skipped) == 0 && catalog.lines.count == 3 && catalog.stops.count == 2)
        #expect(Set(catalog.lines.values.map(\.feedID)) == Set(names.map(id)))
        for (line, value) in catalog.lines {
            #expect(Catalog.isID(line) && Catalog.isText(value.name) && value.trips.count == 1)
            #expect(value.trips[0].feedID == value.feedID && value.trips[0].id.utf8.count == 64)
            #expect(value.trips[0].service == value.feedID && catalog.services[value.trips[0].service] != nil)
            let written = try Written.read(value)
            #expect(written == value)
        }
        #expect(catalog.stops.values.allSatisfy { $0.id.utf8.count == 64 && $0.feedID?.utf8.count == 295 })
    }

    @Test("The ids here are the same after the next import, whatever came or went, and in whatever order")
    func same() throws {
        func ids(_ names: [String]) throws -> [String?: String] {
            let lines = try feed(names).read().catalog.lines.values
            return Dictionary(uniqueKeysWithValues: lines.map { ($0.feedID, $0.id + " " + $0.trips[0].id) })
        }
        let before = try ids(["x", "y", "z"])
        let after = try ids(["z", "w", "x"])
        #expect(before[id("x")] == after[id("x")] && before[id("z")] == after[id("z")])
        #expect(Set(before.values).count == 3)
    }

    @Test("Many ids that become the same text are told apart in a time that grows as they do")
    func alike() {
        var ids = FeedIDs.visible
        var asked = 0
        var all: Set<String> = []
        for number in 0..<20_000 {
            // As many characters, none of which can be in an id here.
            let letters = String(number, radix: 5).map { ["ä", "ö", "ü", "ß", "é"][$0.wholeNumberValue ?? 0] }
            let id = String(repeating: "ä", count: 8 - letters.count) + letters.joined()
            all.insert(
                ids.usable(id) { _ in
                    asked += 1
                    return false
                })
        }
        #expect(all.count == 20_000 && asked < 50_000, "\(asked)")
    }
}
