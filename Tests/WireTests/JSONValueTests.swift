import Testing
import Wire

@Suite("The small tree")
struct JSONValueTests {
    @Test("errors have line and column, counted in characters")
    func places() {
        for (text, line, column, reason) in [
            ("", 1, 1, .empty), ("{\n  \"a\": 1,\n  \"b\" 2\n}", 3, 7, .expectedColon),
            ("[1,\r\n2,\r\n]", 3, 1, .expectedValue),
            ("\"é€\" x", 1, 6, .trailingBytes), ("[\"😀\", tru]", 1, 7, .badLiteral), ("{\"a\":1", 1, 7, .unexpectedEnd),
        ] as [(String, Int, Int, WireError.Reason)] {
            do throws(WireError) {
                let value = try JSONValue(parsing: text)
                Issue.record("\(text) was read as \(value)")
            } catch {
                #expect(error.line == line && error.column == column && error.reason == reason, "\(text): \(error)")
                #expect(error.description == "line \(line), column \(column): \(reason.rawValue)")
            }
        }
    }

    @Test("members keep their order and are found by key; a key that comes twice has its last value")
    func members() throws {
        let value = try JSONValue(parsing: #"{"b":1,"a":[true,null,"x",{"c":-2.5}],"b":3}"#)
        #expect(value.members?.keys == ["b", "a"])
        #expect(value["b"]?.integer == 3 && value["b"]?.double == 3)
        #expect(value["a"]?[0]?.boolean == true && value["a"]?[1]?.isNull == true && value["a"]?[2]?.text == "x")
        #expect(value["a"]?[3]?["c"]?.double == -2.5 && value["a"]?[3]?["c"]?.integer == nil)
        #expect(value["a"]?[4] == nil && value["a"]?[-1] == nil && value["z"] == nil && value[0] == nil)
        #expect(value["a"]?.elements?.count == 4 && value["a"]?.members == nil && value.elements == nil)
        #expect(value.description == #"{"b":3,"a":[true,null,"x",{"c":-2.5}]}"#)
    }

    @Test("keys are told apart by their bytes: composed and decomposed é are two")
    func keysAreBytes() throws {
        let value = try JSONValue(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}")
        #expect(value.members?.count == 2)
        #expect(value["\u{E9}"] == 1 && value["e\u{301}"] == 2)
    }

    @Test("objects of any size: set, replaced, removed")
    func objects() {
        for size in [0, 1, 16, 17, 18, 500] {
            var object = JSONObject()
            for number in 0..<size { object["k\(number)"] = .number(Double(number)) }
            for number in 0..<size { object["k\(number)"] = .number(Double(number + 1)) }
            #expect(object.count == size && object.isEmpty == (size == 0))
            #expect((0..<size).allSatisfy { object["k\($0)"]?.integer == Int64($0 + 1) })
            #expect(object["k\(size)"] == nil)
            let before = object
            object["k0"] = nil
            object["absent"] = nil
            #expect(object.count == max(0, size - 1) && object["k0"] == nil)
            #expect((1..<max(1, size)).allSatisfy { object["k\($0)"]?.integer == Int64($0 + 1) })
            if size > 0 {
                #expect(object != before)
                object["k0"] = 1
                #expect(object == before, "the order of members doesn't count")
                #expect(object.keys.last == "k0")
            }
        }
    }

    @Test("a whole number is exact up to 2^53 - 1 and is not claimed beyond")
    func integers() throws {
        #expect(try JSONValue(parsing: "9007199254740991").integer == 9_007_199_254_740_991)
        #expect(try JSONValue(parsing: "-9007199254740991").integer == -9_007_199_254_740_991)
        for text in ["9007199254740993", "9007199254740992", "1e300", "0.5", "\"1\"", "true"] {
            #expect(try JSONValue(parsing: text).integer == nil, "\(text)")
        }
        #expect(try JSONValue(parsing: "1.50e2").integer == 150)
    }

    @Test("strings: escapes, surrogate pairs and zero bytes")
    func strings() throws {
        #expect(
            try JSONValue(parsing: #""\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00\uDBFF\uDFFF\u0000""#)
                == .string("\"\\/\u{8}\u{C}\n\r\tAé€😀\u{10FFFF}\u{0}"))
    }

    @Test("depth: 32 containers are read, 33 are not")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: #"[{"a":"#, count: depth / 2) + (depth % 2 == 1 ? "[]" : "1")
                + String(repeating: "}]", count: depth / 2)
        }
        #expect(throws: Never.self) { try JSONValue(parsing: nested(32)) }
        #expect(throws: Never.self) { try JSONValue(parsing: nested(31)) }
        do throws(WireError) {
            _ = try JSONValue(parsing: nested(33))
            Issue.record("33 levels were read")
        } catch {
            #expect(error.reason == .tooDeep)
        }
    }

    @Test("an object of 10,000 keys, all the same or all different, is read in one pass")
    func manyKeys() throws {
        let different = "{" + (0..<10_000).map { "\"\($0)\":\($0)" }.joined(separator: ",") + "}"
        #expect(try JSONValue(parsing: different).members?.count == 10_000)
        let same = "{" + (0..<10_000).map { "\"k\":\($0)" }.joined(separator: ",") + "}"
        #expect(try JSONValue(parsing: same) == ["k": 9999])
    }

    @Test("the reader by itself: kinds must be asked for as they come")
    func reader() throws {
        let text = Array(#" {"a":[1,"x",true,null]} "#.utf8)
        try text.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            #expect(throws: WireError.self) {
                var other = reader
                _ = try other.number()
            }
            #expect(throws: WireError.self) {
                var other = reader
                try other.enterArray()
            }
            try reader.enterObject()
            let key = try #require(try reader.nextKey())
            #expect(reader.text(key) == "a")
            #expect(try reader.kind() == .array)
            try reader.enterArray()
            #expect(try reader.nextElement())
            #expect(try reader.number().integer == 1)
            #expect(try reader.nextElement())
            #expect(reader.text(try reader.string()) == "x")
            #expect(try reader.nextElement())
            #expect(try reader.bool())
            #expect(try reader.nextElement())
            try reader.null()
            #expect(try !reader.nextElement())
            #expect(try reader.nextKey() == nil)
            try reader.finish()
            #expect(reader.offset == text.count)
        }
    }
}
