import Testing
import Wire

@Suite("The hub's messages")
struct EncodeTests {
    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("each kind, byte by byte, and what a client reads from it")
    func kinds() throws {
        let data = Array(#"{"ride":"r_1","passengers":2}"#.utf8)
        let value: JSONValue = ["ride": "r_1", "passengers": 2]
        let table: [([UInt8], String, ServerMessage)] = [
            (Encode.replyOK(id: 7), #"{"id":7,"ok":{}}"#, .reply(id: 7, ok: [:])),
            (
                Encode.replyOK(id: 0, json: data), #"{"id":0,"ok":{"ride":"r_1","passengers":2}}"#,
                .reply(id: 0, ok: value)
            ),
            (
                Encode.replyOK(id: 2) { writer in
                    writer.beginObject()
                    writer.member("zone", "14")
                    writer.member("rank", 3)
                    writer.member("near", true)
                    writer.member("eta_s", 61.5)
                    writer.member("more", [1, nil, "x"])
                    writer.endObject()
                }, #"{"id":2,"ok":{"zone":"14","rank":3,"near":true,"eta_s":61.5,"more":[1,null,"x"]}}"#,
                .reply(id: 2, ok: ["zone": "14", "rank": 3, "near": true, "eta_s": 61.5, "more": [1, nil, "x"]])
            ),
            (
                Encode.event(
                    channel: "driver:T345", seq: "1795210210000-0", type: "offer.made", time: 1_795_210_210_000,
                    data: data),
                #"{"ch":"driver:T345","seq":"1795210210000-0","type":"offer.made","time":1795210210000,"#
                    + #""data":{"ride":"r_1","passengers":2}}"#,
                .event(
                    ch: "driver:T345", seq: "1795210210000-0", type: "offer.made", time: 1_795_210_210_000, data: value)
            ),
            (
                Encode.state(channel: "driver:T345", type: "queue.rank", time: 5, data: data),
                #"{"ch":"driver:T345","type":"queue.rank","time":5,"data":{"ride":"r_1","passengers":2}}"#,
                .state(ch: "driver:T345", type: "queue.rank", time: 5, data: value)
            ),
            (
                Encode.gap(channel: "passenger:p\"1"), #"{"ch":"passenger:p\"1","type":"gap"}"#,
                .gap(ch: "passenger:p\"1")
            ),
            (
                Encode.snapshot(channel: "passenger:p1", time: 5, data: data),
                #"{"ch":"passenger:p1","type":"snapshot","time":5,"data":{"ride":"r_1","passengers":2}}"#,
                .snapshot(ch: "passenger:p1", time: 5, data: value)
            ),
        ]
        for (bytes, expected, message) in table {
            #expect(text(bytes) == expected)
            #expect(try decodeServer(bytes) == message)
        }
        data.withUnsafeBytes { borrowed in
            #expect(
                Encode.event(channel: "c", seq: "1", type: "t", time: 1, data: borrowed)
                    == Encode.event(channel: "c", seq: "1", type: "t", time: 1, data: data))
            #expect(
                Encode.state(channel: "c", type: "t", time: 1, data: borrowed)
                    == Encode.state(channel: "c", type: "t", time: 1, data: data))
        }
    }

