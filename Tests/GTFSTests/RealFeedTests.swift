import Domain
import Foundation
import Testing

@testable import GTFS

/// The real feeds that tests run against, beside the package. Tests that need them are skipped where they aren't there.
enum RealFeeds {
    static let root: String =
        ProcessInfo.processInfo.environment["KERBSIDE_TEST_DATA"]
        ?? URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared/data").path

    static var areThere: Bool { FileManager.default.fileExists(atPath: root + "/gtfs-community") }

    static func read(_ path: String) throws -> (catalog: Catalog, report: FeedReport) {
        try GTFSReader.read(try FeedFiles(path: root + "/" + path))
    }
}

@Suite(.enabled(if: RealFeeds.areThere, "the recorded data is not there"))
struct RealFeedTests {
    /// What must hold of any catalog that is handed on.
    private func check(_ catalog: Catalog) {
        for line in catalog.lines.values {
            #expect(!line.name.isEmpty)
            for pattern in line.patterns {
                #expect(pattern.stops.count >= 2 && pattern.shape.count >= 2)
                #expect(zip(pattern.stops, pattern.stops.dropFirst()).allSatisfy { $0.distance <= $1.distance })
                let length = StopAlignment.lengths(pattern.shape).last ?? 0
                #expect(pattern.stops.allSatisfy { $0.distance >= 0 && $0.distance <= length + 0.1 })
                #expect(pattern.stops.allSatisfy { catalog.stops[$0.stop] != nil })
            }
            #expect(Set(line.patterns.map(\.id)).count == line.patterns.count)
            for trip in line.trips {
                #expect(trip.times.count == line.patterns[trip.pattern].stops.count)
                #expect(trip.times.allSatisfy { $0.arrival <= $0.departure })
                #expect(zip(trip.times, trip.times.dropFirst()).allSatisfy { $0.departure <= $1.arrival })
                #expect(catalog.services[trip.service] != nil)
            }
            for run in line.onDemand { #expect(catalog.services[run.service] != nil) }
        }
    }

    @Test("B1 Nairobi's minibuses are imported whole, but for the route that has no trips")
    func nairobi() throws {
        let (catalog, report) = try RealFeeds.read("gtfs-community/nairobi_matatus_2014.zip")
        check(catalog)
        #expect(catalog.lines.count == 117)
        #expect(catalog.lines.values.map(\.trips.count).reduce(0, +) == 236)
        #expect(catalog.timeZone == "Africa/Nairobi")
        #expect(report.count(.skipped) == 1)
        let line = try #require(catalog.lines["80000002311"])
        #expect(line.name == "23" && line.longName == "Kangemi")
        // Both ways take one shape of 21.6 km that goes out and comes back: each its own half of it.
        let ways = try Dictionary(
            uniqueKeysWithValues: line.patterns.map { pattern in
                (pattern.headsign, (first: try #require(pattern.stops.first), last: try #require(pattern.stops.last)))
            })
        let out = try #require(ways["Town-Kangemi"])
        let back = try #require(ways["Kangemi-Town"])
        #expect(out.first.distance < 200 && abs(out.last.distance - 10_854) < 100)
        #expect(abs(back.first.distance - 10_854) < 100 && back.last.distance > 21_500)
    }

    @Test("B1 Washington's three lines with 4,167 trips: every stop within 100 m of its place on the shape")
    func washington() throws {
        let (catalog, report) = try RealFeeds.read("gtfs-rt-wmata/wmata_3routes_gtfs.zip")
        check(catalog)
        #expect(report.count(.skipped) == 0 && report.count(.mended) == 0)
        #expect(catalog.lines.keys.sorted() == ["C53", "D40", "D96"])
        #expect(catalog.lines.values.map(\.trips.count).reduce(0, +) == 4_167)
        #expect(catalog.lines.values.map(\.patterns.count).reduce(0, +) == 15)
        // 2026-02-16 is a holiday: 462 trips run, of one service alone.
        let date = try #require(ServiceDate("20260216"))
        let running = catalog.services.filter { $0.value.runs(on: date) }.map(\.key)
        #expect(running == ["4"])
        #expect(catalog.lines.values.flatMap(\.trips).filter { $0.service == "4" }.count == 462)
    }

    @Test("B1 A campus shuttle by headway: its times count from each run's start")
    func frequencies() throws {
        let (catalog, _) = try RealFeeds.read("gtfs-community/usf_bullrunner.zip")
        check(catalog)
        let line = try #require(catalog.lines["A"])
        let trip = try #require(line.trips.first { $0.id == "1" })
        #expect(trip.times[0].arrival == 0 && trip.times[1].arrival == 64)
        // The column is called " exact_times" there.
        #expect(
            trip.frequencies == [
                Frequency(headwaySeconds: 600, startTime: 25_200, endTime: 86_400, isExact: false)
            ])
        #expect(trip.starts.count == 102)
        // A loop: it begins and ends at the same stop, at both ends of the shape.
        let stops = line.patterns[trip.pattern].stops
        let length = StopAlignment.lengths(line.patterns[trip.pattern].shape).last ?? 0
        if stops.first?.stop == stops.last?.stop {
            #expect((stops.first?.distance ?? .infinity) < 100 && (stops.last?.distance ?? 0) > length - 100)
        }
        let (gaston, _) = try RealFeeds.read("gtfs-community/gaston_access_frequencies.zip")
        check(gaston)
        #expect(gaston.lines["130824"]?.trips.first { $0.id == "9922038" }?.frequencies.count == 2)
    }

    @Test("B1 A dial-a-ride of GTFS-Flex: its area, hours, days and how far ahead to book")
    func flex() throws {
        let (catalog, report) = try RealFeeds.read("gtfs-community/taft_flex.zip")
        check(catalog)
        let line = try #require(catalog.lines["18750"])
        #expect(line.kind == .flex && line.trips.isEmpty && line.onDemand.count == 2)
        #expect(line.areas.map(\.id) == ["taft_dial_a_ride_zone"])
        #expect(line.areas[0].polygons[0][0].count > 100)
        let run = try #require(line.onDemand.first { $0.id == "dial_a_ride_saturday_1" })
        #expect(run.places.count == 2)
        #expect(run.places[0].opens == 10 * 3600 + 900 && run.places[0].closes == 14 * 3600 + 1800)
        let rule = line.rules[try #require(run.places[0].rule)]
        #expect(rule.kind == .sameDay && rule.noticeMinutes == 120 && rule.phone == "(661) 763-3822")
        // The feed forbids alighting in every row of it.
        #expect(run.places.allSatisfy { $0.canBoard && $0.canAlight })
        #expect(report.lines.contains { $0.hasPrefix("mended: stop_times.txt:57: trip dial_a_ride_weekday_1") })
        #expect(catalog.lines["18749"]?.trips.count == 5)
    }

    @Test("B1 Rural buses, and a railway that is none: refused with its reason")
    func others() throws {
        let (catalog, report) = try RealFeeds.read("gtfs-community/fresno_county_rural.zip")
        check(catalog)
        #expect(catalog.lines.count == 7 && report.count(.skipped) == 0)
        #expect(catalog.lines.values.allSatisfy { $0.name == $0.longName }, "none has a short name there")
        #expect {
            _ = try RealFeeds.read("gtfs-rt-samples/ct.zip")
        } throws: { error in
            "\(error)".contains("route L6 is no bus: route_type 2")
        }
    }

    @Test(
        "B1 A catalog is the same after it was written and read",
        arguments: [
            "gtfs-community/nairobi_matatus_2014.zip", "gtfs-community/taft_flex.zip",
            "gtfs-community/usf_bullrunner.zip", "gtfs-community/gaston_access_frequencies.zip",
        ])
    func roundTrip(_ path: String) throws {
        let catalog = try RealFeeds.read(path).catalog
        for line in catalog.lines.values { #expect(try Written.read(line) == line) }
        for stop in catalog.stops.values { #expect(try Written.read(stop) == stop) }
        for service in catalog.services.values { #expect(try Written.read(service) == service) }
        // The same feed gives the same pages, whatever order hashing has today.
        let again = try RealFeeds.read(path).catalog
        for list in CatalogList.allCases {
            #expect(CatalogPages(catalog).list(list) == CatalogPages(again).list(list))
        }
    }
}
