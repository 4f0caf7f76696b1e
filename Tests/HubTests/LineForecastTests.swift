import Domain
import RedisLink
import Testing
import Wire

@testable import Hub

/// When buses come to a stop, of what the readers of their line are told.
@Suite struct LineForecastTests: StopLine {
    private static let at = Self.now + 60_000

    private func bus(_ fields: String, heard: Int64 = Self.now) -> LineBoard.Bus {
        let json = #"{"tour":"t1","bus":"7","line":"L","pattern":"out","trip":"r1","delay_s":30,\#(fields)}"#
        return LineBoard.Bus(revision: 1, data: Array(json.utf8), base: 1_799_990_000, heard: heard)
    }

    private func tour(_ fields: String, heard: Int64 = Self.now, at stop: String = "b") -> LineArrivals.Tour? {
        var forecast = LineForecast(at: Self.now)
        forecast.take(bus(fields, heard: heard))
        return forecast.tours(at: stop, now: Self.now).first
    }

    private static let next = #""off_route":false,"next_stop":{"index":1,"stop":"b"},"#
    private static let etas =
        #""etas":[{"index":1,"stop":"b","at":\#(at),"early":\#(at - 10),"late":\#(at + 10)},"#
        + #"{"index":2,"stop":"c","at":\#(Self.now - 5),"early":\#(Self.now - 9),"late":\#(at)},"#
        + #"{"index":3,"stop":"b","at":\#(at + 50)}]"#

    @Test("B6: a bus comes to a stop each time that its way has it, and not before now")
    func calls() throws {
        let found = try #require(tour(Self.next + Self.etas))
        #expect(found.id == "t1" && found.bus == "7" && found.pattern == "out" && found.trip == "r1")
        #expect(found.base == 1_799_990_000 && found.isKnown)
        let first = ETA(early: Self.at - 10, likely: Self.at, late: Self.at + 10)
        #expect(found.passes.map(\.eta.likely) == [Self.at, Self.at + 50] && found.passes[0].eta == first)
        let standing = tour(Self.next + Self.etas, at: "c")?.passes.first?.eta
        #expect(standing == ETA(early: Self.now, likely: Self.now, late: Self.at))
        #expect(tour(Self.next + Self.etas, at: "d")?.passes.isEmpty == true)
    }

    @Test("B6: off its route, unheard for minutes or without a position nobody knows where a bus is")
    func unknown() {
        #expect(tour(Self.next + Self.etas, heard: Self.now - 300_001)?.isKnown == false)
        #expect(tour(Self.next + Self.etas, heard: 0)?.isKnown == false)
        #expect(tour(#""off_route":true,"next_stop":{"index":1,"stop":"b"},"# + Self.etas)?.isKnown == false)
        #expect(tour(Self.next + #""etas":[]"#)?.isKnown == false)
        #expect(tour(#""off_route":false,"etas":[]"#)?.isKnown == true, "it has passed its last stop")
        var forecast = LineForecast(at: Self.now)
        forecast.take(LineBoard.Bus(revision: 1, data: Array("[".utf8), base: 0, heard: 0))
        #expect(forecast.buses.isEmpty)
    }

    @Test("what is read of a line and what is pushed say alike from when its trip counts and when it was heard")
    func told() async throws {
        try await TestCity.run { city in
            let pushes = try await city.heard(on: Channel.partition("line:L")) {
                try await start(city)
                try await drive(city, to: 100)
            }
            let reply = try await city.call("line_state", ["L"])
            let (read, pushed) = (LineBoard("line:L"), LineBoard("line:L"))
            let isRead = read.replace(reply)
            for push in pushes where push.type == "bus" {
                let isNew = pushed.apply(push)
                #expect(isNew)
            }
            let one = try #require(read.buses["t1"])
            let other = try #require(pushed.buses["t1"])
            #expect(isRead)
            #expect(one.revision == other.revision && one.data == other.data)
            #expect(one.base == other.base && one.heard == other.heard && one.heard > Self.now)
        }
    }
    @Test("what a hub of an older version says of a tour is taken up, with what is known besides")
    func older() {
        let board = LineBoard("line:L")
        func push(_ meta: String) -> Bool {
            board.apply(
                Push(
                    channel: "line:L", seq: "", type: "bus", time: 0, meta: meta,
                    data: Array("{}".utf8)))
        }
        let taken = [push("t1 1 running 1799990000 1800000000000"), push("t1 2 running"), push("t1 2 running")]
        #expect(taken == [true, true, false])
        #expect(board.buses["t1"]?.base == 1_799_990_000 && board.buses["t1"]?.heard == 1_800_000_000_000)
        let hasEnded = push("t1 3 ended")
        #expect(hasEnded && board.buses.isEmpty)
    }
}
