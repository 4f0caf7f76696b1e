internal import CHiredis

extension RedisReply {
    private static let ok = RedisReply.status([UInt8](ascii: "OK"))

    /// Copies a reply of hiredis, which stays the caller's. Depth is bounded by hiredis (7).
    init(copying reply: UnsafePointer<redisReply>) {
        switch reply.pointee.type {
        case REDIS_REPLY_STRING:
            self = .string([UInt8](reply.pointee.bytes))
        case REDIS_REPLY_STATUS:
            // By far the most frequent one, and shared.
            self = reply.pointee.hasText("OK") ? Self.ok : .status([UInt8](reply.pointee.bytes))
        case REDIS_REPLY_INTEGER:
            self = .integer(reply.pointee.integer)
        case REDIS_REPLY_ERROR:
            self = .error(reply.pointee.text)
        case REDIS_REPLY_ARRAY:
            self = .array(
                (0..<reply.pointee.elements).map { index in RedisReply(copying: reply.pointee.element[index]!) })
        default:
            self = .null
        }
    }
}

extension redisReply {
    /// What a string, status or error holds; valid as long as the reply is.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: str, count: str == nil ? 0 : len) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    func hasText(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes.elementsEqual($0) }
    }
}
