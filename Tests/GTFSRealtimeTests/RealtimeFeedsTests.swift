import SwiftProtobuf
import Testing
import Wire

@testable import Domain
@testable import GTFS
@testable import GTFSRealtime

/// What is published of a tour, held against the feed from which its line came.
@Suite("GTFS-Realtime")
struct RealtimeFeedsTests {
    /// 2026-03-02, 07:00 in Berlin.
    private static let morning: Int64 = 1_772_431_200

    /// A loop that comes by its first stop again, numbered in tens; a run every half hour, and a night bus.
    private static let files = [
        "agency.txt": "agency_name,agency_url,agency_timezone\nA,https://example.org,Europe/Berlin\n",
        "stops.txt": """
        stop_id,stop_name,stop_lat,stop_lon
        Süd 1,Alpha,52.000,13.000
        b,Beta,52.000,13.010
        c,Gamma,52.010,13.010
        """,
        "routes.txt": "route_id,route_short_name,route_long_name,route_type\nLinie 5/ä,5,Ring,3\nplain,6,Plain,3\n",
        "calendar.txt": """
        service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
        d,1,1,1,1,1,1,1,20260101,20261231
        sundays,0,0,0,0,0,0,1,20260101,20261231
        """,
        "trips.txt": """
        route_id,service_id,trip_id
        Linie 5/ä,d,Fahrt 1
        Linie 5/ä,d,often
        Linie 5/ä,d,exact
        plain,sundays,night
        """,
        "frequencies.txt": """
        trip_id,start_time,end_time,headway_secs,exact_times
        often,06:00:00,10:00:00,1800,0
        exact,06:00:00,10:00:00,1800,1
        night,24:30:00,27:00:00,1800,1
        """,
        "stop_times.txt": """
        trip_id,arrival_time,departure_time,stop_id,stop_sequence
        Fahrt 1,7:00:00,7:00:00,Süd 1,10
        Fahrt 1,7:05:00,7:05:00,b,20
        Fahrt 1,7:10:00,7:10:00,c,30
        Fahrt 1,7:15:00,7:15:00,Süd 1,40
        often,0:00:00,0:00:00,b,1
        often,0:05:00,0:05:00,c,2
        exact,0:00:00,0:00:00,b,0
        exact,0:05:00,0:05:00,c,1
        night,0:00:00,0:00:00,b,5
        night,0:05:00,0:05:00,c,7
        """,
    ]

    /// As a worker has it: imported, written to Redis and read from there.
    private func catalog() throws -> Catalog {
        var catalog = try GTFSReader.read(FeedFiles(files: Self.files.mapValues { Array($0.utf8) })).catalog
        for (id, stop) in catalog.stops {
            var json = JSONWriter()
            stop.write(to: &json, lines: nil)
            let read = Stop(try JSONValue(parsing: json.bytes))
            #expect(read == stop)
            catalog.stops[id] = read
        }
        for (id, line) in catalog.lines {
            var json = JSONWriter()
            line.write(to: &json)
            let read = Line(try JSONValue(parsing: json.bytes))
            #expect(read == line, "nothing is lost on the way")
            catalog.lines[id] = read
        }
        return catalog
    }

    /// The feeds of one tour on a trip, `base` being what the trip's times count from, at a minute behind its start.
    private func feeds(
        _ trip: String, base: Int64, arrivals: [Int] = [], off: Bool = false, pattern: String? = nil
    ) throws -> (
        position: TransitRealtime_VehiclePosition, update: TransitRealtime_TripUpdate?, alert: TransitRealtime_Alert?
    ) {
        let catalog = try catalog()
        func isMeant(_ run: LineTrip) -> Bool { (run.feedID ?? run.id) == trip }
        let line = try #require(catalog.lines.values.first { $0.trips.contains(where: isMeant) })
        let run = try #require(line.trips.first(where: isMeant))
        let way = line.patterns[run.pattern]
        let now = (base + Int64(run.times[0].departure) + 60) * 1000
        let tour = RunningTour(
            id: "t_1", bus: "B7", line: line.id, pattern: pattern ?? way.id, trip: run.id, base: base, lat: 52, lon: 13,
            at: now - 5000, nextStop: .init(index: 1, id: way.stops[1].stop), seats: 8, isOffRoute: off,
            arrivals: arrivals.map { .init(index: $0, stop: way.stops[$0].stop, at: now + Int64($0) * 60_000) })
        let time = try #require(CityTime(zone: catalog.timeZone))
        let feeds = RealtimeFeeds([tour], catalog: catalog, time: time, now: now)
        func entity(_ bytes: [UInt8]) throws -> TransitRealtime_FeedEntity? {
            try TransitRealtime_FeedMessage(serializedBytes: bytes).entity.first
        }
        let position = try entity(feeds.vehiclePositions)
        return (
            try #require(position).vehicle, try entity(feeds.tripUpdates)?.tripUpdate,
            try entity(feeds.alerts)?.alert
        )
    }

