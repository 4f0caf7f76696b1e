import Foundation
import SwiftProtobuf
import Testing
import Wire
import WireProtobuf

@Suite("Reading binary commands")
struct DecodeTests {
    @Test("every command with every field is read as its JSON is")
    func everyCommand() throws {
        let wire = ProtobufWire()
        for name in Command.rules.map(\.name) + ["no.such"] {
            // A route that is not there is none here, and a fault in JSON.
            for fields in Self.fields where name != "route.set" || fields.hasPrefix(#""route"#) {
                let json = #"{"id":9,"cmd":"\#(name)",\#(fields)}"#
                let bytes = try ClientBytes.encode(JSONValue(parsing: Array(json.utf8)))
                let expected = Array(json.utf8).withUnsafeBytes { Wire.decode($0) }
                let decoded = bytes.withUnsafeBytes { wire.decode($0) }
                // The words are the same but for what stood in the place of a wrong number.
                #expect(decoded == expected, "\(json)")
            }
        }
    }

    private static let fields = [
        #""lat":45.464211,"lon":-9.1913831234567891,"at":1795210200000,"heading":271.25,"speed":8.3,"accuracy":6"#,
        #""lat":0,"lon":0,"at":0"#,
        #""lat":-0.000001234,"lon":179.99999999999997,"at":9007199254740991,"heading":0"#,
        #""lat":91.5,"lon":9,"at":1"#,
        #""ride":"r_1","passengers":2,"key":"k-1""#,
        #""ride":"\"\\\n\u0001é😀","key":"k""#,
        #""lat":45.1,"lon":9.2,"passengers":4,"destination":{"lat":45.0,"lon":0}"#,
        #""lat":45.1,"lon":9.2,"passengers":0,"destination":{"lat":95.0,"lon":0}"#,
        #""lat":45.1,"lon":9.2,"passengers":1,"destination":{"lat":45.0}"#,
        #""channel":"vehicle:T1""#,
        #""channel":"zone:14","filter":{"kind":["taxi","bus"],"state":["busy"],"seats":2,"route":"R7"},"max_rate":0.5"#,
        #""channel":"zone:14","filter":{},"max_rate":1000"#,
        #""channel":"topic:news","since":"1-0""#,
        #""lat":45.1,"lon":9.2,"radius":1000,"filter":{"kind":["tram"]}"#,
        #""taken":3"#,
        #""bus":"B7","line":"52","pattern":"52:0","trip":"é","tour":"t_1","skip":true"#,
        #""bus":"B7","line":"52","tour":"t 1","skip":false"#,
        #""taken":3,"reason":"walk_on""#,
        #""booking":"b_1","passengers":2"#,
        #""vehicle":"M7","pickup":{"lat":45.1,"lon":9.2},"destination":{"lat":45.0,"lon":0},"passengers":4"#,
        #""vehicle":"M7","pickup":{"lat":45.1},"destination":{"lat":45.0,"lon":0},"passengers":4"#,
        #""route":"R7","start":{"lat":45.1,"lon":9.2},"via":[{"lat":1,"lon":2},{"lat":3,"lon":4}],"end":{"lat":45,"lon":0}"#,
        #""route":"R7","end":{"lat":45,"lon":0}"#,
        #""mute":["eta","answers"],"quiet":{"from":1320,"to":360}"#,
        #""mute":["noise"],"quiet":{"from":1440}"#,
        #""quiet":{"from":1,"to":2,"time_zone":"Europe/Berlin"}"#,
        #""quiet":{"from":1,"to":2,"time_zone":"Europe Berlin"}"#,
        #""route":null,"start":{"lat":45.1,"lon":9.2},"via":[{"lat":1,"lon":200}],"end":{"lat":45,"lon":0}"#,
        #""route":"R7""#,
        #""route":null"#,
        #""channel":"topic:news","type":"roadworks","data":{"a":[1,{"b":null}],"c":"é"}"#,
        #""channel":"topic:news","data":{"a":1.5}"#,
        #""token":"a.b.c","resume":{"driver:T1":"1-0"}"#,
        // Their numbers are above 127.
        #""trip":"r_1","state":"paid","reference":"pay_1","stars":5,"comment":"Kind.","payment":"cash""#,
        #""needs":["wheelchair"],"stars":0,"comment":"","reference":"4111111111111111","trip":"r_1","state":"paid""#,
    ]

