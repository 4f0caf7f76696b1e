import FoundationEssentials
import SwiftProtobuf
public import Wire

/// `ServerMessage` of kerbside.proto, from the JSON that the hub has encoded.
extension ProtobufWire {
    /// The message that says the same as a JSON message of the hub. `command` is the one that a reply answers: its name
    /// does not stand in the JSON. Data that kerbside.proto does not know travels as JSON within the message, and so do
    /// rows of vehicles, whose binary form is written where they are.
    public func encode(json: [UInt8], replyTo command: CommandName? = nil) -> [UInt8] {
        var message = Kerbside_V1_ServerMessage()
        do {
            message.message = try json.withUnsafeBytes { bytes in
                try Self.typed(try HubMessage(bytes), command)
            }
        } catch {
            // The hub has written what it can't read itself; a client must not wait for ever.
            var error = Kerbside_V1_Error()
            error.code = ErrorCode.internal.rawValue
            error.title = ErrorCode.internal.title
            error.detail = "The hub could not encode a message."
            error.retry = ErrorCode.internal.retry
            message.error = error
        }
        return (try? message.serializedBytes()) ?? []
    }

    private static func typed(
        _ message: HubMessage, _ command: CommandName?
    ) throws -> Kerbside_V1_ServerMessage.OneOf_Message {
        if let error = message.error { return .error(try refusal(error, message.id)) }
        if let ok = message.ok { return .reply(reply(ok, message, command)) }
        guard message.type != "gap" else { return .gap(.with { $0.ch = message.channel }) }
        guard let data = message.data else { throw WireProtobufError.notAServerMessage }
        if message.type == "snapshot" { return .snapshot(snapshot(data, message)) }
        return message.seq == nil ? .state(state(data, message)) : .event(event(data, message))
    }

    private static func refusal(_ error: UnsafeRawBufferPointer, _ id: UInt64?) throws -> Kerbside_V1_Error {
        var refusal = try Kerbside_V1_Error(jsonUTF8Bytes: Array(error), options: lenient)
        if let id { refusal.id = id }
        return refusal
    }

    private static func reply(
        _ ok: UnsafeRawBufferPointer, _ message: HubMessage, _ command: CommandName?
    ) -> Kerbside_V1_Reply {
        var reply = command.flatMap { mapped(Kerbside_V1_Reply.self, $0.rawValue, ok) } ?? Kerbside_V1_Reply()
        if reply.ok == nil { reply.json = Data(ok) }
        reply.id = message.id ?? 0
        return reply
    }

    private static func event(_ data: UnsafeRawBufferPointer, _ message: HubMessage) -> Kerbside_V1_Event {
        var event = Kerbside_V1_Event()
        // What a type means in a topic is its publisher's affair.
        if message.isOwnChannel, let known = mapped(Kerbside_V1_Event.self, message.type, data) { event = known }
        if event.data == nil { event.json = Data(data) }
        event.ch = message.channel
        event.seq = message.seq ?? ""
        event.type = message.type
        event.time = message.time
        return event
    }

    private static func state(_ data: UnsafeRawBufferPointer, _ message: HubMessage) -> Kerbside_V1_State {
        var state = mapped(Kerbside_V1_State.self, message.type, data) ?? Kerbside_V1_State()
        if state.data == nil { state.json = Data(data) }
        state.ch = message.channel
        state.type = message.type
        state.time = message.time
        return state
    }

    private static func snapshot(_ data: UnsafeRawBufferPointer, _ message: HubMessage) -> Kerbside_V1_Snapshot {
        let kind = message.isOwnChannel ? message.channel.prefix { $0 != ":" } : ""
        var snapshot =
            mapped(Kerbside_V1_Snapshot.self, kind == "bus_driver" ? "driver" : String(kind), data)
            ?? Kerbside_V1_Snapshot()
        if snapshot.data == nil { snapshot.json = Data(data) }
        snapshot.ch = message.channel
        snapshot.time = message.time
        return snapshot
    }

    /// The message whose one field of that name has the value; that field is not set if there is no such field. nil if
    /// the value does not fit it.
    private static func mapped<Message: SwiftProtobuf.Message>(
        _: Message.Type, _ name: String, _ value: UnsafeRawBufferPointer
    ) -> Message? {
        var json = JSONWriter(capacity: value.count + 64)
        json.beginObject()
        json.key(escaping: String(name.map { $0 == "." ? "_" : $0 }))
        json.raw(value)
        json.endObject()
        return try? Message(jsonUTF8Bytes: json.bytes, options: lenient)
    }

    private static var lenient: JSONDecodingOptions {
        var options = JSONDecodingOptions()
        options.ignoreUnknownFields = true
        return options
    }
}

private enum WireProtobufError: Error {
    case notAServerMessage
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

    /// Whether it is on the channel of a driver, a passenger or a line, whose types are the hub's.
    var isOwnChannel: Bool {
        channel.hasPrefix("driver:") || channel.hasPrefix("bus_driver:") || channel.hasPrefix("passenger:")
            || channel.hasPrefix("line:")
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
