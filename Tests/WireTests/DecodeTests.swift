import Testing
import Wire

@Suite("Messages that must be understood, however they are written")
struct DecodeTests {
    private let fix = PositionFix(lat: 45.464211, lon: 9.191383, at: 1_795_210_199_000, heading: 271, speed: 8.3)

    private func expect(_ text: String, _ command: Command, id: Int64? = nil, key: String? = nil) {
        #expect(decoded(text) == .message(ClientMessage(id: id, key: key, command: command)), "\(text)")
    }

    @Test("fields in any order, white space, escapes in keys and values")
    func writing() {
        expect(
            #"{"cmd":"position","lat":45.464211,"lon":9.191383,"at":1795210199000,"heading":271,"speed":8.3}"#,
            .position(fix))
        expect(
            " {\r\n\t\"speed\" : 8.30 , \"at\":1795210199000.0,\"heading\":2.71e2, \"lon\":9191383e-6, "
                + "\"lat\":0.45464211E+2 , \"cmd\":\"position\" } ", .position(fix))
        expect(
            #"{"\u0063md":"p\u006fsition","l\u0061t":45.464211,"lon":9.191383,"at":1795210199000,"heading":271,"speed":8.3}"#,
            .position(fix))
        expect(#"{"cmd":"offer.accept","ride":"r\u005f1","key":"\u0041"}"#, .rides(.offerAccept(ride: "r_1")), key: "A")
    }

    @Test("unknown fields and those of other commands are read over, whatever they hold")
    func unknownFields() {
        expect(
            #"{"v":{"cmd":"hello","a":[1,{"b":[true,false,null,"\ud83d\ude00",-1.5e-3]}]},"cmd":"driver.available","lat":"x"}"#,
            .rides(.driverAvailable))
        let deep = String(repeating: "[", count: 31) + String(repeating: "]", count: 31)
        expect(#"{"cmd":"driver.unavailable","x":\#(deep),"":1,"é":2}"#, .rides(.driverUnavailable))
    }

    @Test("as many fields as there may be, before and behind those of the command")
    func manyFields() {
        for count in [10, 14, 26, 27, 28, 29, 30, 31, 40, 59] {
            let others = (0..<count).map { #""x\#($0)":\#($0)"# }.joined(separator: ",")
            for text in [
                #"{"id":1,"id":2,"cmd":"ride.end","ride":"a",\#(others),"ride":"r"}"#,
                #"{\#(others),"id":7,"ride":"r","cmd":"ride.end","id":2}"#,
            ] { expect(text, .rides(.rideEnd(ride: "r")), id: 2) }
            #expect(
                decoded(#"{\#(others),"id":2,"cmd":"ride.end","ride":5,"y":}"#).id == 2, "what came before the fault")
        }
    }

    @Test("a key that comes twice counts with its last value")
    func duplicates() {
        expect(#"{"id":1,"cmd":"hello","id":2,"cmd":"driver.available"}"#, .rides(.driverAvailable), id: 2)
        expect(#"{"cmd":"ride.end","ride":5,"ride":"r","key":"a","key":null}"#, .rides(.rideEnd(ride: "r")))
        expect(
            #"{"cmd":"hello","resume":{"a":"1","b":"2","a":"3"}}"#,
            .session(
                .hello(token: nil, resume: [ResumePoint(channel: "a", seq: "3"), ResumePoint(channel: "b", seq: "2")])))
    }

    @Test("an optional field that is null is absent")
    func nulls() {
        expect(
            #"{"id":null,"key":null,"cmd":"position","lat":1,"lon":2,"at":3,"heading":null,"speed":null,"accuracy":null}"#,
            .position(PositionFix(lat: 1, lon: 2, at: 3)))
        expect(
            #"{"cmd":"ride.request","lat":1,"lon":2,"passengers":3,"destination":null}"#,
            .rides(.rideRequest(lat: 1, lon: 2, passengers: 3, destination: nil)))
        expect(#"{"cmd":"hello","token":null,"resume":null}"#, .session(.hello(token: nil, resume: [])))
    }

    @Test("M3 filters of feeds in every form")
    func filters() {
        func subscribed(_ options: FeedOptions) -> Command {
            .channels(.subscribe(channel: "zone:14", options: options, since: nil))
        }
        func message(_ fields: String) -> String { #"{"cmd":"subscribe","channel":"zone:14",\#(fields)}"# }
        for fields in [
            #""filter":{}"#, #""filter":null,"max_rate":null,"since":null"#, #""filter":{"other":1}"#,
            #""filter":{"kind":null,"state":null,"seats":null,"route":null}"#,
        ] { expect(message(fields), subscribed(FeedOptions())) }
        expect(
            message(#""filter":{"kind":["bus","t\u0061xi","bus"]},"max_rate":1"#),
            subscribed(FeedOptions(filter: FeedFilter(kinds: [.taxi, .bus]), maxRate: 1)))
        expect(
            #"{"filter":{"state":["unavailable"],"seats":2.0,"route":"7"},"cmd":"watch","radius":5e2,"lon":2,"lat":1}"#,
            .channels(
                .watch(
                    lat: 1, lon: 2, radius: 500,
                    options: FeedOptions(filter: FeedFilter(states: .unavailable, seats: 2, route: "7")))))
    }

    @Test("what is published is kept byte by byte; a route that is null is none")
    func published() {
        let data = #"{ "b" : [1.0,"\u00E9"],"a":null ,"b":2}"#
        expect(
            #"{"cmd":"publish","channel":"topic:x","data":\#(data) ,"type":null}"#,
            .topics(.publish(channel: "topic:x", type: nil, data: Array(data.utf8))))
        expect(#"{"cmd":"route.set","route":null}"#, .seats(.routeSet(route: nil, way: nil)))
        expect(#"{"cmd":"seats.set","taken":0}"#, .seats(.seatsSet(taken: 0, reason: nil)))
    }

    @Test("limits themselves are inside")
    func limits() {
        expect(
            #"{"id":9007199254740991,"cmd":"driver.available"}"#, .rides(.driverAvailable), id: 9_007_199_254_740_991)
        expect(#"{"id":0,"cmd":"driver.available"}"#, .rides(.driverAvailable), id: 0)
        expect(#"{"id":1.0e1,"cmd":"driver.available"}"#, .rides(.driverAvailable), id: 10)
        for (lat, lon) in [(90.0, 180.0), (-90, -180), (0, 1e-9)] {
            expect(
                #"{"cmd":"position","lat":\#(lat),"lon":\#(lon),"at":0,"heading":360,"speed":100,"accuracy":100000}"#,
                .position(PositionFix(lat: lat, lon: lon, at: 0, heading: 360, speed: 100, accuracy: 100_000)))
        }
        let token = String(repeating: "t", count: 8192)
        expect(#"{"cmd":"hello","token":"\#(token)"}"#, .session(.hello(token: token, resume: [])))
        let channels = (1...16).map { ResumePoint(channel: "driver:\($0)", seq: "\($0)-0") }
        let members = channels.map { #""\#($0.channel)":"\#($0.seq)""# }.joined(separator: ",")
        expect(#"{"cmd":"hello","resume":{\#(members)}}"#, .session(.hello(token: nil, resume: channels)))
        expect(
            #"{"cmd":"ride.request","lat":0,"lon":0,"passengers":4000,"destination":{"x":1,"lat":0,"lon":0}}"#,
            .rides(.rideRequest(lat: 0, lon: 0, passengers: 4000, destination: Place(lat: 0, lon: 0))))
    }

    @Test("every prefix and every changed byte of a message is answered without a trap")
    func mutations() {
        for command in RoundTripTests.samples {
            let bytes = ClientMessage(id: 1, key: "k", command: command).encoded()
            for end in 0..<bytes.count {
                guard case .refused = decoded(Array(bytes[..<end])) else {
                    Issue.record("a prefix of \(end) bytes was accepted")
                    continue
                }
            }
            for place in bytes.indices {
                for byte: UInt8 in [0, 0x22, 0x5C, 0x7B, 0x7D, 0x2C, 0x80, 0xED, 0xF4, 0xFF] {
                    var changed = bytes
                    changed[place] = byte
                    // Accepted as a message only if it is JSON.
                    if case .message = decoded(changed) {
                        #expect(throws: Never.self) { try JSONValue(parsing: changed) }
                    }
                }
            }
        }
    }
}

extension Decoded {
    fileprivate var id: Int64? {
        switch self {
        case .message(let message): message.id
        case .refused(let id, _): id
        }
    }
}
