import Domain
import Glibc
import Testing
import Wire

@testable import LoadBench

/// The parts of the benchmarks that can be wrong without anybody noticing: what is counted, and as what.
@Suite struct LoadTests {
    private func stamps(_ text: String) -> [Int64] {
        var found: [Int64] = []
        Array(text.utf8).withUnsafeBytes { Stamp.scan($0) { found.append($0) } }
        return found
    }

    private func rows(_ text: String) -> (scan: RowScan, times: [Int64]) {
        var times: [Int64] = []
        let scan = Array(text.utf8).withUnsafeBytes { RowScan($0) { times.append($0) } }
        return (scan, times)
    }

    /// What the hub reads in a client's bytes; nil when it refuses them.
    private func command(_ bytes: [UInt8]) -> Command? {
        guard case .message(let message) = bytes.withUnsafeBytes({ decode($0) }) else { return nil }
        return message.command
    }

    // MARK: Stamps

    @Test func aStampedMessageHasTheLengthAskedForAndIsJSON() throws {
        var message: [UInt8] = []
        for bytes in [0, 25, 26, 31, 32, 33, 100, 1000] {
            Stamp.message(1_234_567, bytes: bytes, into: &message)
            let value = try JSONValue(parsing: message)
            #expect(value["t"]?.text == "@0000000001234567")
            // Between the two the padding's own letters don't fit.
            #expect(message.count == (bytes < 32 ? 25 : bytes))
            #expect(stamps(String(decoding: message, as: UTF8.self)) == [1_234_567])
        }
    }

    @Test func everyStampOfAFrameIsFound() {
        #expect(stamps(#"{"t":"@0000000000000001"}{"t":"@0000000000000022"}"#) == [1, 22])
        #expect(stamps("MSG c0 1 25\r\n{\"t\":\"@0000000000000003\"}\r\nMSG c0 1 25\r\n") == [3])
        #expect(stamps("") == [])
        #expect(stamps("@") == [])
        #expect(stamps("a@b.example @000000000000000x @000000000000004") == [])
        #expect(stamps("@@9999999999999999") == [9_999_999_999_999_999])
    }

    // MARK: Rows

