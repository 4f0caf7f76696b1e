import Wire

/// `ServerMessage` of kerbside.proto, from the JSON that the hub has encoded.
extension ProtobufWire {
    /// The message that says the same as a JSON message of the hub. `command` is the one that a reply answers: its name
    /// does not stand in the JSON. Data that kerbside.proto does not know travels as JSON within the message, and so do
    /// rows of vehicles, whose binary form is written where they are.
    public func encode(json: [UInt8], replyTo command: String? = nil) -> [UInt8] {
        var writer = ProtobufWriter()
        do {
            try json.withUnsafeBytes { bytes in
                try Self.write(try HubMessage(bytes), command, to: &writer)
            }
        } catch {
            // The hub has written what it can't read itself; a client must not wait for ever.
            writer = ProtobufWriter()
            writer.message(Member.error) { refusal in
                refusal.text(2, ErrorCode.internal.rawValue)
                refusal.text(3, ErrorCode.internal.title)
                refusal.text(4, "The hub could not encode a message.")
                if ErrorCode.internal.retry { refusal.flag(5, true) }
            }
        }
        return writer.bytes
    }

    /// The fields of `ServerMessage`.
    private enum Member {
        static let reply: UInt32 = 1
        static let error: UInt32 = 2
        static let event: UInt32 = 3
        static let state: UInt32 = 4
        static let snapshot: UInt32 = 5
        static let gap: UInt32 = 6
    }

    private static func write(
        _ message: HubMessage, _ command: String?, to writer: inout ProtobufWriter
    ) throws(ProtobufMisfit) {
        if let error = message.error { return try write(refusal: error, message.id, to: &writer) }
        if let ok = message.ok { return write(reply: ok, message, command, to: &writer) }
        if message.type == "gap" {
            return writer.message(Member.gap) { $0.text(unlessEmpty: 1, message.channel) }
        }
        guard let data = message.data else { throw ProtobufMisfit() }
        if message.type == "snapshot" {
            write(snapshot: data, message, to: &writer)
        } else if message.seq == nil {
            write(state: data, message, to: &writer)
        } else {
            write(event: data, message, to: &writer)
        }
    }

    private static func write(
        refusal: UnsafeRawBufferPointer, _ id: UInt64?, to writer: inout ProtobufWriter
    ) throws(ProtobufMisfit) {
        try writer.message(Member.error) { error throws(ProtobufMisfit) in
            if let id { error.integer(1, id) }
            var reader = JSONReader(refusal)
            let schema = ProtobufSchema.ofTheContract
            try schema.write(&reader, as: schema.fields("Error"), to: &error)
        }
    }

    private static func write(
        reply ok: UnsafeRawBufferPointer, _ message: HubMessage, _ command: String?,
        to writer: inout ProtobufWriter
    ) {
        writer.message(Member.reply) { reply in
            reply.integer(unlessZero: 1, message.id ?? 0)
            write(ok, as: command, of: "Reply", json: 2, to: &reply)
        }
    }

    private static func write(
        event data: UnsafeRawBufferPointer, _ message: HubMessage, to writer: inout ProtobufWriter
    ) {
        writer.message(Member.event) { event in
            event.text(unlessEmpty: 1, message.channel)
            event.text(unlessEmpty: 2, message.seq ?? "")
            event.text(unlessEmpty: 3, message.type)
            event.integer(unlessZero: 4, message.time)
            // What a type means in a topic is its publisher's affair, and in events:… its fields are others.
            write(data, as: message.hasHubTypes ? message.type : nil, of: "Event", json: 5, to: &event)
        }
    }

    private static func write(
        state data: UnsafeRawBufferPointer, _ message: HubMessage, to writer: inout ProtobufWriter
    ) {
        writer.message(Member.state) { state in
            state.text(unlessEmpty: 1, message.channel)
            state.text(unlessEmpty: 2, message.type)
            state.integer(unlessZero: 3, message.time)
            write(data, as: message.type, of: "State", json: 4, to: &state)
        }
    }

    private static func write(
        snapshot data: UnsafeRawBufferPointer, _ message: HubMessage, to writer: inout ProtobufWriter
    ) {
        let kind = message.hasHubTypes ? String(message.channel.prefix { $0 != ":" }) : nil
        writer.message(Member.snapshot) { snapshot in
            snapshot.text(unlessEmpty: 1, message.channel)
            snapshot.integer(unlessZero: 2, message.time)
            write(data, as: kind == "bus_driver" ? "driver" : kind, of: "Snapshot", json: 3, to: &snapshot)
        }
    }

    /// Writes data as the message of that name, or as the bytes of its JSON if there is none or it does not fit.
    private static func write(
        _ data: UnsafeRawBufferPointer, as name: String?, of parent: String, json: UInt32,
        to writer: inout ProtobufWriter
    ) {
        let schema = ProtobufSchema.ofTheContract
        let member = name.map { String($0.map { $0 == "." ? "_" : $0 }) }
        if let member, let field = schema.fields(parent)[member], case .message(let kind) = field.kind {
            let start = writer.bytes.count
            do throws(ProtobufMisfit) {
                return try writer.message(field.number) { message throws(ProtobufMisfit) in
                    var reader = JSONReader(data)
                    try schema.write(&reader, as: schema.fields(kind), to: &message)
                }
            } catch {
                writer.takeBack(to: start)
            }
        }
        writer.bytes(json, data)
    }
}

extension ProtobufWriter {
    /// A text whose absence says the same as its being empty.
    fileprivate mutating func text(unlessEmpty field: UInt32, _ value: String) {
        if !value.isEmpty { text(field, value) }
    }

    /// A number whose absence says the same as 0.
    fileprivate mutating func integer(unlessZero field: UInt32, _ value: UInt64) {
        if value != 0 { integer(field, value) }
    }
}

/// The members of a message of the hub; those whose meaning depends on others are not read further. Valid as long as the
/// bytes are.
private struct HubMessage {
    var id: UInt64?
    var channel = ""
    var seq: String?
    var type = ""
    var time: UInt64 = 0
    var ok: UnsafeRawBufferPointer?
    var error: UnsafeRawBufferPointer?
    var data: UnsafeRawBufferPointer?

    /// Whether its channel has types of the hub's alone, which kerbside.proto knows: that of a driver, a passenger or a line,
    /// the office's, or the catalog's.
    var hasHubTypes: Bool {
        channel.hasPrefix("driver:") || channel.hasPrefix("bus_driver:") || channel.hasPrefix("passenger:")
            || channel.hasPrefix("line:") || channel == "office" || channel == "catalog"
    }

    init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        var reader = JSONReader(bytes)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch reader.text(key) {
            case "id": id = try Self.whole(&reader)
            case "ch": channel = reader.text(try reader.string())
            case "seq": seq = reader.text(try reader.string())
            case "type": type = reader.text(try reader.string())
            case "time": time = try Self.whole(&reader)
            case "ok": ok = try Self.value(&reader, bytes)
            case "error": error = try Self.value(&reader, bytes)
            case "data": data = try Self.value(&reader, bytes)
            default: try reader.skipValue()
            }
        }
        try reader.finish()
    }

    private static func whole(_ reader: inout JSONReader) throws(WireError) -> UInt64 {
        UInt64(exactly: try reader.number().double) ?? 0
    }

    private static func value(
        _ reader: inout JSONReader, _ bytes: UnsafeRawBufferPointer
    ) throws(WireError) -> UnsafeRawBufferPointer {
        _ = try reader.kind()
        let start = reader.offset
        try reader.skipValue()
        return UnsafeRawBufferPointer(rebasing: bytes[start..<reader.offset])
    }
}
