import Domain
import Testing

/// Zones of real cities, against points whose zone was computed by another library.
struct RealZonesTests {
    private static let milano = "zones-milano-nil/nil.geojson"
    private static let sanFrancisco = "zones-sf/sf_planning_neighborhoods_37.geojson"
    private static let finer = "zones-sf/sffind_neighborhoods_117.geojson"

    private static let rome = "taxi-rome-sample/rome_rioni.geojson"

    private func mismatches(_ zones: ZoneSet, _ path: String) throws -> [String] {
        var wrong: [String] = []
        let rows = try TestData.rows(path)
        #expect(rows.count == 2000)
        for row in rows {
            let point = GeoPoint(lat: try #require(Double(row[0])), lon: try #require(Double(row[1])))
            let found: String
            switch zones.lookup(point) {
            case .zone(let index): found = zones.zones[index].id
            case .outside: found = ""
            case .unknown: found = "unknown"
            }
            if found != row[2] { wrong.append("\(row): \(found)") }
        }
        return wrong
    }

    @Test(
        "Q1: Milano's 88 zones are sound, and 2,000 points lie where they should",
        .enabled(if: TestData.exists(milano), "no zones-milano-nil in the test data"))
    func milanoPoints() throws {
        let zones = try ZoneSet(geoJSON: TestData.bytes(Self.milano))
        #expect(zones.zones.count == 88)
        #expect(zones.repairs.isEmpty)
        #expect(abs(zones.bounds.west - 9.0406) < 1e-4 && abs(zones.bounds.north - 45.5359) < 1e-4)
        #expect(zones.index(ofID: "1").map { zones.zones[$0].name } == "DUOMO")
        let total = zones.zones.reduce(0) { $0 + $1.area } / 1e6
        // On the mean sphere; on the ellipsoid, as published, 181.9.
        #expect(abs(total - 181.5) < 0.1)
        #expect(try mismatches(zones, "zones-milano-nil/points_expected.csv") == [])
    }

    @Test(
        "San Francisco's 37 zones are refused for rings that cross themselves, each named",
        .enabled(if: TestData.exists(sanFrancisco), "no zones-sf in the test data"))
    func sanFranciscoIsRefused() throws {
        let error = #expect(throws: ZoneSetError.self) {
            try ZoneSet(geoJSON: TestData.bytes(Self.sanFrancisco))
        }
        let problems = try #require(error?.problems)
        #expect(Set(problems.compactMap(\.zone)).count == 3)
        #expect(problems.allSatisfy { $0.kind == .selfIntersection && $0.isRepairable })
    }

    @Test(
        "… and repaired, after which 2,000 points lie where they should",
        .enabled(if: TestData.exists(sanFrancisco), "no zones-sf in the test data"))
    func sanFranciscoRepaired() throws {
        var options = ZoneOptions()
        options.repair = true
        let zones = try ZoneSet(geoJSON: TestData.bytes(Self.sanFrancisco), options: options)
        #expect(zones.zones.count == 37)
        #expect(Set(zones.repairs.map(\.zone)).count == 3)
        let total = zones.zones.reduce(0) { $0 + $1.area } / 1e6
        #expect(abs(total - 122.1) < 0.3)
        #expect(try mismatches(zones, "zones-sf/points_expected_37.csv") == [])
    }

    @Test(
        "San Francisco's 117 finer zones, whose borders don't quite fit, load with slivers given to the first",
        .enabled(if: TestData.exists(finer), "no zones-sf in the test data"))
    func finerZones() throws {
        let zones = try ZoneSet(geoJSON: TestData.bytes(Self.finer))
        #expect(zones.zones.count == 117)
    }

    @Test(
        "Rome's drawn quarters overlap: refused, and mended",
        .enabled(if: TestData.exists(rome), "no taxi-rome-sample in the test data"))
    func romeOverlaps() throws {
        let bytes = try TestData.bytes(Self.rome)
        let error = #expect(throws: ZoneSetError.self) { try ZoneSet(geoJSON: bytes) }
        #expect(error?.problems.map(\.kind) == [.overlap])
        var options = ZoneOptions()
        options.repair = true
        #expect(try ZoneSet(geoJSON: bytes, options: options).repairs.count == 1)
    }
}
