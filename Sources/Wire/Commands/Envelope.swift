/// One object of a client, read in one pass and wholly checked as JSON, its fields kept by place. Nothing is allocated.
/// A key that comes twice counts with its last value. Valid as long as the bytes are.
struct Envelope {
    /// A field's value: its kind, where it stands, and its number if it is one.
    struct Slot {
        /// nil when the field is absent.
        var kind: JSONReader.Kind?
        var hasEscapes = false
        var start = 0
        var end = 0
        var number = 0.0

        /// The string without its quotes; only for a string.
        var token: JSONStringToken { JSONStringToken(start: start + 1, end: end - 1, hasEscapes: hasEscapes) }
        /// Neither absent nor null.
        var isThere: Bool { kind != nil && kind != .null }
    }

    /// A key, and the value that stands behind it, in 32 bytes.
    struct Member {
        private let keyStart, keyEnd, start, end: UInt32
        private let number: Double
        private let kind: JSONReader.Kind?
        private let keyHasEscapes, hasEscapes: Bool

        init(key: JSONStringToken, value: Slot) {
            (keyStart, keyEnd) = (UInt32(key.start), UInt32(key.end))
            (start, end) = (UInt32(value.start), UInt32(value.end))
            (number, kind) = (value.number, value.kind)
            (keyHasEscapes, hasEscapes) = (key.hasEscapes, value.hasEscapes)
        }

        var key: JSONStringToken {
            JSONStringToken(start: Int(keyStart), end: Int(keyEnd), hasEscapes: keyHasEscapes)
        }
        var value: Slot {
            Slot(kind: kind, hasEscapes: hasEscapes, start: Int(start), end: Int(end), number: number)
        }

        /// Whether a key can be so long with its escapes, of which the longest are six bytes for one.
        func canBe(_ name: StaticString) -> Bool {
            let count = Int(keyEnd - keyStart)
            return keyHasEscapes
                ? (name.utf8CodeUnitCount...6 * name.utf8CodeUnitCount).contains(count)
                : count == name.utf8CodeUnitCount
        }
    }

    typealias Members = UnsafeMutableBufferPointer<Member>

    private(set) var reader: JSONReader
    /// The field whose value the object is; empty: none.
    private let path: StaticString
    /// The members that were read; those for which `members` has no room are in `more`.
    private let members, more: Members
    private var count = 0
    /// What fits on the stack without a question: the standard library looks for 1 KiB at most.
    private static let membersInOne = WireLimits.members / 2

    /// Without room for members it can only be read one by one.
    init(
        _ bytes: UnsafeRawBufferPointer, path: StaticString = "", members: Members = Members(start: nil, count: 0),
        more: Members = Members(start: nil, count: 0)
    ) {
        reader = JSONReader(bytes)
        self.path = path
        (self.members, self.more) = (members, more)
    }

    /// Gives the object, not yet scanned, with room on the stack for its members.
    static func with<Result>(
        _ bytes: UnsafeRawBufferPointer, path: StaticString = "", _ body: (inout Envelope) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(of: Member.self, capacity: membersInOne) { members in
            withUnsafeTemporaryAllocation(of: Member.self, capacity: membersInOne) { more in
                var envelope = Envelope(bytes, path: path, members: members, more: more)
                return body(&envelope)
            }
        }
    }

    /// The field of that name; one without a kind if it is absent.
    subscript(name: StaticString) -> Slot {
        var index = count - 1
        while index >= 0 {
            let member = index < members.count ? members[index] : more[index - members.count]
            if member.canBe(name), reader.withBytes(member.key, { name ~= ByteText($0) }) { return member.value }
            index -= 1
        }
        return Slot()
    }

    /// The bytes of a value.
    func bytes(of slot: Slot) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: reader.bytes[slot.start..<slot.end])
    }

    /// How a field is called in errors.
    func name(_ field: StaticString) -> String { path.utf8CodeUnitCount == 0 ? "\(field)" : "\(path).\(field)" }

    /// Reads everything, up to `WireLimits.members`. After an error the fields that came before it are there.
    mutating func scan() throws(WireError) {
        try enter()
        while let member = try nextMember() {
            if count < members.count {
                members.initializeElement(at: count, to: member)
            } else if count - members.count < more.count {
                more.initializeElement(at: count - members.count, to: member)
            } else {
                throw WireError(.tooManyMembers, at: reader.offset)
            }
            count += 1
        }
        try reader.finish()
    }

    /// For an object that is read member by member instead of by `scan`.
    mutating func enter() throws(WireError) {
        guard try reader.kind() == .object else { throw WireError(.notAnObject, at: reader.offset) }
        try reader.enterObject()
    }

    /// The next member whatever its name is; nil at the end.
    mutating func nextMember() throws(WireError) -> Member? {
        guard let key = try reader.nextKey() else { return nil }
        var slot = Slot(kind: try reader.kind(), start: reader.offset)
        switch slot.kind {
        case .number: slot.number = try reader.number().double
        case .string: slot.hasEscapes = try reader.string().hasEscapes
        default: try reader.skipValue()
        }
        slot.end = reader.offset
        return Member(key: key, value: slot)
    }

    /// The `id` if it is there and valid: what a refusal for any other reason still carries.
    var usableID: Int64? {
        let slot = self["id"]
        return slot.kind == .number ? Self.whole(slot.number, 0...WireLimits.largestInteger) : nil
    }

    /// The number as a whole one if it is one and in the range, which lies within ±(2^53 - 1), where a double is exact.
    static func whole(_ number: Double, _ range: ClosedRange<Int64>) -> Int64? {
        guard let whole = Int64(exactly: number), range.contains(whole) else { return nil }
        return whole
    }
}

/// Fields, and the refusals of wrong ones: they name the field, what was expected and what came.
extension Envelope {
    func required<Kind: FieldKind>(_ name: StaticString, _ kind: Kind) throws(ErrorReply) -> Kind.Value {
        let slot = self[name]
        guard slot.isThere else { throw refusal(name, kind.expected) }
        return try kind.read(name, slot, of: self)
    }

    /// Throws if the field is absent.
    func demand(_ name: StaticString, _ kind: some FieldKind) throws(ErrorReply) {
        if !self[name].isThere { throw refusal(name, kind.expected) }
    }

    /// Nil if the field is absent; one that is `null` counts as absent.
    func optional<Kind: FieldKind>(_ name: StaticString, _ kind: Kind) throws(ErrorReply) -> Kind.Value? {
        let slot = self[name]
        guard slot.isThere else { return nil }
        return try kind.read(name, slot, of: self)
    }

    /// "field `lat`: expected a number from -90 to 90, got "abc"".
    func refusal(_ field: StaticString, _ expected: StaticString, isSecret: Bool = false) -> ErrorReply {
        refusal(field, expected, got: got(self[field], isSecret: isSecret))
    }

    func refusal(_ field: StaticString, _ expected: StaticString, got: String) -> ErrorReply {
        Self.refusal(name(field), expected, got: got)
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
        case .string, .number, .bool, .null: return "got " + quoted(slot)
        }
    }

    /// The text of a value, cut after some 40 bytes, at the end of a character.
    func quoted(_ slot: Slot) -> String {
        let bytes = bytes(of: slot)
        guard bytes.count > WireLimits.quotedBytes else { return String(decoding: bytes, as: UTF8.self) }
        var end = WireLimits.quotedBytes
        while bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[..<end]), as: UTF8.self) + "…"
    }
}
