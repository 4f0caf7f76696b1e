/// What a field may hold: how it is read, how it is written, and what a refusal calls it.
protocol FieldKind<Value>: Sendable {
    associatedtype Value: Sendable
    /// For people: "a number from -90 to 90".
    var expected: StaticString { get }

    /// The value of a field that is neither absent nor null. Throws the refusal of a wrong one.
    func read(
        _ name: StaticString, _ slot: Envelope.Slot, of object: Envelope
    ) throws(ErrorReply) -> Value
    /// The value alone; its name stands before it.
    func write(_ value: Value, into writer: inout JSONWriter)
}

struct NumberKind: FieldKind {
    let range: ClosedRange<Double>
    let expected: StaticString

    init(_ range: ClosedRange<Double>, _ expected: StaticString) {
        self.range = range
        self.expected = expected
    }

    func read(
        _ name: StaticString, _ slot: Envelope.Slot, of object: Envelope
    ) throws(ErrorReply) -> Double {
        guard slot.kind == .number, range.contains(slot.number) else { throw object.refusal(name, expected) }
        return slot.number
    }

    func write(_ value: Double, into writer: inout JSONWriter) { writer.double(value) }
}

struct WholeKind<Value: BinaryInteger & Sendable>: FieldKind {
    let range: ClosedRange<Int64>
    let expected: StaticString

    init(_ range: ClosedRange<Int64>, _ expected: StaticString) {
        self.range = range
        self.expected = expected
    }

    func read(
        _ name: StaticString, _ slot: Envelope.Slot, of object: Envelope
    ) throws(ErrorReply) -> Value {
        guard slot.kind == .number, let whole = Envelope.whole(slot.number, range) else {
            throw object.refusal(name, expected)
        }
        return Value(whole)
    }

    func write(_ value: Value, into writer: inout JSONWriter) { writer.integer(Int64(value)) }
}

struct FlagKind: FieldKind {
    var expected: StaticString { "true or false" }

    func read(
        _ name: StaticString, _ slot: Envelope.Slot, of object: Envelope
    ) throws(ErrorReply) -> Bool {
        guard slot.kind == .bool else { throw object.refusal(name, expected) }
        return object.bytes(of: slot).first == UInt8(ascii: "t")
    }

    func write(_ value: Bool, into writer: inout JSONWriter) { writer.bool(value) }
}

/// Text for machines, of 1 byte to `limit`.
struct TextKind: FieldKind {
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

    let alphabet: Alphabet
    let limit: Int
    let expected: StaticString
    /// Must not be quoted in a refusal.
    let isSecret: Bool

    init(_ alphabet: Alphabet, upTo limit: Int, _ expected: StaticString, isSecret: Bool = false) {
        self.alphabet = alphabet
        self.limit = limit
        self.expected = expected
        self.isSecret = isSecret
    }

    func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count > 0, bytes.count <= limit else { return false }
        for byte in bytes where !alphabet.contains(byte) { return false }
        return true
    }

    func read(
        _ name: StaticString, _ slot: Envelope.Slot, of object: Envelope
    ) throws(ErrorReply) -> String {
        guard slot.kind == .string, object.reader.withBytes(slot.token, accepts) else {
            throw object.refusal(name, expected, isSecret: isSecret)
        }
        return object.reader.text(slot.token)
    }

    func write(_ value: String, into writer: inout JSONWriter) { writer.string(value) }
}

/// Text for people, of 1 byte to `limit`; on one line, unless it may have several.
struct ProseKind: FieldKind {
    let limit: Int
    let expected: StaticString
    var hasLines = false
    /// Hidden characters are left out of it: what is written in danger is not refused for what nobody sees.
    var isMended = false

