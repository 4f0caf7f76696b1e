import Domain
import Foundation
import Testing

@testable import GTFS

/// A small feed in memory, changed file by file.
struct SmallFeed {
    var files: [String: String] = [
        "agency.txt": "agency_name,agency_url,agency_timezone\nA,https://example.org,Europe/Berlin\n",
        "stops.txt": """
        stop_id,stop_name,stop_lat,stop_lon
        a,Alpha,52.000,13.000
        b,Beta,52.000,13.010
        c,Gamma,52.000,13.020
        """,
        "routes.txt": "route_id,route_short_name,route_long_name,route_type\nL,1,Long,3\n",
        "calendar.txt": """
        service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
        d,1,1,1,1,1,1,1,20260101,20261231
        """,
        "trips.txt": "route_id,service_id,trip_id,shape_id\nL,d,t,\n",
        "stop_times.txt": """
        trip_id,arrival_time,departure_time,stop_id,stop_sequence
        t,8:00:00,8:00:00,a,1
        t,08:05:00,08:06:00,b,2
        t,08:10:00,08:10:00,c,3
        """,
    ]

    /// Puts `text` in the place of a file; nil takes it out.
    func with(_ name: String, _ text: String?) -> SmallFeed {
        var changed = self
        changed.files[name] = text
        return changed
    }

    func read(_ options: FeedOptions = FeedOptions()) throws(FeedRefusal) -> (catalog: Catalog, report: FeedReport) {
        try GTFSReader.read(FeedFiles(files: files.mapValues { Array($0.utf8) }), options: options)
    }

    /// Everything left out is allowed.
    func readAll() throws(FeedRefusal) -> (catalog: Catalog, report: FeedReport) {
        var options = FeedOptions()
        options.limits.maxSkippedShare = 1
        return try read(options)
    }

    func refusal() -> String {
        do {
            _ = try read()
            return "was taken"
        } catch {
            return error.description
        }
    }

    static let head = "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n"
    /// The trip t as it is, for feeds that add to it.
    static let calls = head + "t,8:00:00,8:00:00,a,1\nt,8:05:00,8:06:00,b,2\nt,8:10:00,8:10:00,c,3\n"
}

@Suite struct FeedTests {
    private let feed = SmallFeed()

