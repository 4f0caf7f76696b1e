import RedisLink

/// One act of an operator.
public struct AuditEntry: Sendable {
    /// Its place in the stream.
    public let id: String
    /// Unix ms of hub time.
    public let time: Int64
    /// JSON object, as audit.lua writes it.
    public let act: String
}

extension CatalogStore {
    /// What operators did, the newest first, `count` entries at most.
    public func audit(_ count: Int) async throws -> [AuditEntry] {
        let reply = try await send(["XREVRANGE", RedisArgument(keys.audit), "+", "-", "COUNT", RedisArgument(count)])
        return (reply.array ?? []).compactMap { entry in
            guard let id = entry[0].text, let time = entry[1]["time"].int, let act = entry[1]["act"].text else {
                return nil
            }
            return AuditEntry(id: id, time: time, act: act)
        }
    }
}
