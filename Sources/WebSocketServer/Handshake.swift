internal import COpenSSL

/// Decides whether a request may become a WebSocket (RFC 6455 4.2), and what is answered.
package struct Handshake {
    enum Decision {
        /// The request is not for us: it is plain HTTP.
        case notUpgrade
        case refused(HTTPResponse, Refusal)
        /// The bytes of the 101 response, and what was agreed.
        case accepted([UInt8], subprotocol: String?)
    }

    enum Refusal {
        case origin
        case subprotocol
        case malformed
    }

    /// The path that is upgraded; nil: any.
    let path: String?
    /// In the server's order of preference. Empty: none is required and none agreed.
    let subprotocols: [String]
    /// Origins besides our own, as browsers send them (`https://example.org`); `*` allows all.
    let allowedOrigins: [String]

    func decide(_ request: HTTPRequest) -> Decision {
        guard path == nil || request.path == path else { return .notUpgrade }
        guard request.hasToken("upgrade", "websocket"), request.hasToken("connection", "upgrade") else {
            guard path != nil else { return .notUpgrade }
            return .refused(Self.upgradeRequired, .malformed)
        }
        guard request.method == "GET", !request.isHTTP10, request.body.isEmpty else {
            return .refused(.text(400, "A WebSocket is asked for with GET and HTTP/1.1, without a body."), .malformed)
        }
        guard request.header("sec-websocket-version") == "13" else {
            return .refused(Self.upgradeRequired, .malformed)
        }
        guard let key = request.header("sec-websocket-key"), Self.isKey(key) else {
            return .refused(.text(400, "Sec-WebSocket-Key is not 16 bytes in base64."), .malformed)
        }
        guard request.isOfPage(in: allowedOrigins) else {
            return .refused(.text(403, "This origin may not connect; see allowed origins in the settings."), .origin)
        }
        let offered = request.tokens("sec-websocket-protocol")
        let agreed = subprotocols.first { offered.contains(Substring($0)) }
        if agreed == nil, !subprotocols.isEmpty {
            let list = subprotocols.joined(separator: ", ")
            return .refused(.text(400, "Sec-WebSocket-Protocol must offer one of: \(list)."), .subprotocol)
        }
        var response = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        response += "Sec-WebSocket-Accept: \(Self.accept(key))\r\n"
        if let agreed { response += "Sec-WebSocket-Protocol: \(agreed)\r\n" }
        return .accepted(Array((response + "\r\n").utf8), subprotocol: agreed)
    }

    private static let upgradeRequired: HTTPResponse = {
        var response = HTTPResponse.text(426, "This is a WebSocket, version 13.")
        response.headers = [
            (name: "Upgrade", value: "websocket"), (name: "Sec-WebSocket-Version", value: "13"),
        ]
        return response
    }()

    /// 16 bytes in base64: 22 digits and two paddings.
    private static func isKey(_ key: String) -> Bool {
        let bytes = Array(key.utf8)
        guard bytes.count == 24, bytes.suffix(2) == [61, 61] else { return false }
        return bytes.prefix(22).allSatisfy {
            switch $0 {
            case 43, 47, 48...57, 65...90, 97...122: true
            default: false
            }
        }
    }

    /// The proof that the key was understood (RFC 6455 4.2.2).
    package static func accept(_ key: String) -> String {
        let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        var digest = [UInt8](repeating: 0, count: 20)
        var count: UInt32 = 0
        EVP_Digest(text, text.count, &digest, &count, EVP_sha1(), nil)
        var encoded = [UInt8](repeating: 0, count: 32)
        let length = EVP_EncodeBlock(&encoded, digest, 20)
        return String(decoding: encoded.prefix(Int(length)), as: UTF8.self)
    }
}