    @Test("a refusal carries code, title, detail and retry, the field if there is one, the id if it could be read")
    func errors() throws {
        let error = ErrorReply(code: .offerExpired, detail: "It was due at 12:00; it went to another driver.")
        #expect(
            text(Encode.error(id: 3, error))
                == #"{"id":3,"error":{"code":"offer_expired","title":"The offer has expired","#
                + #""detail":"It was due at 12:00; it went to another driver.","retry":false}}"#)
        for code in ErrorCode.allCases {
            let reply = ErrorReply(code: code, field: "lat", detail: "a \"b\"\n\u{1F6D1}")
            let bytes = Encode.error(id: nil, reply)
            #expect(
                try decodeServer(bytes) == .error(id: nil, code: code, detail: reply.detail, retry: code.retry))
            let object = try JSONValue(parsing: bytes)
            #expect(object["id"] == nil && object["error"]?["field"] == "lat")
            #expect(object["error"]?["title"]?.text == code.title)
        }
    }

    @Test("strings are escaped where JSON requires it, and nowhere else")
    func escapes() throws {
        for (string, json) in [
            ("", #""""#), ("a/b'c", #""a/b'c""#), ("\"\\", #""\"\\""#), ("\n\r\t\u{8}\u{C}", #""\n\r\t\b\f""#),
            ("\u{0}\u{1F}\u{7F}", "\"\\u0000\\u001f\u{7F}\""), ("é€😀\u{2028}", "\"é€😀\u{2028}\""),
            ("end\\", #""end\\""#), ("\"\"", #""\"\"""#),
        ] {
            var writer = JSONWriter()
            writer.string(string)
            #expect(text(writer.bytes) == json)
            #expect(try JSONValue(parsing: writer.bytes) == .string(string))
        }
        var writer = JSONWriter()
        [UInt8](arrayLiteral: 0x61, 0xFF, 0x62).withUnsafeBytes { writer.string(utf8: $0) }
        #expect(text(writer.bytes) == "\"a\u{FFFD}b\"")
    }

    @Test("commas stand between, and a writer can be used again")
    func structure() {
        var writer = JSONWriter()
        for _ in 0..<2 {
            writer.removeAll()
            writer.beginArray()
            writer.beginObject()
            writer.endObject()
            writer.null()
            writer.beginObject()
            writer.key(escaping: "a\"b")
            writer.beginArray()
            writer.endArray()
            writer.member("c", Int64.min)
            writer.endObject()
            writer.raw([UInt8(ascii: "1")])
            writer.bool(false)
            writer.endArray()
            #expect(text(writer.bytes) == #"[{},null,{"a\"b":[],"c":-9223372036854775808},1,false]"#)
        }
    }

    @Test("rows of positions: the full row of the contract, and the short one of a moving vehicle in at most 40 bytes")
    func positions() throws {
        let full = PositionRow(
            id: "T345", lat: 45.464211, lon: 9.191383, heading: 271, state: .available, seats: 4,
            at: 1_795_210_199_000)
        #expect(text(written([full])) == #"[["T345",45.46421,9.19138,271,"available",4,1795210199000]]"#)
        let moving = PositionRow(id: "T345", lat: -45.464211, lon: -179.191383, heading: 271.4, rest: .moved(age: 812))
        #expect(text(written([moving])) == #"[["T345",-45.46421,-179.19138,271,812]]"#)
        #expect(written([moving]).count <= 42)
    }

    private func written(_ rows: [PositionRow]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        for row in rows { row.encode(into: &writer) }
        writer.endArray()
        return writer.bytes
    }

    @Test("M3 trailing fields of a full row only as far as one is not the usual")
    func trailing() {
        func written(_ freshness: Freshness, _ kind: VehicleKind, _ route: String?) -> String {
            var writer = JSONWriter()
            let full = PositionRow.Full(
                state: .busy, seats: nil, at: 1, freshness: freshness, kind: kind, route: route)
            PositionRow(id: "a", lat: 1, lon: 2, heading: nil, rest: .full(full)).encode(into: &writer)
            return text(writer.bytes)
        }
        let begin = #"["a",1,2,null,"busy",null,1"#
        #expect(written(.live, .taxi, nil) == begin + "]")
        #expect(written(.stale, .taxi, nil) == begin + #","stale"]"#)
        #expect(written(.live, .minibus, nil) == begin + #","live","minibus"]"#)
        #expect(written(.live, .taxi, "R7") == begin + #","live","taxi","R7"]"#)
        #expect(written(.stale, .bus, "R7") == begin + #","stale","bus","R7"]"#)
    }

    @Test("rows read back as they were, to the decimals that are sent")
    func positionsReadBack() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            let full = PositionRow.Full(
                state: VehicleState.allCases.randomElement(using: &random)!,
                seats: Bool.random(using: &random) ? nil : .random(in: 0...8, using: &random),
                at: .random(in: 0...WireLimits.largestInteger, using: &random),
                freshness: Bool.random(using: &random) ? .live : .stale,
                kind: VehicleKind.allCases.randomElement(using: &random)!,
                route: Bool.random(using: &random) ? nil : random.identifier())
            let row = PositionRow(
                id: random.identifier(), lat: (random.number(-90...90) * 1e5).rounded() / 1e5,
                lon: (random.number(-180...180) * 1e5).rounded() / 1e5,
                heading: Bool.random(using: &random) ? nil : Double(Int.random(in: 0..<360, using: &random)),
                rest: Bool.random(using: &random)
                    ? .moved(age: .random(in: -5000...600_000, using: &random)) : .full(full))
            guard
                case .positions(_, _, _, let data) = try decodeServer(
                    Encode.state(channel: "near", type: "positions", time: 1, data: written([row, row])))
            else {
                Issue.record("not a state")
                return
            }
            #expect(data.elements?.map(PositionRow.init) == [row, row])
        }
        for (heading, written) in [(359.6, 0.0), (360, 0), (0.4, 0), (-90, 270), (89.5, 90)] {
            var writer = JSONWriter()
            PositionRow(id: "a", lat: 1, lon: 2, heading: heading, rest: .moved(age: 0)).encode(into: &writer)
            #expect(try JSONValue(parsing: writer.bytes)[3] == .number(written))
        }
        for text in [
            "[]", "{}", #"["a",1]"#, #"["a",1,2]"#, #"["a",1,2,3]"#, #"["a",1,2,"x",4]"#, #"["a",1,2,3,4.5]"#,
            #"["a",1,2,3,"busy"]"#, #"["a",1,2,3,"away",5,6]"#, #"["a",1,2,3,"busy","x",6]"#,
            #"["a",1,2,3,"busy",null,6,"old"]"#, #"["a",1,2,3,"busy",null,6,"live","tram"]"#,
            #"["a",1,2,3,"busy",null,6,"live","bus",7]"#,
        ] {
            #expect(PositionRow(try JSONValue(parsing: text)) == nil, "\(text)")
        }
    }

    @Test("what is no message of the hub is refused by its clients")
    func notOurs() {
        for text in [
            "", "[]", "{}", #"{"id":1}"#, #"{"ok":{}}"#, #"{"id":"1","ok":{}}"#, #"{"id":1.5,"ok":{}}"#,
            #"{"id":1,"error":{}}"#, #"{"error":{"code":"no_such_code","detail":"","retry":false}}"#,
            #"{"id":"x","error":{"code":"forbidden","detail":"","retry":false}}"#,
            #"{"error":{"code":"forbidden","detail":"","retry":"no"}}"#, #"{"ch":"a"}"#, #"{"ch":1,"type":"gap"}"#,
            #"{"ch":"a","type":"snapshot","time":1}"#, #"{"ch":"a","type":"t","data":{}}"#,
            #"{"ch":"a","type":"t","seq":1,"time":1,"data":{}}"#, #"{"ch":"a","type":"t","time":"1","data":{}}"#,
        ] {
            #expect(throws: WireError.self, "\(text)") { try decodeServer(Array(text.utf8)) }
        }
    }
}