    private static let midnight = morning - 7 * 3600

    @Test("a loop: a stop that comes twice is predicted twice, each visit by the feed's own number")
    func loop() throws {
        let (position, update, _) = try feeds("Fahrt 1", base: Self.midnight, arrivals: [1, 2, 3])
        let stops = try #require(update).stopTimeUpdate
        #expect(stops.map(\.stopID) == ["b", "c", "Süd 1"] && stops.map(\.stopSequence) == [20, 30, 40])
        #expect(zip(stops, stops.dropFirst()).allSatisfy { $0.arrival.time < $1.arrival.time })
        #expect(position.currentStopSequence == 20 && position.stopID == "b")
        let whole = try feeds("Fahrt 1", base: Self.midnight, arrivals: [0, 1, 2, 3]).update
        #expect(whole?.stopTimeUpdate.map(\.stopSequence) == [10, 20, 30, 40])
        #expect(whole?.stopTimeUpdate.filter { $0.stopID == "Süd 1" }.count == 2)
    }

    @Test("ids are those of the feed, also where the import had to change them")
    func ids() throws {
        let (position, update, alert) = try feeds("Fahrt 1", base: Self.midnight, arrivals: [3], off: true)
        for trip in [position.trip, try #require(update).trip, try #require(alert).informedEntity[0].trip] {
            #expect(trip.routeID == "Linie 5/ä" && trip.tripID == "Fahrt 1" && trip.startDate == "20260302")
            #expect(trip.scheduleRelationship == .scheduled && !trip.hasStartTime)
        }
        #expect(alert?.informedEntity[0].routeID == "Linie 5/ä")
        #expect(update?.stopTimeUpdate.map(\.stopID) == ["Süd 1"])
        let catalog = try catalog()
        #expect(catalog.lines["Linie_5___"]?.feedID == "Linie 5/ä")
        #expect(catalog.lines["plain"]?.feedID == nil)
        #expect(catalog.lines["Linie_5___"]?.trips.first { $0.feedID != nil }?.id == "Fahrt_1")
        #expect(catalog.stops["S__d_1"]?.feedID == "Süd 1" && catalog.stops["b"]?.feedID == nil)
    }

    @Test("a run by frequency says when it began; one that only runs about so often is not of the schedule")
    func frequencies() throws {
        let half: Int64 = 1800
        let (often, update, _) = try feeds("often", base: Self.morning + half, arrivals: [1])
        #expect(often.trip.startTime == "07:30:00" && often.trip.startDate == "20260302")
        #expect(often.trip.scheduleRelationship == .unscheduled)
        #expect(update?.stopTimeUpdate.map(\.scheduleRelationship) == [.unscheduled])
        #expect(update?.stopTimeUpdate.map(\.stopSequence) == [2])
        let exact = try feeds("exact", base: Self.morning, arrivals: [1])
        #expect(exact.position.trip.startTime == "07:00:00")
        #expect(exact.position.trip.scheduleRelationship == .scheduled)
        #expect(exact.update?.stopTimeUpdate.map(\.stopSequence) == [1], "numbered from 0")
    }

    @Test("a run after midnight is of the day before, and its time says so")
    func night() throws {
        // Sunday's last buses, on Monday at 1:00.
        let position = try feeds("night", base: Self.midnight + 3600).position
        #expect(position.trip.startDate == "20260301" && position.trip.startTime == "25:00:00")
        #expect(position.currentStopSequence == 7)
    }

    @Test("a way that the catalog has no more gets no predictions, as nobody knows its numbers")
    func gone() throws {
        let (position, update, _) = try feeds("Fahrt 1", base: Self.midnight, arrivals: [1, 2], pattern: "gone")
        #expect(update == nil && !position.hasCurrentStopSequence && position.trip.tripID == "Fahrt 1")
    }
}
