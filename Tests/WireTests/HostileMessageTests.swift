import Testing
import Wire

/// One message that must be refused: what is sent, the exact code and field, a part of the detail, and the id that
/// must come back.
private struct Hostile {
    let text: [UInt8]
    let code: ErrorCode
    let field: String?
    let detail: String
    let id: Int64?

    init(_ text: String, _ code: ErrorCode, _ field: String?, _ detail: String, id: Int64? = nil) {
        self.init(bytes: Array(text.utf8), code, field, detail, id: id)
    }

    init(bytes: [UInt8], _ code: ErrorCode, _ field: String?, _ detail: String, id: Int64? = nil) {
        text = bytes
        self.code = code
        self.field = field
        self.detail = detail
        self.id = id
    }
}

@Suite("Messages that must be refused")
struct HostileMessageTests {
    @Test("not JSON, or not one object")
    func malformed() {
        check([
            Hostile("", .badMessage, nil, "byte 0: the text is empty"),
            Hostile("  \n\t ", .badMessage, nil, "the text is empty"),
            Hostile("null", .badMessage, nil, "expected one JSON object"),
            Hostile("[]", .badMessage, nil, "expected one JSON object"),
            Hostile(#""hello""#, .badMessage, nil, "expected one JSON object"),
            Hostile("1", .badMessage, nil, "expected one JSON object"),
            Hostile("hello", .badMessage, nil, "byte 0: expected a value"),
            Hostile("{", .badMessage, nil, "byte 1: the text ends before the value does"),
            Hostile(#"{"cmd":"hello""#, .badMessage, nil, "ends before"),
            Hostile(#"{"cmd":"hello",}"#, .badMessage, nil, "expected a key in double quotes"),
            Hostile(#"{,"cmd":"hello"}"#, .badMessage, nil, "expected a key in double quotes"),
            Hostile(#"{"cmd" "hello"}"#, .badMessage, nil, "expected a `:`"),
            Hostile(#"{"id":5 "cmd":"hello"}"#, .badMessage, nil, "expected a `,` or a `}`", id: 5),
            Hostile(#"{"cmd":"hello"}}"#, .badMessage, nil, "byte 15: something follows the value"),
            Hostile(#"{"id":6,"cmd":"hello"}{"cmd":"hello"}"#, .badMessage, nil, "something follows", id: 6),
            Hostile("{'cmd':'hello'}", .badMessage, nil, "expected a key in double quotes"),
            Hostile("\u{FEFF}" + #"{"cmd":"hello"}"#, .badMessage, nil, "byte 0: expected a value"),
            Hostile(#"{"id":7,"x":[1,2}"#, .badMessage, nil, "expected a `,` or a `]`", id: 7),
            Hostile(#"{"id":7,"x":NaN}"#, .badMessage, nil, "expected a value", id: 7),
            Hostile(#"{"id":7,"x":nul}"#, .badMessage, nil, "expected `true`, `false` or `null`", id: 7),
            Hostile(#"{"id":7,"x":tru"#, .badMessage, nil, "expected `true`, `false` or `null`", id: 7),
            Hostile(#"{"id":7,"x":"tab"# + "\t" + #""}"#, .badMessage, nil, "a control character", id: 7),
            Hostile(#"{"id":7,"x":"\x41"}"#, .badMessage, nil, "unknown escape", id: 7),
            Hostile(#"{"id":7,"x":"\u00g0"}"#, .badMessage, nil, "four hexadecimal digits", id: 7),
            Hostile(#"{"id":7,"x":"\ud800"}"#, .badMessage, nil, "half of a surrogate pair", id: 7),
            Hostile(#"{"id":7,"x":"\ud800\u0041"}"#, .badMessage, nil, "half of a surrogate pair", id: 7),
            Hostile(#"{"id":7,"x":"\udc00\ud800"}"#, .badMessage, nil, "half of a surrogate pair", id: 7),
            Hostile(#"{"id":7,"x":"\"#, .badMessage, nil, "ends before", id: 7),
            Hostile(#"{"id":7,"x":"abc"#, .badMessage, nil, "no closing quote", id: 7),
            Hostile(#"{"id":7,"x":01}"#, .badMessage, nil, "not a number", id: 7),
            Hostile(#"{"id":7,"x":1.}"#, .badMessage, nil, "not a number", id: 7),
            Hostile(#"{"id":7,"x":1e}"#, .badMessage, nil, "not a number", id: 7),
            Hostile(#"{"id":7,"x":-}"#, .badMessage, nil, "not a number", id: 7),
            Hostile(#"{"id":7,"x":+1}"#, .badMessage, nil, "expected a value", id: 7),
            Hostile(#"{"id":7,"x":0x10}"#, .badMessage, nil, "expected a `,` or a `}`", id: 7),
            Hostile(#"{"id":7,"x":1e999}"#, .badMessage, nil, "the number is too large", id: 7),
            Hostile(
                #"{"id":7,"x":"# + String(repeating: "[", count: 32) + String(repeating: "]", count: 32) + "}",
                .badMessage, nil, "nested deeper than 32 levels", id: 7),
            Hostile(String(repeating: "{\"x\":", count: 100_000), .badMessage, nil, "nested deeper than 32 levels"),
        ])
    }

    @Test("bytes that are not UTF-8, each with the id that came before")
    func notUTF8() {
        let sequences: [[UInt8]] = [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
            [0xE2, 0x82], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0xFE], [0xFF],
        ]
        for bytes in sequences {
            let text = Array(#"{"id":8,"x":""#.utf8) + bytes + Array(#""}"#.utf8)
            check([Hostile(bytes: text, .badMessage, nil, "byte 13: the bytes are not UTF-8", id: 8)])
            check([Hostile(bytes: Array(text.prefix(13 + bytes.count)), .badMessage, nil, "byte", id: 8)])
        }
    }

    @Test("the command and what all commands share")
    func common() {
        check([
            Hostile("{}", .badMessage, "cmd", "field `cmd`: expected the name of a command, but it is missing"),
            Hostile(#"{"id":1}"#, .badMessage, "cmd", "but it is missing", id: 1),
            Hostile(#"{"id":1,"cmd":7}"#, .badMessage, "cmd", "got 7", id: 1),
            Hostile(#"{"cmd":null,"id":1}"#, .badMessage, "cmd", "got null", id: 1),
            Hostile(#"{"cmd":["hello"],"id":1}"#, .badMessage, "cmd", "got an array", id: 1),
            Hostile(#"{"id":1,"cmd":""}"#, .unknownCommand, "cmd", #"there is no command """#, id: 1),
            Hostile(#"{"id":1,"cmd":"Hello"}"#, .unknownCommand, "cmd", #"there is no command "Hello""#, id: 1),
            Hostile(#"{"id":1,"cmd":"driver.available "}"#, .unknownCommand, "cmd", "no command", id: 1),
            Hostile(#"{"cmd":"hello","cmd":"goodbye","id":1}"#, .unknownCommand, "cmd", "goodbye", id: 1),
            Hostile(#"{"id":-1,"cmd":"hello"}"#, .badMessage, "id", "got -1"),
            Hostile(#"{"id":1.5,"cmd":"hello"}"#, .badMessage, "id", "got 1.5"),
            Hostile(#"{"id":"1","cmd":"hello"}"#, .badMessage, "id", #"got "1""#),
            Hostile(#"{"id":9007199254740992,"cmd":"hello"}"#, .badMessage, "id", "0 to 9007199254740991"),
            Hostile(#"{"id":9007199254740993,"cmd":"hello"}"#, .badMessage, "id", "got 9007199254740993"),
            Hostile(#"{"id":1e300,"cmd":"hello"}"#, .badMessage, "id", "got 1e300"),
            Hostile(#"{"id":true,"cmd":"hello"}"#, .badMessage, "id", "got true"),
            Hostile(#"{"id":2,"cmd":"hello","key":""}"#, .badMessage, "key", "got an empty string", id: 2),
            Hostile(#"{"cmd":"hello","key":"a b","id":2}"#, .badMessage, "key", #"got "a b""#, id: 2),
            Hostile(#"{"cmd":"hello","key":"é","id":2}"#, .badMessage, "key", #"got "é""#, id: 2),
            Hostile(#"{"cmd":"hello","key":"a\u0000","id":2}"#, .badMessage, "key", "1 to 64 characters", id: 2),
            Hostile(#"{"cmd":"hello","key":5,"id":2}"#, .badMessage, "key", "got 5", id: 2),
            Hostile(
                #"{"cmd":"hello","key":"\#(String(repeating: "k", count: 65))","id":2}"#, .badMessage, "key",
                String(repeating: "k", count: 39) + "…", id: 2),
            Hostile(
                #"{"cmd":"hello","key":"\#(String(repeating: "é", count: 40))","id":2}"#, .badMessage, "key",
                String(repeating: "é", count: 19) + "…", id: 2),
        ])
    }

    @Test("more members in an object than any command has, the same key or others")
    func manyMembers() {
        func members(_ count: Int, _ key: (Int) -> String) -> String {
            (0..<count).map { "\"\(key($0))\":9e-300" }.joined(separator: ",")
        }
        for key in [{ "x\($0)" }, { _ in "lat" }, { _ in #"\u006c\u0061\u0074"# }] as [(Int) -> String] {
            check([
                Hostile(#"{"id":9,"cmd":"bye",\#(members(62, key))}"#, .unknownCommand, "cmd", "no command", id: 9),
                Hostile(#"{"id":9,"cmd":"bye",\#(members(63, key))}"#, .badMessage, nil, "more than 64 members", id: 9),
                Hostile(#"{"id":9,"cmd":"bye",\#(members(7_000, key))}"#, .badMessage, nil, "more than 64", id: 9),
                Hostile(
                    #"{"id":9,"cmd":"ride.request","lat":1,"lon":1,"passengers":1,"destination":{\#(members(65, key))}}"#,
                    .badMessage, "destination", "with lat and lon, got more than 64 members in one object", id: 9),
            ])
        }
    }

    @Test("hello; a token is never quoted back")
    func hello() {
        let channels = (1...17).map { #""driver:\#($0)":"1-0""# }.joined(separator: ",")
        check([
            Hostile(#"{"cmd":"hello","token":12345,"id":3}"#, .badMessage, "token", "got a number", id: 3),
            Hostile(#"{"cmd":"hello","token":"","id":3}"#, .badMessage, "token", "got another string", id: 3),
            Hostile(#"{"cmd":"hello","token":"sec ret","id":3}"#, .badMessage, "token", "got another string", id: 3),
            Hostile(#"{"cmd":"hello","resume":[],"id":3}"#, .badMessage, "resume", "got an array", id: 3),
            Hostile(#"{"cmd":"hello","resume":{\#(channels)},"id":3}"#, .badMessage, "resume", "got more", id: 3),
            Hostile(#"{"cmd":"hello","resume":{"":"1-0"},"id":3}"#, .badMessage, "resume", "got a channel", id: 3),
            Hostile(#"{"cmd":"hello","resume":{"a b":"1"},"id":3}"#, .badMessage, "resume", "got a channel", id: 3),
            Hostile(
                #"{"cmd":"hello","resume":{"driver:1":17},"id":3}"#, .badMessage, "resume.driver:1", "got 17", id: 3),
            Hostile(
                #"{"cmd":"hello","resume":{"driver:1":{}},"id":3}"#, .badMessage, "resume.driver:1", "got an object",
                id: 3),
            Hostile(
                #"{"cmd":"hello","resume":{"driver:1":""},"id":3}"#, .badMessage, "resume.driver:1",
                "got an empty string", id: 3),
        ])
        guard case .refused(_, let error) = decoded(#"{"cmd":"hello","token":"sec ret"}"#) else {
            Issue.record("a token with a space was accepted")
            return
        }
        #expect(!error.detail.contains("sec"))
    }

    @Test("C1 a position out of range, not a number, or (0,0)")
    func position() {
        func message(_ fields: String) -> String { #"{"cmd":"position",\#(fields),"id":4}"# }
        check([
            Hostile(message(#""lon":9,"at":1"#), .badMessage, "lat", "from -90 to 90, but it is missing", id: 4),
            Hostile(message(#""lat":null,"lon":9,"at":1"#), .badMessage, "lat", "got null", id: 4),
            Hostile(
                message(#""lat":"abc","lon":9,"at":1"#), .badMessage, "lat",
                #"field `lat`: expected a number from -90 to 90, got "abc""#, id: 4),
            Hostile(message(#""lat":"45","lon":9,"at":1"#), .badMessage, "lat", #"got "45""#, id: 4),
            Hostile(message(#""lat":90.0000001,"lon":9,"at":1"#), .badMessage, "lat", "got 90.0000001", id: 4),
            Hostile(message(#""lat":-91,"lon":9,"at":1"#), .badMessage, "lat", "got -91", id: 4),
            Hostile(message(#""lat":45,"at":1"#), .badMessage, "lon", "but it is missing", id: 4),
            Hostile(message(#""lat":45,"lon":180.1,"at":1"#), .badMessage, "lon", "from -180 to 180", id: 4),
            Hostile(message(#""lat":45,"lon":[9],"at":1"#), .badMessage, "lon", "got an array", id: 4),
            Hostile(message(#""lat":45,"lon":{},"at":1"#), .badMessage, "lon", "got an object", id: 4),
            Hostile(message(#""lat":45,"lon":9,"lon":false,"at":1"#), .badMessage, "lon", "got false", id: 4),
            Hostile(message(#""lat":0,"lon":0,"at":1"#), .badPosition, "lat", "both 0", id: 4),
            Hostile(message(#""lat":-0.0,"lon":0e5,"at":1"#), .badPosition, "lat", "both 0", id: 4),
            Hostile(message(#""lat":45,"lon":9"#), .badMessage, "at", "Unix milliseconds", id: 4),
            Hostile(message(#""lat":45,"lon":9,"at":-1"#), .badMessage, "at", "got -1", id: 4),
            Hostile(message(#""lat":45,"lon":9,"at":1.5"#), .badMessage, "at", "got 1.5", id: 4),
            Hostile(message(#""lat":45,"lon":9,"at":"2026-11-20""#), .badMessage, "at", "2026-11-20", id: 4),
            Hostile(message(#""lat":45,"lon":9,"at":1e20"#), .badMessage, "at", "got 1e20", id: 4),
            Hostile(message(#""lat":45,"lon":9,"at":1,"heading":361"#), .badMessage, "heading", "0 to 360", id: 4),
            Hostile(message(#""lat":45,"lon":9,"at":1,"heading":-1"#), .badMessage, "heading", "got -1", id: 4),
            Hostile(message(#""lat":45,"lon":9,"at":1,"speed":100.5"#), .badMessage, "speed", "m/s, 0 to 100", id: 4),
            Hostile(message(#""lat":45,"lon":9,"at":1,"speed":"8""#), .badMessage, "speed", #"got "8""#, id: 4),
            Hostile(message(#""lat":45,"lon":9,"at":1,"accuracy":-0.1"#), .badMessage, "accuracy", "metres", id: 4),
            Hostile(message(#""lat":45,"lon":9,"at":1,"accuracy":100001"#), .badMessage, "accuracy", "100000", id: 4),
        ])
    }

    @Test("R1 offers, rides and subscriptions: a field missing or wrong is named")
    func rides() {
        let long = String(repeating: "r", count: 65)
        let longChannel = String(repeating: "c", count: 129)
        check([
            Hostile(#"{"cmd":"offer.seen","id":5}"#, .badMessage, "ride", "but it is missing", id: 5),
            Hostile(#"{"cmd":"offer.accept","ride":null,"id":5}"#, .badMessage, "ride", "got null", id: 5),
            Hostile(#"{"cmd":"offer.accept","ride":17,"id":5}"#, .badMessage, "ride", "got 17", id: 5),
            Hostile(#"{"cmd":"offer.decline","ride":"","id":5}"#, .badMessage, "ride", "got an empty string", id: 5),
            Hostile(#"{"cmd":"offer.decline","ride":"\#(long)","id":5}"#, .badMessage, "ride", "1 to 64", id: 5),
            Hostile(#"{"cmd":"ride.end","ride":"r{x}","id":5}"#, .badMessage, "ride", #"got "r{x}""#, id: 5),
            Hostile(#"{"cmd":"ride.noshow","ride":"a\nb","id":5}"#, .badMessage, "ride", #"got "a\nb""#, id: 5),
            Hostile(#"{"cmd":"ride.cancel","ride":true,"id":5}"#, .badMessage, "ride", "got true", id: 5),
            Hostile(#"{"cmd":"ride.aboard","passengers":0,"id":5}"#, .badMessage, "passengers", "1 to 99", id: 5),
            Hostile(#"{"cmd":"ride.aboard","passengers":100,"id":5}"#, .badMessage, "passengers", "got 100", id: 5),
            Hostile(#"{"cmd":"ride.aboard","passengers":1.5,"id":5}"#, .badMessage, "passengers", "got 1.5", id: 5),
            Hostile(#"{"cmd":"ride.request","lat":45,"lon":9,"id":5}"#, .badMessage, "passengers", "missing", id: 5),
            Hostile(
                #"{"cmd":"ride.request","lat":45,"lon":9,"passengers":0,"id":5}"#, .badMessage, "passengers",
                "at least 1, got 0", id: 5),
            Hostile(
                #"{"cmd":"ride.request","lat":45,"lon":9,"passengers":1,"destination":5,"id":5}"#, .badMessage,
                "destination", "an object with lat and lon, got 5", id: 5),
            Hostile(
                #"{"cmd":"ride.request","lat":45,"lon":9,"passengers":1,"destination":{"lat":1},"id":5}"#, .badMessage,
                "destination.lon", "field `destination.lon`: expected a number", id: 5),
            Hostile(
                #"{"destination":{"lat":91,"lon":0},"cmd":"ride.request","lat":45,"lon":9,"passengers":1,"id":5}"#,
                .badMessage, "destination.lat", "got 91", id: 5),
            Hostile(#"{"cmd":"subscribe","id":5}"#, .badMessage, "channel", "but it is missing", id: 5),
            Hostile(#"{"cmd":"subscribe","channel":"a b","id":5}"#, .badMessage, "channel", "visible ASCII", id: 5),
            Hostile(#"{"cmd":"unsubscribe","channel":"\#(longChannel)","id":5}"#, .badMessage, "channel", "128", id: 5),
            Hostile(#"{"cmd":"unsubscribe","channel":{},"id":5}"#, .badMessage, "channel", "got an object", id: 5),
        ])
    }

    @Test("M3 feeds and topics: a field missing or wrong is named, within the filter too")
    func feeds() {
        func watch(_ fields: String) -> String { #"{"cmd":"watch","lat":45,"lon":9,\#(fields),"id":6}"# }
        func filter(_ fields: String) -> String { watch(#""radius":500,"filter":\#(fields)"#) }
        func publish(_ fields: String) -> String { #"{"cmd":"publish","channel":"topic:x",\#(fields),"id":6}"# }
        let long = String(repeating: "r", count: 65)
        check([
            Hostile(#"{"cmd":"watch","lon":9,"radius":500,"id":6}"#, .badMessage, "lat", "missing", id: 6),
            Hostile(watch(#""x":1"#), .badMessage, "radius", "metres, 50 to 5000, but it is missing", id: 6),
            Hostile(watch(#""radius":49.9"#), .badMessage, "radius", "got 49.9", id: 6),
            Hostile(watch(#""radius":5001"#), .badMessage, "radius", "got 5001", id: 6),
            Hostile(watch(#""radius":500,"max_rate":0.04"#), .badMessage, "max_rate", "0.05 to 20", id: 6),
            Hostile(watch(#""radius":500,"max_rate":"1""#), .badMessage, "max_rate", #"got "1""#, id: 6),
            Hostile(filter("[]"), .badMessage, "filter", "an object with kind, state, seats or route, got an", id: 6),
            Hostile(filter(#"{"kind":"taxi"}"#), .badMessage, "filter.kind", #"got "taxi""#, id: 6),
            Hostile(filter(#"{"kind":[]}"#), .badMessage, "filter.kind", "got an empty one", id: 6),
            Hostile(filter(#"{"kind":["taxi","tram"]}"#), .badMessage, "filter.kind", "a list of taxi, minibus", id: 6),
            Hostile(filter(#"{"state":["Busy"]}"#), .badMessage, "filter.state", "available, busy, unavail", id: 6),
            Hostile(filter(#"{"state":["busy",1]}"#), .badMessage, "filter.state", "something else", id: 6),
            Hostile(filter(#"{"state":[["busy"]]}"#), .badMessage, "filter.state", "something else", id: 6),
            Hostile(filter(#"{"seats":0}"#), .badMessage, "filter.seats", "1 to 99, got 0", id: 6),
            Hostile(filter(#"{"route":"\#(long)"}"#), .badMessage, "filter.route", "1 to 64 characters", id: 6),
            Hostile(filter(#"{"route":"-"}"#), .badMessage, "filter.route", "the first a letter or digit", id: 6),
            Hostile(
                #"{"cmd":"subscribe","channel":"zone:1","since":5,"id":6}"#, .badMessage, "since", "got 5", id: 6),
            Hostile(#"{"cmd":"seats.set","id":6}"#, .badMessage, "taken", "but it is missing", id: 6),
            Hostile(#"{"cmd":"seats.set","taken":-1,"id":6}"#, .badMessage, "taken", "0 to 99, got -1", id: 6),
            Hostile(#"{"cmd":"seats.set","taken":1.5,"id":6}"#, .badMessage, "taken", "got 1.5", id: 6),
            Hostile(#"{"cmd":"route.set","id":6}"#, .badMessage, "route", "but it is missing", id: 6),
            Hostile(#"{"cmd":"route.set","route":"","id":6}"#, .badMessage, "route", "got an empty string", id: 6),
            Hostile(#"{"cmd":"route.set","route":"R 7","id":6}"#, .badMessage, "route", #"got "R 7""#, id: 6),
            Hostile(#"{"cmd":"publish","data":{},"id":6}"#, .badMessage, "channel", "but it is missing", id: 6),
            Hostile(publish(#""type":"a""#), .badMessage, "data", "an object, but it is missing", id: 6),
            Hostile(publish(#""data":null"#), .badMessage, "data", "an object, got null", id: 6),
            Hostile(publish(#""data":[{}]"#), .badMessage, "data", "got an array", id: 6),
            Hostile(publish(#""type":"a b","data":{}"#), .badMessage, "type", #"got "a b""#, id: 6),
            Hostile(publish(#""type":"snapshot","data":{}"#), .badMessage, "type", "none of gap, snapshot", id: 6),
            Hostile(publish(#""type":"opened","data":{}"#), .badMessage, "type", "positions, opened", id: 6),
            Hostile(
                publish(#""data":{"a":"\#(String(repeating: "x", count: 8185))"}"#), .badMessage, "data",
                "at most 8192 bytes, got 8193", id: 6),
            Hostile(publish(#""data":{"a":}"#), .badMessage, nil, "expected a value"),
        ])
    }

    private func check(_ table: [Hostile]) {
        for row in table {
            let text = String(decoding: row.text.prefix(200), as: UTF8.self)
            guard case .refused(let id, let error) = decoded(row.text) else {
                Issue.record("accepted: \(text)")
                continue
            }
            #expect(error.code == row.code, "\(text)")
            #expect(error.field == row.field, "\(text)")
            #expect(error.detail.contains(row.detail), "\(text): \(error.detail)")
            #expect(id == row.id, "\(text)")
        }
    }
}
