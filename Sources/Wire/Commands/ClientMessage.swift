/// What a client asks: one message from a client to the hub.
public struct ClientMessage: Equatable, Sendable {
    /// Number of the request, 0…2^53-1; the reply carries it. Without it only refusals are answered.
    public var id: Int64?
    /// Idempotency key, 1–64 of `[A-Za-z0-9_.:-]`: however often it is sent, the command takes effect once.
    public var key: String?
    public var command: Command
    /// Of an operator: who telephones and has it asked. Only commands whose rule says `forCallers` may have it.
    public var caller: Caller?

    public init(id: Int64? = nil, key: String? = nil, command: Command, caller: Caller? = nil) {
        self.id = id
        self.key = key
        self.command = command
        self.caller = caller
    }
}

/// Writing commands, for clients: `decode(message.encoded())` gives the same message back.
extension ClientMessage {
    /// The message as the payload of one text frame.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter(capacity: 160)
        encoded(into: &writer)
        return writer.bytes
    }

    /// Writes the message as one value.
    public func encoded(into writer: inout JSONWriter) {
        writer.beginObject()
        if let id { writer.member("id", id) }
        command.write(into: &writer)
        if let key { writer.member("key", key) }
        if let caller {
            writer.key("on_behalf_of")
            Caller.kind.write(caller, into: &writer)
        }
        writer.endObject()
    }
}