    func read(
        _ name: StaticString, _ slot: Envelope.Slot, of object: Envelope
    ) throws(ErrorReply) -> String {
        guard slot.kind == .string, object.reader.withBytes(slot.token, { (1...limit).contains($0.count) }) else {
            throw object.refusal(name, expected)
        }
        let written = object.reader.text(slot.token)
        let text = isMended ? written.withoutHidden : written
        let isGood = hasLines ? text.hasLinesForPeople : text.isForPeople
        guard isGood else { throw refusal(of: text, name, in: object) }
        return text
    }

    private func refusal(of text: String, _ name: StaticString, in object: Envelope) -> ErrorReply {
        guard let hidden = text.unicodeScalars.first(where: \.isHidden) else { return object.refusal(name, expected) }
        let code = String(hidden.value, radix: 16, uppercase: true)
        let padding = String(repeating: "0", count: max(0, 4 - code.count))
        return object.refusal(name, expected, got: "got one with U+\(padding)\(code), which nobody sees")
    }

    func write(_ value: String, into writer: inout JSONWriter) { writer.string(value) }
}

/// An object of its own.
struct ObjectKind<Value: Sendable>: FieldKind {
    let expected: StaticString
    let fields: Fields<Value>

    func read(
        _ name: StaticString, _ slot: Envelope.Slot, of object: Envelope
    ) throws(ErrorReply) -> Value {
        try Envelope.with(object.bytes(of: slot), path: name) { nested -> Result<Value, ErrorReply> in
            // The text was checked with the whole message: only what isn't an object fails here, or has too much in it.
            do throws(WireError) { try nested.scan() } catch {
                guard error.reason == .tooManyMembers else { return .failure(object.refusal(name, expected)) }
                return .failure(object.refusal(name, expected, got: "got \(error.reason.rawValue)"))
            }
            return Result { () throws(ErrorReply) in try fields.read(nested) }
        }.get()
    }

    func write(_ value: Value, into writer: inout JSONWriter) {
        writer.beginObject()
        fields.write(value, &writer)
        writer.endObject()
    }
}

/// Words of a closed list, at least one unless it may be empty.
struct WordsKind<Words: OptionSet & Sendable>: FieldKind {
    let expected: StaticString
    var mayBeEmpty = false
    let word: @Sendable (UnsafeRawBufferPointer) -> Words?
    /// As they stand in messages.
    let texts: @Sendable (Words) -> [StaticString]

    func read(
        _ name: StaticString, _ slot: Envelope.Slot, of object: Envelope
    ) throws(ErrorReply) -> Words {
        guard slot.kind == .array else { throw object.refusal(name, expected) }
        var words: Words = []
        var list = JSONReader(object.bytes(of: slot))
        // The text was checked with the whole message, so nothing fails here but what is thrown by name.
        try? list.enterArray()
        while (try? list.nextElement()) == true {
            guard (try? list.kind()) == .string, let token = try? list.string(), let word = list.withBytes(token, word)
            else { throw object.refusal(name, expected, got: "got one with something else") }
            words.formUnion(word)
        }
        guard mayBeEmpty || !words.isEmpty else { throw object.refusal(name, expected, got: "got an empty one") }
        return words
    }

    func write(_ value: Words, into writer: inout JSONWriter) {
        writer.beginArray()
        for text in texts(value) { writer.string(text.description) }
        writer.endArray()
    }
}

extension String {
    /// The same of several lines, some of which may be empty.
    var hasLinesForPeople: Bool {
        String(String.UnicodeScalarView(unicodeScalars.map { $0 == "\n" || $0 == "\r" || $0 == "\t" ? " " : $0 }))
            .isForPeople
    }

    /// One line that can be read and shows what it says: no control characters, none that end a line or are hidden, and
    /// something to see.
    public var isForPeople: Bool {
        var isSeen = false
        for scalar in unicodeScalars {
            guard !scalar.isHidden else { return false }
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: return false
            case .format, .spaceSeparator: break
            default: isSeen = isSeen || !scalar.properties.isDefaultIgnorableCodePoint
            }
        }
        return isSeen
    }
}