    @Test func rowsAreCountedWithTheirTimes() {
        let (scan, times) = rows(
            #"{"ch":"zone:14","type":"positions","time":1795210210000,"gone":["T9","T10"],"data":["#
                + #"["T1",45.46421,9.19001,270,"available",3,1795210209900],["T2",-45.5,9.2,null,250],"#
                + #"["T3",45.5,9.2,0,"busy",null,1795210209000,"stale","minibus","R7"],["T4",45.5,9.2,3,0],["T5",45.5,9.2,3,-5]]}"#
        )
        #expect(scan.kind == .delta)
        #expect(scan.rows == 5)
        #expect(scan.gone == 2)
        #expect(
            times == [1_795_210_209_900, 1_795_210_209_750, 1_795_210_209_000, 1_795_210_210_000, 1_795_210_210_005])
    }

    @Test func snapshotsAndOtherMessagesAreToldApart() {
        let snapshot = rows(
            #"{"ch":"near","type":"snapshot","time":5,"data":[["T1",1.5,2.5,null,"available",null,4]]}"#)
        #expect(snapshot.scan.kind == .snapshot && snapshot.scan.rows == 1 && snapshot.times == [4])
        let empty = rows(#"{"ch":"near","type":"snapshot","time":5,"data":[]}"#)
        #expect(empty.scan.kind == .snapshot && empty.scan.rows == 0)
        let gone = rows(#"{"ch":"zone:1","type":"positions","time":5,"gone":["T1"],"data":[]}"#)
        #expect(gone.scan.kind == .delta && gone.scan.rows == 0 && gone.scan.gone == 1)
        for text in [
            #"{"ch":"driver:T1","type":"queue.rank","time":5,"data":{"zone":"1"}}"#,
            #"{"id":2,"ok":{"channel":"zone:1"}}"#,
            "", "{}", #"{"type":"positions""#, #"{"type":"positions","time":"#,
        ] {
            #expect(rows(text).scan.kind == .other && rows(text).scan.rows == 0)
        }
    }

    @Test func aMessageThatEndsTooSoonEndsTheScan() {
        let text =
            #"{"ch":"zone:14","type":"positions","time":1795210210000,"gone":["T9"],"data":[["T1",45.4,9.1,2,"a",3,17],["#
        for count in 0...text.utf8.count {
            _ = rows(String(text.prefix(count)))
        }
        #expect(rows(text).times == [17])
    }

    @Test func theRowsThatTheHubWritesAreRead() throws {
        let board = FeedBoard()
        let place = GeoPoint(lat: 45.461, lon: 9.182)
        let cell = CellGrid.cell(of: place)
        let reader = FeedSubscription(
            channel: "zone:1", scopes: [board.retain(.cell(cell))], view: FeedView(visibility: .all), encoding: .json)
        var time: Int64 = 1_795_210_210_000
        func told() throws -> (scan: RowScan, times: [Int64]) {
            board.advance(now: time)
            guard case .shared(let message)? = board.update(reader) else {
                return rows(String(decoding: board.scratch, as: UTF8.self))
            }
            return rows(String(decoding: message.payload, as: UTF8.self))
        }
        func move(_ id: String, at: Int64, heading: Double?, seats: Int?) {
            board.apply(
                FeedRecord(
                    id: id, lat: place.lat, lon: place.lon, heading: heading, at: at, heard: at, state: .available,
                    seats: seats), cell: cell, zone: nil)
        }
        #expect(try told().scan.kind == .snapshot)
        move("T1", at: time - 77, heading: nil, seats: 4)
        move("T2", at: time - 78, heading: 359.9, seats: nil)
        time += 1000
        let whole = try told()
        #expect(whole.scan.kind == .delta && whole.scan.rows == 2)
        #expect(whole.times.sorted() == [time - 1078, time - 1077])
        move("T1", at: time + 500, heading: 10, seats: 4)
        time += 1000
        let short = try told()
        #expect(short.scan.rows == 1 && short.times == [time - 500], "its age counts from the message")
    }

    // MARK: Dialects

    private func frame(_ dialect: LoadDialect) -> String {
        var buffer: [UInt8] = Array("old".utf8)
        dialect.write(Array(#"{"t":1}"#.utf8), to: "c3", into: &buffer)
        return String(decoding: buffer, as: UTF8.self)
    }

    @Test func eachServerIsSpokenToInItsOwnWay() {
        #expect(frame(.kerbside) == #"{"cmd":"publish","channel":"topic:c3","data":{"t":1}}"#)
        #expect(frame(.text) == #"Pc3 {"t":1}"#)
        #expect(frame(.nats) == "PUB c3 7\r\n{\"t\":1}\r\n")
        #expect(frame(.nchan) == #"{"t":1}"#)
        func subscription(_ dialect: LoadDialect) -> String? {
            dialect.subscription(to: "c3").map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(subscription(.kerbside) == #"{"id":2,"cmd":"subscribe","channel":"topic:c3"}"#)
        #expect(subscription(.text) == "Sc3")
        #expect(subscription(.nats)?.hasSuffix("}\r\nSUB c3 1\r\n") == true)
        #expect(subscription(.nchan) == nil)
        #expect(LoadDialect.nchan.url("ws://h:1", channel: "c3", publishes: true) == "ws://h:1/pub/c3")
        #expect(LoadDialect.nchan.url("ws://h:1", channel: "c3", publishes: false) == "ws://h:1/sub/c3")
        #expect(LoadDialect.text.url("ws://h:1/", channel: "c3", publishes: true) == "ws://h:1/")
        Array("PING\r\n".utf8).withUnsafeBytes {
            #expect(LoadDialect.nats.answer(to: $0) == Array("PONG\r\n".utf8))
            #expect(LoadDialect.text.answer(to: $0) == nil)
        }
        #expect(command(Array(frame(.kerbside).utf8)) != nil)
    }

    @Test func theHubsEnvelopeIsCounted() {
        let event = Encode.event(
            channel: "topic:c3", seq: "1795210210000-0", type: "message", time: 1_795_210_210_000,
            data: Array(#"{"t":1}"#.utf8))
        #expect(event.count == LoadDialect.kerbside.envelopeBytes(channel: "c3") + 7)
        #expect(LoadDialect.text.envelopeBytes(channel: "c3") == 0)
    }

    // MARK: Vehicles

    @Test func positionsAreWrittenAsTheHubReadsThem() {
        var buffer: [UInt8] = []
        let fix = PositionFix(
            lat: -0.000_004, lon: 179.999_999, at: 1_795_210_210_000, heading: 359, speed: 13, accuracy: 5)
        PositionText.write(fix, into: &buffer)
        #expect(command(buffer) == .position(fix))
        PositionText.write(PositionFix(lat: 45, lon: 9.5, at: 7), into: &buffer)
        #expect(String(decoding: buffer, as: UTF8.self) == #"{"cmd":"position","lat":45.000000,"lon":9.500000,"at":7}"#)
    }

    @Test func theFilterBelievesAVehicleThatGoesRound() {
        let vehicle = CirclingVehicle(centre: GeoPoint(lat: 45.46, lon: 9.19), radius: 60, speed: 14, phase: 1)
        var filter = PositionFilter()
        for step in 0..<2000 {
            let atMs = 1_795_210_210_000 + Int64(step) * (step < 1000 ? 5 : 1000)
            let fix = vehicle.fix(atMs: atMs)
            let point = GeoPoint(lat: fix.lat, lon: fix.lon)
            #expect(abs(point.distance(to: vehicle.centre) - 60) < 1)
            #expect((0..<360).contains(fix.heading ?? -1))
            let verdict = filter.offer(
                Fix(point, at: fix.at, accuracy: fix.accuracy, speed: fix.speed, heading: fix.heading), receivedAt: atMs
            )
            guard case .accepted = verdict else { return #expect(Bool(false), "\(verdict) at \(step)") }
        }
    }

    // MARK: Seats

    @Test func theSeatsOfALineAreFoundInItsStatesAndNowhereElse() {
        func taken(_ text: String) -> Int? { Array(text.utf8).withUnsafeBytes { SeatScan.taken(in: $0) } }
        let state = #"{"ch":"line:1","type":"bus","time":1,"data":{"seats":{"total":99,"taken":42,"free":57}}}"#
        #expect(taken(state) == 42)
        #expect(taken(#"{"ch":"line:1","type":"snapshot","data":{"buses":[{"seats":{"taken":0}}]}}"#) == 0)
        #expect(taken(#"{"ch":"line:1","type":"schedule.changed","data":{}}"#) == nil)
        #expect(taken(#"{"id":3,"ok":{"seats":{"taken":4}}}"#) == nil, "a reply")
        #expect(
            taken(#"{"ch":"line:1","taken":"#) == nil && taken(#"{"ch":"l","taken":100}"#) == nil && taken("") == nil)
    }

    // MARK: Counters and plot

    @Test func countersAreSummedOverTheirLabels() {
        let counters = HubCounters(
            text: """
                HTTP/1.1 200 OK\r
                \r
                # HELP kerbside_positions_received_total Positions.
                kerbside_positions_received_total{worker="1"} 40
                kerbside_positions_received_total{worker="2"} 2.5
                kerbside_positions_received_total_more 7
                kerbside_pushes 3
                """)
        #expect(counters["kerbside_positions_received_total"] == 42.5)
        #expect(counters["kerbside_pushes"] == 3)
        #expect(counters["kerbside_nothing"] == 0)
    }

    @Test func aLogarithmicAxisHoldsItsValues() {
        let axis = LogAxis(values: [100, 16_000], length: 300)
        #expect(axis.place(100) > 0 && axis.place(16_000) < 300)
        #expect(abs(axis.place(1000) - axis.place(100) - (axis.place(10_000) - axis.place(1000))) < 1e-9)
        #expect(axis.ticks.filter(\.isLabelled).map(\.value).contains(1000))
        let flat = LogAxis(values: [0.5, 0.5], length: 100)
        #expect(abs(flat.place(0.5) - 50) < 1e-6)
        #expect(flat.ticks.contains { $0.isLabelled })
        _ = LogAxis(values: [], length: 100).ticks
    }

    @Test func thePlotIsWellFormedAndSaysWhatItShows() {
        let plot = GrowthPlot(
            title: "Cost & <growth>", subtitle: "a machine",
            panels: [
                GrowthPlot.Panel(
                    title: "2,000 vehicles", x: "watchers", points: [(100, 3), (1000, 0.5), (16_000, 0.21)]),
                GrowthPlot.Panel(title: "4,000 watchers", x: "vehicles", points: [(100, 0.9), (10_000, 0.2)]),
            ], y: "µs")
        let svg = plot.svg
        #expect(svg.contains("Cost &amp; &lt;growth&gt;") && svg.contains(">10,000<") && svg.contains(">0.21<"))
        #expect(svg.components(of: "<circle ") == 5 && svg.components(of: "<polyline ") == 2)
        // Each element closes: by itself or by its end.
        #expect(svg.components(of: "<text ") == svg.components(of: "</text>"))
        #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>\n"))
        #expect(!svg.contains("nan") && !svg.contains("inf"))
    }

    @Test func whatProcessesUseIsRead() throws {
        let mine = getpid()
        #expect(try #require(ProcessUsage.residentBytes(of: mine)) > 1 << 20)
        #expect(try #require(ProcessUsage.cpu(of: mine)) >= 0)
        #expect(ProcessUsage.own > 0)
        #expect(ProcessUsage.cpu(of: -1) == nil)
        #expect(ProcessUsage.raiseFileLimit() > 100)
    }

    @Test func largeNumbersAreGrouped() {
        #expect(LoadResults.count(1_234_567.4) == "1,234,567")
        #expect(LoadResults.count(999) == "999")
        #expect(LoadResults.count(12.34) == "12.3")
    }
}

extension String {
    fileprivate func components(of part: String) -> Int {
        var count = 0
        var rest = self[...]
        while let found = rest.firstRange(of: part) {
            count += 1
            rest = rest[found.upperBound...]
        }
        return count
    }
}
