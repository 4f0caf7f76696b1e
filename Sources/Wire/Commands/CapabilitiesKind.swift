/// What a vehicle can do, or a ride needs: a list of words such as `wheelchair`. What is said twice counts once.
struct CapabilitiesKind: FieldKind {
    let expected: StaticString = "a list of 1 to 16 words of 1 to 32 characters of a-z 0-9 _ -"

    func read(_ name: StaticString, _ slot: Envelope.Slot, of object: Envelope) throws(ErrorReply) -> [String] {
        guard slot.kind == .array else { throw object.refusal(name, expected) }
        var words: [String] = []
        var list = JSONReader(object.bytes(of: slot))
        // The text was checked with the whole message, so nothing fails here but what is thrown by name.
        try? list.enterArray()
        while (try? list.nextElement()) == true {
            guard (try? list.kind()) == .string, let token = try? list.string()
            else { throw object.refusal(name, expected, got: "got one with something else") }
            guard list.withBytes(token, Self.isWord) else {
                throw object.refusal(name, expected, got: "got one with \(Self.quoted(list.text(token)))")
            }
            guard !words.contains(list.text(token)) else { continue }
            guard words.count < 16 else { throw object.refusal(name, expected, got: "got more") }
            words.append(list.text(token))
        }
        guard !words.isEmpty else { throw object.refusal(name, expected, got: "got an empty one") }
        return words
    }

    func write(_ value: [String], into writer: inout JSONWriter) {
        writer.beginArray()
        for word in value { writer.string(word) }
        writer.endArray()
    }

    /// As JSON has it, shortened.
    private static func quoted(_ word: String) -> String {
        var json = JSONWriter()
        json.string(word.count > 40 ? word.prefix(40) + "…" : word)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private static func isWord(_ bytes: UnsafeRawBufferPointer) -> Bool {
        (1...32).contains(bytes.count)
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