    @Test("ids of stops and trips that can be none here become others, each its own; the feed's are kept")
    func ids() throws {
        let stops =
            "stop_id,stop_name,stop_lat,stop_lon\na b,Alpha,52,13\na_b,Beta,52,13.01\n"
            + String(repeating: "c", count: 70)
            + ",Gamma,52,13.02\n"
        let long = String(repeating: "c", count: 70)
        let (catalog, report) = try SmallFeed().with("stops.txt", stops)
            .with("trips.txt", "route_id,service_id,trip_id\nL,d,t ä\nL,d,t___\n")
            .with(
                "stop_times.txt",
                SmallFeed.head
                    + "t ä,8:00:00,8:00:00,a b,1\nt ä,8:10:00,8:10:00,\(long),2\nt___,9:00:00,9:00:00,a_b,1\n"
                    + "t___,9:10:00,9:10:00,a b,2\n"
            ).read()
        let cut = String(repeating: "c", count: 51) + "_1276f12a5857"
        #expect(Set(catalog.stops.keys) == ["a_b", "a_b_2", cut])
        #expect(
            catalog.stops["a_b"]?.feedID == "a b" && catalog.stops["a_b_2"]?.feedID == "a_b", "the first comes first")
        #expect(catalog.stops[cut]?.feedID == long)
        let trips = try #require(catalog.lines["L"]).trips
        #expect(trips.map(\.id) == ["t___", "t____2"] && trips.map(\.feedID) == ["t ä", "t___"])
        let line = try #require(catalog.lines["L"])
        #expect(line.patterns[trips[1].pattern].stops.map(\.stop) == ["a_b_2", "a_b"])
        #expect(report.findings.filter { $0.kind.hasSuffix("id here") }.count == 5)
    }

    @Test("B1 A feed becomes lines, ways, trips, stops and days")
    func small() throws {
        let (catalog, report) = try feed.read()
        let line = try #require(catalog.lines["L"])
        #expect(line.name == "1" && line.longName == "Long" && line.kind == .bus)
        #expect(line.patterns.count == 1 && line.patterns[0].shape.count == 3)
        #expect(line.patterns[0].stops.map(\.stop) == ["a", "b", "c"])
        #expect(line.patterns[0].stops[1].distance.rounded() == 685)
        #expect(line.trips[0].times[1] == StopTime(arrival: 29_100, departure: 29_160))
        #expect(catalog.services["d"]?.weekdays == 0x7f)
        #expect(catalog.stops.keys.sorted() == ["a", "b", "c"])
        #expect(report.count(.skipped) + report.count(.mended) == 0)
    }

    @Test(
        "B1 Any form of text that archivers and tables make of it is read",
        arguments: [
            "\u{FEFF}trip_id,arrival_time,departure_time,stop_id,stop_sequence\nt,8:00:00,8:00:00,a,1\nt,8:10:00,8:10:00,c,2",
            "trip_id, arrival_time ,departure_time,stop_id,stop_sequence\r\n t ,8:00:00, 8:00:00,a,1\r\n\r\nt,8:10:00,8:10:00,c,2\r\n",
            "\"trip_id\",\"arrival_time\",\"departure_time\",\"stop_id\",\"stop_sequence\"\n\"t\",\"8:00:00\",\"8:00:00\",\"a\",\"1\"\n\"t\",\"8:10:00\",\"8:10:00\",\"c\",\"2\"\n",
            "stop_sequence,note,stop_id,trip_id,departure_time\n1,\"x, \"\"y\"\"\nz\",a,t,8:00:00\n2,,c,t,8:10:00\n",
            "trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type\rt,8:00:00,8:00:00,a,1\rt,8:10:00,8:10:00,c,2\r",
        ])
    func forms(_ text: String) throws {
        let catalog = try feed.with("stop_times.txt", text).read().catalog
        #expect(catalog.lines["L"]?.trips.first?.times.map(\.departure) == [28_800, 29_400])
    }

    @Test("A line of a report is the file's own, also after a field with line ends in it")
    func lines() throws {
        let text =
            "stop_id,stop_name,stop_lat,stop_lon\na,\"Al\npha\n\",52,13\nb,Beta,52,13.01\nc,Gamma,52,13.02\nq,Q,north,13\n"
        let report = try feed.with("stops.txt", text).read().report
        #expect(report.lines.contains("skipped: stops.txt:7: stop q has no place: stop_lat \"north\", stop_lon \"13\""))
    }

    @Test(
        "B1 What can't be right costs its own trip and no other, and is said with its line",
        arguments: [
            ("u,8:00:00,8:00:00,a,1\n", "stop_times.txt:5: trip u is left out: it has one stop only"),
            ("", "trips.txt:3: trip u is left out: stop_times.txt has no stops for it"),
            (
                "u,8:00:00,8:00:00,a,1\nu,8:1:00,8:10:00,b,2\n",
                "stop_times.txt:6: trip u is left out: \"8:1:00\" is no time"
            ),
            (
                "u,8:00:00,8:00:00,a,1\nu,8:10:00,8:10:00,x,2\n",
                "stop_times.txt:6: trip u is left out: its stop \"x\" is not in"
            ),
            (
                "u,8:00:00,8:00:00,a,1\nu,7:10:00,7:10:00,b,2\n",
                "stop_times.txt:6: trip u is left out: it arrives before it left"
            ),
            (
                "u,8:00:00,8:00:00,a,1\nu,8:10:00,8:09:00,b,2\n",
                "stop_times.txt:6: trip u is left out: it departs before it arrives"
            ),
            (
                "u,8:00:00,8:00:00,a,1\nu,8:10:00,8:10:00,b,1\n",
                "stop_times.txt:6: trip u is left out: stop_sequence 1 comes twice"
            ),
            (
                "u,8:00:00,8:00:00,a,1\nu,,,b,2\n",
                "stop_times.txt:6: trip u is left out: a time is missing at its first or last stop"
            ),
            (
                "u,8:00:00,8:00:00,a,one\nu,8:10:00,8:10:00,b,2\n",
                "stop_times.txt:5: trip u is left out: stop_sequence \"one\" is no whole"
            ),
        ])
    func skipped(_ rows: String, _ reason: String) throws {
        let changed = feed.with("stop_times.txt", SmallFeed.calls + rows)
            .with("trips.txt", "route_id,service_id,trip_id\nL,d,t\nL,d,u\n")
        let (catalog, report) = try changed.readAll()
        #expect(catalog.lines["L"]?.trips.map(\.id) == ["t"])
        #expect(report.lines.contains { $0.hasPrefix("skipped: " + reason) }, "\(report.lines)")
        #expect(changed.refusal().contains("1 of 2 trips can't be used, more than 10 %; the first reason: " + reason))
    }

    @Test(
        "B1 A feed that lacks what no feed can lack is refused by name",
        arguments: [
            ("agency.txt", nil, "the feed lacks agency.txt"),
            ("stop_times.txt", nil, "the feed lacks stop_times.txt"),
            ("calendar.txt", nil, "the feed lacks calendar.txt (or calendar_dates.txt)"),
            ("stops.txt", "stop_id,stop_lat\na,1\n", "stops.txt:1: the column stop_lon is missing"),
            ("trips.txt", "trip_id\nt\n", "trips.txt:1: the columns route_id, service_id is missing"),
            (
                "calendar.txt", "service_id,start_date,end_date\nd,20260101,20261231\n",
                "calendar.txt:1: the column monday is missing"
            ),
            ("routes.txt", "", "routes.txt is empty"),
            ("routes.txt", "route_id,route_type\nL,1\n", "routes.txt has no bus line"),
            ("agency.txt", "agency_timezone\n", "agency.txt has no row"),
            ("agency.txt", "agency_timezone\n../../etc/passwd\n", "is no time zone"),
            (
                "agency.txt", "agency_timezone\nEurope/Berlin\nEurope/Paris\n",
                "agency.txt:3: agency_timezone is Europe/Paris, but"
            ),
            ("stops.txt", "stop_id,stop_lat,stop_lon\na\u{0},1,1\n", "stops.txt: there are zero bytes"),
            ("locations.geojson", "{\"type\":", "locations.geojson is no JSON"),
            ("locations.geojson", "{}", "locations.geojson is no GeoJSON FeatureCollection"),
        ])
    func refused(_ file: String, _ text: String?, _ reason: String) {
        let said = feed.with(file, text).refusal()
        #expect(said.contains(reason), "\(said)")
    }

    @Test("Text that is not UTF-8 is refused with its line")
    func encoding() {
        var files = feed.files.mapValues { Array($0.utf8) }
        files["stops.txt"] =
            Array("stop_id,stop_name,stop_lat,stop_lon\na,Stra".utf8) + [0xDF] + Array("e,52,13\n".utf8)
        #expect {
            _ = try GTFSReader.read(FeedFiles(files: files))
        } throws: { "\($0)".hasPrefix("stops.txt:2: this is not UTF-8 text") }
    }

    @Test("B1 Days are those of the calendar and its exceptions, or of the exceptions alone")
    func days() throws {
        let dates =
            "service_id,date,exception_type\nd,20260501,2\ne,20260502,1\ne,20260504,1\ne,20260230,1\nd,20260601,3\n"
        let changed = feed.with("calendar_dates.txt", dates)
            .with("trips.txt", "route_id,service_id,trip_id\nL,d,t\nL,e,u\n")
            .with("stop_times.txt", SmallFeed.calls + "u,9:00:00,9:00:00,a,1\nu,9:10:00,9:10:00,c,2\n")
        let (catalog, report) = try changed.read()
        let e = try #require(catalog.services["e"])
        #expect(
            ["20260501", "20260502", "20260503", "20260504"].map { e.runs(on: ServiceDate($0)!) } == [
                false, true, false, true,
            ])
        #expect(catalog.services["d"]?.runs(on: ServiceDate("20260501")!) == false)
        #expect(report.lines.contains { $0.hasPrefix("skipped: calendar_dates.txt:5: service e: date \"20260230\"") })
        #expect(
            report.lines.contains { $0.hasPrefix("skipped: calendar_dates.txt:6: service d: exception_type \"3\"") })
    }

    @Test("B1 Frequencies count from the start of each run; those that are none are left out")
    func frequencies() throws {
        let rows =
            "trip_id,start_time,end_time,headway_secs\nt,6:00:00,7:00:00,900\nt,7:00:00,7:00:00,60\nt,9:00:00,25:00:00,0\nz,6:00:00,7:00:00,900\n"
        let (catalog, report) = try feed.with("frequencies.txt", rows).read()
        let trip = try #require(catalog.lines["L"]?.trips.first)
        #expect(trip.times.map(\.arrival) == [0, 300, 600])
        #expect(trip.starts == [21_600, 22_500, 23_400, 24_300])
        #expect(report.count(.skipped) == 3)
        #expect(
            feed.with("frequencies.txt", "trip_id,start_time,end_time,headway_secs\nt,6:00:00,7:00:00,-1\n").refusal()
                .contains("trip t: from 6:00:00 to 7:00:00 every -1 s is no frequency"))
    }

    @Test("B1 Where a feed knows the metres they are taken, unless they are wrong")
    func distances() throws {
        let shapes = """
            shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence,shape_dist_traveled
            s,52.000,13.020,3,2
            s,52.000,13.000,1,0
            s,52.000,13.010,2,1
            """
        let trips = "route_id,service_id,trip_id,shape_id\nL,d,t,s\n"
        func read(_ distances: [String]) throws -> [Double] {
            let rows = zip(["a", "b", "c"], distances).enumerated()
                .map { "t,8:0\($0.offset):00,8:0\($0.offset):00,\($0.element.0),\($0.offset),\($0.element.1)\n" }
                .joined()
            let calls = "trip_id,arrival_time,departure_time,stop_id,stop_sequence,shape_dist_traveled\n" + rows
            let changed = feed.with("shapes.txt", shapes).with("trips.txt", trips).with("stop_times.txt", calls)
            return try #require(try changed.read().catalog.lines["L"]).patterns[0].stops.map { $0.distance.rounded() }
        }
        #expect(try read(["0", "1.1", "2"]) == [0, 753, 1369])
        #expect(try read(["0", "1.9", "2"]) == [0, 685, 1369], "600 m from the stop: by its place")
        #expect(try read(["", "1", "2"]) == [0, 685, 1369])
        #expect(try read(["2", "1", "0"]) == [0, 685, 1369])
    }

    @Test("A route that is no bus, an id that is none here, a colour that is none: said, and the rest is taken")
    func oddRoutes() throws {
        let routes =
            "route_id,route_short_name,route_type,route_color\nL,1,3,red\nT,T,0,\nL/2 ä,2,1501,abcdef\nL,again,3,\n"
        let changed = feed.with("routes.txt", routes)
            .with("trips.txt", "route_id,service_id,trip_id\nL,d,t\nT,d,v\nL/2 ä,d,u\n")
            .with(
                "stop_times.txt",
                SmallFeed.calls + "u,9:00:00,9:00:00,a,1\nu,9:10:00,9:10:00,c,2\nv,9:00:00,9:00:00,a,1\n")
        let (catalog, report) = try changed.read()
        #expect(catalog.lines.keys.sorted() == ["L", "L_2___"])
        #expect(catalog.lines["L_2___"]?.kind == .minibus && catalog.lines["L_2___"]?.color == "#abcdef")
        #expect(catalog.lines["L"]?.color == nil)
        #expect(report.count(.skipped) == 2 && report.count(.mended) == 2, "\(report.lines)")
    }

    @Test("B1 A ride on request between groups of stops, with a trip that also has fixed stops")
    func groups() throws {
        let calls = """
            trip_id,arrival_time,departure_time,stop_id,location_group_id,stop_sequence,start_pickup_drop_off_window,end_pickup_drop_off_window,pickup_type,drop_off_type,pickup_booking_rule_id
            t,8:00:00,8:00:00,a,,1,,,,,
            t,8:10:00,8:10:00,c,,3,,,,,
            t,,,,g,2,08:00:00,08:10:00,1,3,r
            """
        let changed = feed.with("stop_times.txt", calls)
            .with("location_groups.txt", "location_group_id,location_group_name\ng,Group\n")
            .with("location_group_stops.txt", "location_group_id,stop_id\ng,b\ng,zz\n")
            .with(
                "booking_rules.txt",
                """
                booking_rule_id,booking_type,prior_notice_last_day,prior_notice_last_time,prior_notice_start_day,\
                prior_notice_start_time,prior_notice_duration_max
                r,2,1,17:00:00,14,8:00:00,
                """)
        let (catalog, report) = try changed.read()
        let line = try #require(catalog.lines["L"])
        #expect(line.kind == .bus && line.trips.count == 1 && line.trips[0].times.count == 2)
        let place = try #require(line.onDemand.first?.places.first)
        #expect(place.stops == ["b"] && !place.canBoard && place.canAlight && place.area == nil)
        let rule = line.rules[try #require(place.rule)]
        #expect(rule.kind == .priorDay && rule.lastDay == 1 && rule.lastTime == 61_200)
        #expect(rule.firstDay == 14 && rule.firstTime == 28_800 && rule.longestNoticeMinutes == nil)
        #expect(catalog.stops["b"] != nil)
        #expect(report.count(.skipped) == 1)
    }

    @Test("Of many findings of a kind the first are told, and the rest is counted")
    func manyFindings() throws {
        let stops = (0..<100).map { "q\($0),Q,x,y\n" }.joined()
        let report = try feed.with("stops.txt", (feed.files["stops.txt"] ?? "") + "\n" + stops).read().report
        #expect(report.count(.skipped) == 100)
        #expect(report.lines.filter { $0.hasPrefix("skipped: stops.txt:") }.count == 5)
        #expect(report.lines.contains("skipped: … and 95 more like the last"))
    }

    @Test("No feed brings the reader down, however its bytes are mixed")
    func mixedBytes() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<400 {
            var files = feed.files.mapValues { Array($0.utf8) }
            for name in files.keys {
                guard var bytes = files[name], Bool.random(using: &random) else { continue }
                for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                    let place = bytes.indices.randomElement(using: &random)!
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: bytes[place] = Array(",\"\n\r: 9-é".utf8).randomElement(using: &random)!
                    case 1: bytes.remove(at: place)
                    case 2: bytes.insert(contentsOf: bytes[place...].prefix(30), at: place)
                    default: bytes.removeSubrange(place...)
                    }
                }
                files[name] = bytes
            }
            if let (catalog, _) = try? GTFSReader.read(FeedFiles(files: files)) {
                for line in catalog.lines.values { #expect((try? Written.read(line)) == line) }
            }
        }
    }

    @Test("B1: a feed that has run out is said to")
    func isOver() throws {
        var options = FeedOptions()
        for (today, isOver) in [("2026-12-31", false), ("2027-01-01", true)] {
            options.today = ServiceDate(today)
            let report = try SmallFeed().read(options).report
            #expect(report.lines.contains { $0.contains("2026-12-31") && $0.contains("is over") == isOver })
        }
    }

    @Test(
        "N1: names that are too long for every client to be told are cut; ids are taken, and cut where people read them"
    )
    func texts() throws {
        let long = String(repeating: "ü", count: 100_000)
        let stops = """
            stop_id,stop_name,stop_lat,stop_lon
            a,Al\u{85}pha,52.000,13.000
            b,\(long),52.000,13.010
            c,Gamma,52.000,13.020
            \(long),,52.000,13.030
            """
        let (catalog, report) = try SmallFeed().with("stops.txt", stops)
            .with("stop_times.txt", SmallFeed.calls + "t,8:20:00,8:20:00,\(long),4\n").read()
        #expect(catalog.stops["a"]?.name == "Al pha")
        #expect(catalog.stops["b"]?.name == String(repeating: "ü", count: 127))
        let cut = try #require(catalog.stops.values.first { $0.feedID == long })
        #expect(cut.id.utf8.count == 64 && cut.name == String(repeating: "ü", count: 127))
        #expect(report.lines.allSatisfy { $0.utf8.count < 800 } && report.count(.mended) >= 2)
        #expect(report.count(.skipped) == 0)
    }
}
