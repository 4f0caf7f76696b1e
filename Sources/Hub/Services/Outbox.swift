import Domain
import WebSocketServer
import Wire
import WireProtobuf

/// What goes to clients: encoded once for each encoding, handed to the server's queues. Used on the worker's loop.
final class Outbox {
    let server: WebSocketServer
    private let protobuf = ProtobufWire()
    private let metrics: WorkerMetrics

    init(server: WebSocketServer, metrics: WorkerMetrics) {
        self.server = server
        self.metrics = metrics
    }

    /// Reads a message of a client in its encoding. `readBytes`: what there was to read, as it came or as it became.
    func decode(_ bytes: UnsafeRawBufferPointer, _ encoding: FeedEncoding) -> (decoded: Decoded, readBytes: Int) {
        guard encoding == .protobuf else { return (Wire.decode(bytes), bytes.count) }
        let decoded = protobuf.decode(bytes)
        return (decoded, protobuf.readBytes)
    }

    /// Sends a message that was encoded as JSON, in the session's encoding.
    func send(_ session: Session, _ payload: [UInt8]) {
        _ = server.send(session.connection, frame(payload, session.encoding))
    }

    /// The frame of a message that was encoded as JSON; `command` is the one that a reply answers.
    func frame(_ json: [UInt8], _ encoding: FeedEncoding, replyTo command: String? = nil) -> Frame {
        switch encoding {
        case .json: Frame.text(json)
        case .protobuf: Frame.binary(protobuf.encode(json: json, replyTo: command))
        }
    }

    /// The one reply to a command with this id, if it has one.
    func reply(_ session: Session, _ id: Int64?, _ json: [UInt8], to command: String) {
        if let onReply = session.onReply { return onReply(.success(json)) }
        guard let id else { return }
        let payload = Encode.replyOK(id: id, json: json)
        _ = server.send(session.connection, frame(payload, session.encoding, replyTo: command))
    }

    func refuse(_ session: Session, _ id: Int64?, _ reply: ErrorReply) {
        metrics.refused(reply.code)
        if let onReply = session.onReply { return onReply(.failure(reply)) }
        send(session, Encode.error(id: id, reply))
    }

    /// Ends a connection, if the session has one, with its close code's reason unless another is given.
    func close(_ session: Session, _ code: CloseCode, _ reason: String? = nil) {
        session.phase = .closing
        server.close(session.connection, code: code.rawValue, reason: reason ?? code.reason)
    }
}

/// The frames of one message, each encoded when its first reader came.
struct SharedFrames {
    private var json: Frame?
    private var protobuf: Frame?

    subscript(encoding: FeedEncoding) -> Frame? {
        get { encoding == .json ? json : protobuf }
        set { if encoding == .json { json = newValue } else { protobuf = newValue } }
    }
}

extension Capability {
    func send(_ session: Session, _ payload: [UInt8]) { outbox.send(session, payload) }

    func reply(_ session: Session, _ id: Int64?, _ json: [UInt8], to command: String) {
        outbox.reply(session, id, json, to: command)
    }

    func refuse(
        _ session: Session, _ id: Int64?, _ code: ErrorCode, _ detail: String, field: String? = nil,
        retryAfterMs: Int64? = nil
    ) {
        let field = field ?? ErrorReply.field(in: detail)
        outbox.refuse(session, id, ErrorReply(code: code, field: field, detail: detail, retryAfterMs: retryAfterMs))
    }

    func refuse(_ session: Session, _ id: Int64?, _ reply: ErrorReply) { outbox.refuse(session, id, reply) }

    func close(_ session: Session, _ code: CloseCode, _ reason: String? = nil) { outbox.close(session, code, reason) }

    /// The reply to `subscribe`, `watch` and their opposites: `{"channel": …}`, where the reader stands with its `seq`.
    static func channelReply(_ channel: String, at position: StreamPosition? = nil) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("channel", channel)
        if let position { json.member("seq", position.text) }
        json.endObject()
        return json.bytes
    }
}
