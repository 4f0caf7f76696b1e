/// One message from the hub, as clients read it.
public enum ServerMessage: Equatable, Sendable {
    /// The command with this id was carried out.
    case reply(id: Int64, ok: JSONValue)
    /// The command was refused; without an id when the hub could not read it.
    case error(id: Int64?, code: ErrorCode, detail: String, retry: Bool)
    /// Delivered once and in order; `seq` is given back in `hello` to resume.
    case event(ch: String, seq: String, type: String, time: Int64, data: JSONValue)
    /// Only the latest of its channel and type counts.
    case state(ch: String, type: String, time: Int64, data: JSONValue)
    /// Of a feed of vehicles: who is `gone`, then rows as `PositionRow` describes them.
    case positions(ch: String, time: Int64, gone: [String], data: JSONValue)
    /// Something was lost for good; a snapshot follows.
    case gap(ch: String)
    case snapshot(ch: String, time: Int64, data: JSONValue)
}

/// Reads one message of the hub, for clients. Throws if it is not JSON, or not a message of the contract: an error code
/// outside the closed list is a breach of it.
public func decodeServer(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> ServerMessage {
    let value = try JSONValue(parsing: bytes)
    guard let message = ServerMessage(value) else {
        throw WireError(.notAServerMessage, at: 0)
    }
    return message
}

/// The same for owned bytes.
public func decodeServer(_ bytes: [UInt8]) throws(WireError) -> ServerMessage {
    try bytes.withUnsafeBytes { buffer in
        Result { () throws(WireError) in try decodeServer(buffer) }
    }.get()
}

extension ServerMessage {
    /// nil if the value is not a message of the contract.
    init?(_ value: JSONValue) {
        if let channel = value["ch"] {
            guard let channel = channel.text, let type = value["type"]?.text else { return nil }
            self.init(channel: channel, type: type, value)
        } else if let error = value["error"] {
            guard let code = error["code"]?.text.flatMap(ErrorCode.init(rawValue:)), let detail = error["detail"]?.text,
                let retry = error["retry"]?.boolean, value["id"] == nil || value["id"]?.integer != nil
            else { return nil }
            self = .error(id: value["id"]?.integer, code: code, detail: detail, retry: retry)
        } else {
            guard let id = value["id"]?.integer, let body = value["ok"] else { return nil }
            self = .reply(id: id, ok: body)
        }
    }

    private init?(channel: String, type: String, _ value: JSONValue) {
        if type == "gap" {
            self = .gap(ch: channel)
            return
        }
        guard let time = value["time"]?.integer, let data = value["data"] else { return nil }
        if type == "snapshot" {
            self = .snapshot(ch: channel, time: time, data: data)
        } else if let seq = value["seq"] {
            guard let seq = seq.text else { return nil }
            self = .event(ch: channel, seq: seq, type: type, time: time, data: data)
        } else if type == "positions" {
            let gone = value["gone"]?.elements ?? []
            self = .positions(ch: channel, time: time, gone: gone.compactMap(\.text), data: data)
        } else {
            self = .state(ch: channel, type: type, time: time, data: data)
        }
    }
}
