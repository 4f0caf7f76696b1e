/// Who telephones, and in whose name an operator asks: `on_behalf_of` of a command.
public struct Caller: Equatable, Sendable {
    /// By which the driver knows whom to fetch: 1–80 bytes.
    public var name: String
    /// To be called at: 3–20 digits, and what people write between them; 1–32 bytes.
    public var number: String

    public init(name: String, number: String) {
        self.name = name
        self.number = number
    }

    /// The passenger that the caller is to the hub: the same for each way to write a number. With its colon it is no token's subject.
    public var subject: String {
        (number.utf8.first == UInt8(ascii: "+") ? "tel:00" : "tel:")
            + number.filter { $0.isASCII && $0.isWholeNumber }
    }

    static let kind = ObjectKind(
        expected: "an object with name and number",
        fields: Fields(
            Field.required(
                "name",
                ProseKind(limit: WireLimits.personNameBytes, expected: "a name, 1 to 80 bytes of text on one line")),
            Field.required("number", NumberToCall()),
            make: Caller.init, take: { ($0.name, $0.number) }))
}

/// A telephone number as people write it.
private struct NumberToCall: FieldKind {
    let expected: StaticString =
        "a telephone number, 3 to 20 digits with + before and spaces, -, /, . or brackets between them"
    private static let others = Set(" -/.()".utf8)

    func read(_ name: StaticString, _ slot: Envelope.Slot, of object: Envelope) throws(ErrorReply) -> String {
        let text = try ProseKind(limit: WireLimits.phoneNumberBytes, expected: expected).read(name, slot, of: object)
        let rest = text.utf8.first == UInt8(ascii: "+") ? text.utf8.dropFirst() : text.utf8[...]
        let digits = rest.count { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (3...20).contains(digits),
            rest.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || Self.others.contains($0) })
        else { throw object.refusal(name, expected) }
        return text
    }

    func write(_ value: String, into writer: inout JSONWriter) { writer.string(value) }
}