    @Test("entries of maps and lists may stand between other fields; the last value of any other counts")
    func scattered() throws {
        func bytes(_ json: String) throws -> [UInt8] { try ClientBytes.encode(JSONValue(parsing: Array(json.utf8))) }
        let message =
            try bytes(#"{"id":1,"cmd":"bye","resume":{"a":"1"}}"#) + bytes(#"{"token":"x"}"#)
            + bytes(#"{"id":2,"cmd":"hello","resume":{"b":"2"}}"#) + [0xF8, 0x3F, 0x05, 0xFD, 0x3F, 1, 2, 3, 4]
        let decoded = message.withUnsafeBytes { ProtobufWire().decode($0) }
        #expect(
            decoded
                == .message(
                    ClientMessage(
                        id: 2,
                        command: .session(
                            .hello(
                                token: "x",
                                resume: [ResumePoint(channel: "a", seq: "1"), ResumePoint(channel: "b", seq: "2")])))))
    }

    @Test(
        "malformed bytes are refused by name",
        arguments: [
            ([0x08], nil, "byte 1: the bytes end before the field does"),
            ([0x08, 0x80], nil, "byte 2: the bytes end before the field does"),
            ([0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02], nil, "a number of more than 64 bits"),
            ([0x00, 0x00], nil, "byte 0: a field number that there can't be"),
            ([0x0B], nil, "byte 0: a wire type that is not used"),
            ([0x12, 0x05, 0x61], nil, "the bytes end before the field does"),
            ([0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], nil, "the bytes end before"),
            ([0x08, 0x07, 0x10, 0x01], "cmd", "field `cmd`, byte 3: the field is of another type"),
            ([0x12, 0x02, 0xC3, 0x28], "cmd", "field `cmd`, byte 4: the text is not UTF-8"),
            ([0x12, 0x03, 0xED, 0xA0, 0x80], "cmd", "the text is not UTF-8"),
            ([0x21, 0, 0, 0, 0, 0, 0, 0xF8, 0x7F], "lat", "field `lat`, byte 9: the number is not finite"),
            ([0x62, 0x02, 0x0A, 0x00], "destination.lat", "byte 3: the field is of another type"),
            ([0x62, 0x05, 0x09, 0x00], nil, "the bytes end before"),
            ([0x7A, 0x02, 0x08, 0x00], "resume", "the field is of another type"),
            ([0xBA, 0x01, 0x02, 0x31, 0x2C], "data", "the bytes are not one JSON value"),
            ([0xBA, 0x01, 0x00], "data", "the bytes are not one JSON value"),
        ] as [([UInt8], String?, String)])
    func malformed(bytes: [UInt8], field: String?, detail: String) {
        guard case .refused(let id, let error) = bytes.withUnsafeBytes({ ProtobufWire().decode($0) }) else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .badMessage && error.field == field && error.detail.contains(detail), "\(error.detail)")
        // An id that came before the fault is given back.
        #expect(id == (bytes.starts(with: [0x08, 0x07]) ? 7 : nil))
    }

    @Test(
        "a message has at most 256 fields, those within others counted, and 64 of them in one object",
        arguments: [
            ([0x62, 0x00], 62, "there is no command"),  // empty objects
            ([0x62, 0x00], 63, "more than 64 members in one object"),
            ([0x62, 0x00], 255, "more than 256 fields"),
            ([0x58, 0x01], 32_000, "more than 256 fields"),  // small numbers
            ([0xF8, 0x3F, 0x05], 254, "there is no command"),  // fields that nobody knows
            ([0xF8, 0x3F, 0x05], 255, "more than 256 fields"),
            ([0x9A, 0x02, 0x00], 254, "there is no command"),  // elements of a list
            ([0x9A, 0x02, 0x00], 255, "more than 256 fields"),
            ([0x9A, 0x02, 0x09, 0x09, 1, 0, 0, 0, 0, 0, 1, 0], 127, "there is no command"),  // with a field each
            ([0x9A, 0x02, 0x09, 0x09, 1, 0, 0, 0, 0, 0, 1, 0], 128, "more than 256 fields"),
            ([0x7A, 0x00], 254, "there is no command"),  // pairs of a map
            ([0x7A, 0x00], 255, "more than 256 fields"),
        ] as [([UInt8], Int, String)])
    func manyFields(piece: [UInt8], count: Int, detail: String) {
        let wire = ProtobufWire()
        let message = [0x08, 0x07, 0x12, 0x03, 0x62, 0x79, 0x65] + Array(repeatElement(piece, count: count).joined())
        guard case .refused(7, let error) = message.withUnsafeBytes({ wire.decode($0) }) else {
            Issue.record("not refused")
            return
        }
        #expect(error.detail.contains(detail), "\(error.detail)")
        #expect(wire.readBytes <= max(message.count, 10_000))
    }

