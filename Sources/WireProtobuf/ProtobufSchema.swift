import Wire

/// The messages of kerbside.proto: which field is which member of the JSON, both ways.
///
/// The text that it is made of is written by `tools/protobuf-schema`: `Name:`, then its fields as `name:number:type`. A
/// field ends with `?` if its presence counts, so that 0 is written, too, and with `*` if there may be many.
struct ProtobufSchema: Sendable {
    enum Kind: Sendable {
        case text, unsigned32, unsigned64, signed32, double, flag
        /// Texts by text.
        case map
        /// Of a command: JSON, which goes over as it is. Of the hub: filled by other code than this.
        case bytes
        /// A message, as an index into `messages`.
        case message(Int)
    }

    struct Field: Sendable {
        var name: String
        var number: UInt32
        var kind: Kind
        var isRepeated: Bool
        var hasPresence: Bool
        /// Of a command: `ProtobufWire.Head` looks at it.
        var isNoted = false
        /// It may come several times, each with an element or an entry.
        var isList: Bool { if case .map = kind { true } else { isRepeated } }
    }

    static let ofTheContract = ProtobufSchema(text)

    private var messages: [[String: Field]] = []
    private var indices: [String: Int] = [:]
    /// The fields of each message by their numbers.
    private var numbered: [[Field?]] = []
    /// `ClientMessage`, as an index into `messages`.
    private(set) var clientMessage = 0

    private init(_ text: String) {
        let words = text.split { $0 == " " || $0 == "\n" }
        for word in words where word.hasSuffix(":") { indices[String(word.dropLast())] = indices.count }
        for word in words {
            guard !word.hasSuffix(":") else {
                messages.append([:])
                continue
            }
            let parts = word.split(separator: ":")
            guard parts.count == 3, let number = UInt32(parts[1]) else { preconditionFailure("\(word) is no field") }
            let type = parts[2].last == "?" || parts[2].last == "*" ? parts[2].dropLast() : parts[2]
            let name = String(parts[0])
            messages[messages.count - 1][name] = Field(
                name: name, number: number, kind: kind(type), isRepeated: parts[2].last == "*",
                hasPresence: parts[2].last == "?")
        }
        numbered = messages.map { fields in
            var places = [Field?](repeating: nil, count: 1 + Int(fields.values.map(\.number).max() ?? 0))
            for field in fields.values { places[Int(field.number)] = field }
            return places
        }
        guard let index = indices["ClientMessage"] else { preconditionFailure("ClientMessage is missing") }
        // `ProtobufWire.members` notes which lists there are, in a bit each.
        for field in messages[index].values where field.isList && field.number >= UInt128.bitWidth {
            preconditionFailure("the list \(field.name) of ClientMessage has a number above 127")
        }
        clientMessage = index
        for name in ["id", "cmd", "route"] {
            if let field = messages[index][name] { numbered[index][Int(field.number)]?.isNoted = true }
        }
    }

    private func kind(_ type: Substring) -> Kind {
        switch type {
        case "string": return .text
        case "uint32": return .unsigned32
        case "uint64": return .unsigned64
        case "sint32": return .signed32
        case "double": return .double
        case "bool": return .flag
        case "bytes": return .bytes
        case "map": return .map
        default:
            guard let index = indices[String(type)] else { preconditionFailure("\(type) is no message") }
            return .message(index)
        }
    }

    /// The fields of a message by the names of kerbside.proto.
    func fields(_ message: String) -> [String: Field] { indices[message].map { messages[$0] } ?? [:] }

    /// The fields of the message of a field of that kind.
    func fields(_ index: Int) -> [String: Field] { messages[index] }

    /// The field of that number in a message; nil: it has none.
    func field(_ number: UInt32, of message: Int) -> Field? {
        number < numbered[message].count ? numbered[message][Int(number)] : nil
    }

    /// Writes the object that comes next as the fields of a message: what is null is left out, and members that the
    /// message does not have are passed over. Throws when a member is of another kind than its field.
    func write(
        _ object: inout JSONReader, as fields: [String: Field], to writer: inout ProtobufWriter
    ) throws(ProtobufMisfit) {
        do {
            try object.enterObject()
            while let key = try object.nextKey() {
                guard let field = fields[object.text(key)] else {
                    try object.skipValue()
                    continue
                }
                if try object.kind() == .null {
                    try object.null()
                } else if field.isRepeated {
                    try object.enterArray()
                    while try object.nextElement() { try write(&object, field, isKept: true, to: &writer) }
                } else {
                    try write(&object, field, isKept: field.hasPresence, to: &writer)
                }
            }
        } catch {
            throw ProtobufMisfit()
        }
    }

    /// One value. `isKept`: also if it is what absence means.
    private func write(
        _ value: inout JSONReader, _ field: Field, isKept: Bool, to writer: inout ProtobufWriter
    ) throws {
        switch field.kind {
        case .text:
            let text = value.text(try value.string())
            if isKept || !text.isEmpty { writer.text(field.number, text) }
        case .unsigned32, .unsigned64:
            guard let number = UInt64(exactly: try value.number().double) else { throw ProtobufMisfit() }
            if case .unsigned32 = field.kind, number > UInt32.max { throw ProtobufMisfit() }
            if isKept || number != 0 { writer.integer(field.number, number) }
        case .signed32:
            guard let number = Int32(exactly: try value.number().double) else { throw ProtobufMisfit() }
            if isKept || number != 0 { writer.zigzag(field.number, number) }
        case .double:
            let number = try value.number().double
            if isKept || number != 0 { writer.double(field.number, number) }
        case .flag:
            let flag = try value.bool()
            if isKept || flag { writer.flag(field.number, flag) }
        case .map:
            try value.enterObject()
            while let key = try value.nextKey() {
                let (name, text) = (value.text(key), value.text(try value.string()))
                writer.message(field.number) { entry in
                    entry.text(1, name)
                    entry.text(2, text)
                }
            }
        case .bytes: throw ProtobufMisfit()
        case .message(let index):
            try writer.message(field.number) { message throws(ProtobufMisfit) in
                try write(&value, as: messages[index], to: &message)
            }
        }
    }
}

/// A JSON value is not what kerbside.proto has in its place.
struct ProtobufMisfit: Error {}
