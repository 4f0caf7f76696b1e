public import Wire

/// The subprotocol `kerbside.v1.protobuf`: binary messages ⇄ the messages of the module Wire. One per worker, used on its
/// loop; it keeps one buffer, so that reading a position allocates nothing once that has grown.
public final class ProtobufWire {
    /// The name by which clients ask for it.
    public static let subprotocol = "kerbside.v1.protobuf"

    /// The message that is being read, as JSON.
    private var json = JSONWriter(capacity: 512)
    /// What there was to read of the last message: its bytes or those of its JSON, whichever are more.
    public private(set) var readBytes = 0

    /// The names of a message's fields, which JSON has and these bytes don't: 50 way points take 2.6 KiB and 1 KiB here. What
    /// may be longer is text, and JSON needs hardly more for it; at most twice as much, if all of it is quotes.
    private static let bytesOfNames = 4_096

    public init() {}

    /// Reads one `ClientMessage`. Never throws and never traps: what is malformed is refused as `bad_message`, with the
    /// `id` if it came before the fault. The bytes are only borrowed.
    public func decode(_ bytes: UnsafeRawBufferPointer) -> Decoded {
        json.removeAll()
        var head = Head(mostBytes: 2 * bytes.count + Self.bytesOfNames)
        defer { readBytes = max(bytes.count, json.bytes.count) }
        do throws(ProtobufFault) {
            try Self.transcribe(bytes, into: &json, &head)
        } catch {
            let usableID = head.id.flatMap { $0 <= UInt64(WireLimits.largestInteger) ? Int64($0) : nil }
            return .refused(id: usableID, ErrorReply(error))
        }
        return json.bytes.withUnsafeBytes { Wire.decode($0) }
    }
}

extension ErrorReply {
    init(_ fault: ProtobufFault) {
        let place = fault.field.map { "field `\($0)`, byte \(fault.offset)" } ?? "byte \(fault.offset)"
        self.init(code: .badMessage, field: fault.field, detail: "\(place): \(fault.reason.rawValue)")
    }
}