    @Test("a text of quotes, a text of control characters, and JSON in `data`, each as long as a message may be")
    func longTexts() throws {
        func read(_ change: (inout Kerbside_V1_ClientMessage) -> Void) throws -> (refused: ErrorReply?, grown: Double) {
            var message = Kerbside_V1_ClientMessage()
            message.cmd = "bye"
            change(&message)
            let bytes: [UInt8] = try message.serializedBytes()
            let wire = ProtobufWire()
            guard case .refused(_, let error) = bytes.withUnsafeBytes({ wire.decode($0) }) else { return (nil, 0) }
            return (error.code == .unknownCommand ? nil : error, Double(wire.readBytes) / Double(bytes.count))
        }
        let quotes = try read { $0.text = String(repeating: "\"\\\n", count: 21_000) }
        #expect(quotes.refused == nil && quotes.grown > 1.9)
        let json = try read { $0.data = Data(#"{"a":"\#(String(repeating: #"\"\u0001"#, count: 8_000))"}"#.utf8) }
        #expect(json.refused == nil && json.grown < 1.01)
        let controls = try read { $0.text = String(repeating: "\u{1}", count: 64_000) }
        #expect(controls.refused?.field == "text")
        // In a short one there is room for them: what it says is refused by its own rules.
        #expect(try read { $0.text = String(repeating: "\u{1}", count: 1_000) }.refused == nil)
    }

    @Test("the longest messages that apps have grow by less than 3 KiB, so none comes near the limit")
    func realMessages() throws {
        let point = #"{"lat":45.464211234567891,"lon":9.1913831234567891}"#
        let way =
            #""start":\#(point),"via":[\#(Array(repeating: point, count: 50).joined(separator: ","))],"end":\#(point)"#
        let channels = (0..<16).map { #""topic:\#(String(repeating: "t", count: 120))\#($0)":"1795210200000-0""# }
        let texts =
            [
                #"{"id":9007199254740991,"cmd":"route.set","key":"k","route":"R7",\#(way)}"#,
                #"{"id":1,"cmd":"hello","token":"\#(String(repeating: "x", count: 4_096))","resume":{\#(channels.joined(separator: ","))}}"#,
                #"{"id":1,"cmd":"broadcast","to":"drivers","zone":"14","text":"\#(String(repeating: #"\""#, count: 500))"}"#,
            ] + Self.fields.map { #"{"id":9007199254740991,"cmd":"stop.request",\#($0)}"# }
        for text in texts {
            let wire = ProtobufWire()
            let bytes = try ClientBytes.encode(JSONValue(parsing: Array(text.utf8)))
            if case .refused(_, let error) = bytes.withUnsafeBytes({ wire.decode($0) }) {
                #expect(!error.detail.contains("takes more than") && !error.detail.contains("more than 256"), "\(text)")
            }
            #expect(wire.readBytes <= bytes.count + 3_072, "\(wire.readBytes) of \(bytes.count): \(text)")
        }
    }

    @Test("an empty message lacks its command; JSON in `data` can't reach out of it")
    func edges() {
        guard case .refused(nil, let error) = ProtobufWire().decode(UnsafeRawBufferPointer(start: nil, count: 0)) else {
            Issue.record("not refused")
            return
        }
        #expect(error.field == "cmd")
        var message = Kerbside_V1_ClientMessage()
        message.id = 1
        message.cmd = "driver.available"
        message.data = Data(#"{},"cmd":"driver.unavailable""#.utf8)
        let bytes: [UInt8] = (try? message.serializedBytes()) ?? []
        guard case .refused(1, let refusal) = bytes.withUnsafeBytes({ ProtobufWire().decode($0) }) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.field == "data")
    }

    @Test("a double comes back as the very same")
    func doubles() throws {
        let wire = ProtobufWire()
        var random = SystemRandomNumberGenerator()
        var values = [
            1e-6, 1.0.nextUp, 180.0.nextDown, 1e-300, .leastNonzeroMagnitude, 0.1, 100_000.0.nextDown, 1e-6.nextUp,
        ]
        for _ in 0..<20_000 { values.append(Double.random(in: 0...180, using: &random)) }
        for _ in 0..<20_000 { values.append(Double.random(in: 0...1e-4, using: &random)) }
        for value in values {
            var message = Kerbside_V1_ClientMessage()
            message.cmd = "position"
            message.lat = -min(value, 90)
            message.lon = value > 180 ? 1 : value
            message.at = 5
            message.accuracy = value
            let bytes: [UInt8] = try message.serializedBytes()
            let decoded = bytes.withUnsafeBytes { wire.decode($0) }
            let fix = PositionFix(lat: message.lat, lon: message.lon, at: 5, accuracy: value)
            guard decoded == .message(ClientMessage(command: .position(fix))) else {
                Issue.record("\(value): \(decoded)")
                return
            }
        }
    }

    @Test("no bytes make it trap: random ones, and true messages with changes")
    func random() throws {
        let wire = ProtobufWire()
        var random = SystemRandomNumberGenerator()
        let messages = try ContractExample.commands.map { try ClientBytes.encode($0.message) }
        for round in 0..<60_000 {
            var bytes: [UInt8]
            if round % 3 == 0 {
                bytes = (0..<Int.random(in: 0...40)).map { _ in UInt8.random(in: 0...255, using: &random) }
            } else {
                bytes = messages.randomElement(using: &random)!
                for _ in 0..<Int.random(in: 1...3) where !bytes.isEmpty {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0...3) {
                    case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                    case 1: bytes.remove(at: place)
                    case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                    default: bytes.removeSubrange(place...)
                    }
                }
            }
            if case .refused(_, let error) = bytes.withUnsafeBytes({ wire.decode($0) }) {
                #expect(!error.detail.isEmpty)
            }
        }
    }
}
