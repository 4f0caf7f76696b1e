import Domain
import Testing

@testable import Replay

@Suite struct TraceReaderTests {
    func failure(_ text: String, format: TraceFormat? = nil) -> TraceError? {
        do throws(TraceError) {
            _ = try Trace.read(Array(text.utf8), format: format)
            return nil
        } catch {
            return error
        }
    }

    @Test func plainCSVInAnyOrderOfColumnsAndRows() throws {
        let text = """
            Vehicle,time,speed,lon,lat,occupied,shoe
            b,2014-02-01T00:00:10+01:00,3.5,9.2,45.5,1,42
            a,1391209205,,9.1,45.4,0,
            a,1391209200000,,9.0,45.3,,
            """
        let trace = try Trace.read(Array(text.utf8))
        #expect(trace.vehicles.map(\.name) == ["a", "b"])
        #expect(trace.utcOffsetMinutes == 60)
        #expect(
            trace.vehicles[0].fixes == [
                TraceFix(timeMs: 1_391_209_200_000, place: point(45.3, 9.0)),
                TraceFix(timeMs: 1_391_209_205_000, place: point(45.4, 9.1), occupied: false),
            ])
        #expect(
            trace.vehicles[1].fixes == [
                TraceFix(timeMs: 1_391_209_210_000, place: point(45.5, 9.2), occupied: true, speed: 3.5)
            ])
    }

    @Test("a name with a comma, a quote or a line break is one field")
    func quotedNames() throws {
        let text = "time,\"vehicle\",lat,lon\n1391209200,\"Taxi \"\"7\"\", Milano\",45,9\n1391209201,\"a\nb\",45,9\n"
        let trace = try Trace.read(Array(text.utf8))
        #expect(trace.vehicles.map(\.name) == ["Taxi \"7\", Milano", "a\nb"])
        #expect(failure(text + "x,c,45,9")?.line == 5)
    }

    @Test(arguments: [
        ("time,vehicle,lat,lon\r\n1391209200,a,91,9", 2, "latitude"),
        ("time,vehicle,lat,lon\n1391209200,a,45,9\n1391209201,a,45,x", 3, "longitude"),
        ("time,vehicle,lat,lon\n\nyesterday,a,45,9", 3, "time"),
        ("time,vehicle,lat,lon,speed\n1391209200,a,45,9,fast", 2, "speed"),
        ("time,vehicle,lat,lon\n1391209200,a,45", 2, "fields"),
        ("time,vehicle,lat,lon\n1391209200,,45,9", 2, "no name"),
        ("time,vehicle,lat,lon\n", 0, "no fixes"),
        ("when,who\n1,2", 1, "known forms"),
        ("156;2014-02-01 00:00:00+01;POINT(41.8 12.4)\n156;2014-02-01 00:00:05+01;POINT(41.8)", 2, "POINT"),
        ("156;2014-02-31x;POINT(41.8 12.4)", 1, "ISO 8601"),
        ("<gpx><trk><trkseg>\n<trkpt lat='1' lon='2'></trkpt></trkseg></trk></gpx>", 2, "no <time>"),
        ("<gpx>\n<trk>\n</gpx>", 3, "closes what is not open"),
        ("<gpx><trk>", 1, "ends inside <trk>"),
        ("<kml></kml>", 1, "known forms"),
    ])
    func aWrongFileIsRefusedWithTheLine(_ text: String, _ line: Int, _ word: String) {
        let error = failure(text)
        #expect(error?.line == line)
        #expect(error?.message.contains(word) == true, "\(error?.message ?? "read without an error")")
    }

    @Test func gpxTracksAreVehicles() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- a <comment> -->
            <gpx version="1.1" xmlns:x="urn:x"><metadata><name>all</name><time>2014-01-01T00:00:00Z</time></metadata>
            <trk><name>Taxi &amp; Co &#x31;</name><trkseg>
              <trkpt lat="45.1" lon="9.1"><ele>120</ele><time>2014-02-01T00:00:00Z</time><x:speed>4.5</x:speed></trkpt>
              <trkpt lon='9.2' lat='45.2'><time> 2014-02-01T00:01:00.5Z </time><course>90</course></trkpt>
            </trkseg><trkseg><trkpt lat="45.3" lon="9.3"><time>2014-02-01T00:02:00Z</time></trkpt></trkseg></trk>
            <trk><name><![CDATA[Taxi & Co 1]]></name><trkseg><trkpt lat="1" lon="2"><time>2014-02-01T00:00:00Z</time>
            </trkpt></trkseg></trk><trk/></gpx>
            """
        let trace = try Trace.read(Array(text.utf8))
        #expect(trace.vehicles.map(\.name) == ["Taxi & Co 1", "Taxi & Co 1-2"])
        #expect(
            trace.vehicles[0].fixes == [
                TraceFix(timeMs: 1_391_212_800_000, place: point(45.1, 9.1), speed: 4.5),
                TraceFix(timeMs: 1_391_212_860_500, place: point(45.2, 9.2), heading: 90),
                TraceFix(timeMs: 1_391_212_920_000, place: point(45.3, 9.3)),
            ])
    }

    @Test(.enabled(if: hasTestData, noData)) func sanFrancisco() throws {
        let bytes = try #require(testData(cabspotting))
        #expect(TraceFormat.detect(bytes) == .cabspotting)
        let trace = try Trace.read(bytes)
        #expect(trace.vehicles.count == 241)
        #expect(trace.vehicles.map(\.fixes.count).reduce(0, +) == 221_375)
        #expect(
            trace.vehicles.allSatisfy { vehicle in
                zip(vehicle.fixes, vehicle.fixes.dropFirst()).allSatisfy { $0.timeMs < $1.timeMs }
            })
    }

    @Test(.enabled(if: hasTestData, noData)) func romeHasTheLatitudeFirstAndItsOwnOffset() throws {
        let bytes = try #require(testData(rome))
        #expect(TraceFormat.detect(bytes) == .rome)
        let trace = try Trace.read(bytes)
        #expect(trace.utcOffsetMinutes == 60)
        #expect((401...463).contains(trace.vehicles.map(\.fixes.count).reduce(0, +)))
        let first = try #require(trace.vehicles.first { $0.name == "156" }?.fixes.first)
        #expect(first == TraceFix(timeMs: 1_391_209_200_739, place: point(41.8836718276551, 12.4877775603346)))
    }

    @Test(
        arguments: [
            ("1391209200", 1_391_209_200_000, nil), ("1391209200.25", 1_391_209_200_250, nil),
            ("1391209200123", 1_391_209_200_123, nil), ("2014-02-01T00:00:00+01", 1_391_209_200_000, 60),
            ("2014-01-31 23:00", 1_391_209_200_000, nil), ("2014-01-31T16:00:00-0700", 1_391_209_200_000, -420),
            ("2016-02-29T12:00:00Z", 1_456_747_200_000, 0), ("1969-12-31T23:59:59Z", -1000, 0),
        ] as [(String, Int64, Int?)])
    func times(_ text: String, _ ms: Int64, _ offset: Int?) {
        #expect(TimeText.read(ArraySlice(text.utf8)) == TimeText.Reading(unixMs: ms, offsetMinutes: offset))
    }

    @Test(arguments: [
        "", "x", "2014-02-01", "2014-13-01T00:00:00Z", "2014-02-01T24:00:00Z", "2014-02-01T00:00:00Zz", "nan",
    ])
    func noTimes(_ text: String) {
        #expect(TimeText.read(ArraySlice(text.utf8)) == nil)
    }
}
