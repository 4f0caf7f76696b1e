/// Typed access to the fields. An optional field that is `null` counts as absent. A wrong one throws the refusal that
/// names it, what was expected and what came.
extension Envelope {
    /// Which characters a text may have.
    enum Alphabet {
        /// `[A-Za-z0-9_.:-]`
        case identifier
        /// ASCII without space and control characters.
        case visible

        func contains(_ byte: UInt8) -> Bool {
            switch self {
            case .visible: byte > 0x20 && byte < 0x7F
            case .identifier:
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
        }
    }

    func double(_ field: Field, _ range: ClosedRange<Double>, _ expected: StaticString) throws(ErrorReply) -> Double? {
        let slot = self[field]
        guard let kind = slot.kind, kind != .null else { return nil }
        guard kind == .number, range.contains(slot.number) else { throw refusal(field, expected) }
        return slot.number
    }

    func whole(_ field: Field, _ range: ClosedRange<Int64>, _ expected: StaticString) throws(ErrorReply) -> Int64? {
        let slot = self[field]
        guard let kind = slot.kind, kind != .null else { return nil }
        guard kind == .number, let whole = Self.whole(slot.number, range) else { throw refusal(field, expected) }
        return whole
    }

    func flag(_ field: Field) throws(ErrorReply) -> Bool? {
        let slot = self[field]
        guard let kind = slot.kind, kind != .null else { return nil }
        guard kind == .bool else { throw refusal(field, "true or false") }
        return reader.bytes[slot.start] == UInt8(ascii: "t")
    }

    func text(
        _ field: Field, _ alphabet: Alphabet, upTo limit: Int, _ expected: StaticString
    ) throws(ErrorReply) -> String? {
        let slot = self[field]
        guard let kind = slot.kind, kind != .null else { return nil }
        guard kind == .string, isText(slot.token, alphabet, upTo: limit) else { throw refusal(field, expected) }
        return reader.text(slot.token)
    }

    func isText(_ token: JSONStringToken, _ alphabet: Alphabet, upTo limit: Int) -> Bool {
        reader.withBytes(token) { bytes in
            guard bytes.count > 0, bytes.count <= limit else { return false }
            for byte in bytes where !alphabet.contains(byte) { return false }
            return true
        }
    }

    /// To be asked before an optional value is taken as a required one.
    func require(_ field: Field, _ expected: StaticString) throws(ErrorReply) {
        guard let kind = self[field].kind, kind != .null else { throw refusal(field, expected) }
    }

    /// "field `lat`: expected a number from -90 to 90, got "abc"".
    func refusal(_ field: Field, _ expected: StaticString) -> ErrorReply {
        Self.refusal(name(field), expected, got: got(self[field], isSecret: field == .token))
    }

    static func refusal(_ field: String, _ expected: StaticString, got: String) -> ErrorReply {
        ErrorReply(code: .badMessage, field: field, detail: "field `\(field)`: expected \(expected), \(got)")
    }

    /// What came instead, for people: short, and never a token, as details end up in logs.
    func got(_ slot: Slot, isSecret: Bool = false) -> String {
        guard let kind = slot.kind else { return "but it is missing" }
        switch kind {
        case .object: return "got an object"
        case .array: return "got an array"
        case .number where isSecret: return "got a number"
        case .string where isSecret: return "got another string"
        case .string where slot.end - slot.start == 2: return "got an empty string"
        case .string, .number, .bool, .null: return "got " + Self.quoted(reader.bytes, slot.start..<slot.end)
        }
    }

    /// The text of the range, cut after some 40 bytes, at the end of a character.
    static func quoted(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> String {
        var end = range.upperBound
        if range.count > WireLimits.quotedBytes {
            end = range.lowerBound + WireLimits.quotedBytes
            while bytes[end] & 0xC0 == 0x80 { end -= 1 }
        }
        let text = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range.lowerBound..<end]), as: UTF8.self)
        return end == range.upperBound ? text : text + "…"
    }
}
