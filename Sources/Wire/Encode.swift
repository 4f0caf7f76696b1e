/// The messages of the hub, as payloads without a frame header. Each is encoded once and shared by all its readers.
/// Any thread. `data` and prebuilt bodies must be one JSON value; they are taken over unchecked.
public enum Encode {
    /// `{"id":…,"ok":…}`, the body written by the closure as one value.
    public static func replyOK(id: Int64, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
        object { writer in
            writer.member("id", id)
            writer.key("ok")
            body(&writer)
        }
    }

    /// `{"id":…,"ok":…}` with a body that was built before, by default `{}`.
    public static func replyOK(id: Int64, json: [UInt8] = [UInt8(ascii: "{"), UInt8(ascii: "}")]) -> [UInt8] {
        replyOK(id: id) { $0.raw(json) }
    }

    /// `{"id":…,"error":{…}}`; the id is left out when it could not be read.
    public static func error(id: Int64?, _ reply: ErrorReply) -> [UInt8] {
        object { writer in
            if let id { writer.member("id", id) }
            writer.key("error")
            writer.error(reply)
        }
    }

    /// `{"ch":…,"seq":…,"type":…,"time":…,"data":…}`: kept in the channel's history, delivered once and in order.
    /// `time` in Unix milliseconds.
    public static func event(
        channel: String, seq: String, type: String, time: Int64, data: UnsafeRawBufferPointer
    ) -> [UInt8] {
        message(channel: channel, seq: seq, type: type, time: time, room: data.count) { $0.raw(data) }
    }

    /// The same with owned bytes.
    public static func event(channel: String, seq: String, type: String, time: Int64, data: [UInt8]) -> [UInt8] {
        message(channel: channel, seq: seq, type: type, time: time, room: data.count) { $0.raw(data) }
    }

    /// `{"ch":…,"type":…,"time":…,"data":…}`: only the latest counts.
    public static func state(channel: String, type: String, time: Int64, data: UnsafeRawBufferPointer) -> [UInt8] {
        message(channel: channel, seq: nil, type: type, time: time, room: data.count) { $0.raw(data) }
    }

    /// The same with owned bytes.
    public static func state(channel: String, type: String, time: Int64, data: [UInt8]) -> [UInt8] {
        message(channel: channel, seq: nil, type: type, time: time, room: data.count) { $0.raw(data) }
    }

    /// The same with the data written by the closure as one value.
    public static func state(
        channel: String, type: String, time: Int64, _ data: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        message(channel: channel, seq: nil, type: type, time: time, room: 128, data)
    }

    /// `{"ch":…,"type":"gap"}`: history no longer reaches back to where the client was; a snapshot follows.
    public static func gap(channel: String) -> [UInt8] {
        object { writer in
            writer.member("ch", channel)
            writer.member("type", "gap")
        }
    }

    /// `{"ch":…,"type":"snapshot","time":…,"data":…}`: all that a client must know to go on.
    public static func snapshot(channel: String, time: Int64, data: [UInt8]) -> [UInt8] {
        state(channel: channel, type: "snapshot", time: time, data: data)
    }

    private static func message(
        channel: String, seq: String?, type: String, time: Int64, room: Int, _ data: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        object(capacity: room + 128) { writer in
            writer.member("ch", channel)
            if let seq { writer.member("seq", seq) }
            writer.member("type", type)
            writer.member("time", time)
            writer.key("data")
            data(&writer)
        }
    }

    private static func object(capacity: Int = 256, _ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(capacity: capacity)
        writer.beginObject()
        members(&writer)
        writer.endObject()
        return writer.bytes
    }
}

extension JSONWriter {
    /// The error object of a reply.
    public mutating func error(_ reply: ErrorReply) {
        beginObject()
        member("code", reply.code.rawValue)
        member("title", reply.code.title)
        member("detail", reply.detail)
        member("retry", reply.retry)
        if let field = reply.field { member("field", field) }
        if let wait = reply.retryAfterMs { member("retry_after_ms", wait) }
        endObject()
    }
}
