import COpenSSL
import Foundation
import KerbsideClient

/// The opening of RFC 6455, 4.1: what is asked, and whether a hub has answered.
struct Handshake {
    /// Longer is no answer of a hub.
    private static let longest = 16_384

    let request: String
    private let accepted: String
    private var answer: [UInt8] = []

    init(_ url: URL, host: String) {
        let key = Data((0..<16).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
        accepted = Handshake.accept(key)
        let parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        let path = parts?.percentEncodedPath ?? ""
        let query = parts?.percentEncodedQuery.map { "?\($0)" } ?? ""
        let name = host.contains(":") ? "[\(host)]" : host
        request = [
            "GET \(path.isEmpty ? "/" : path)\(query) HTTP/1.1",
            "Host: \(name)\(url.port.map { ":\($0)" } ?? "")",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: \(key)",
            "Sec-WebSocket-Protocol: \(kerbsideSubprotocol)",
            "\r\n",
        ].joined(separator: "\r\n")
    }

    /// What has come behind the answer, once that is whole. Throws if it is not a hub's.
    mutating func add(_ bytes: ArraySlice<UInt8>) throws -> ArraySlice<UInt8>? {
        answer += bytes
        guard let end = Handshake.end(of: answer) else {
            if answer.count > Handshake.longest { throw StreamError("no hub answers there") }
            return nil
        }
        let lines = String(decoding: answer[..<end], as: UTF8.self).components(separatedBy: "\r\n")
        let status = lines[0].split(separator: " ")
        guard status.count > 1, status[0] == "HTTP/1.1" else { throw StreamError("no hub answers there") }
        guard status[1] == "101" else { throw StreamError("HTTP \(status[1])") }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
        }
        guard headers["upgrade"]?.lowercased() == "websocket", headers["sec-websocket-accept"] == accepted,
            headers["sec-websocket-protocol"] == kerbsideSubprotocol, headers["sec-websocket-extensions"] == nil
        else { throw StreamError("no hub answers there") }
        return answer[(end + 4)...]
    }

    private static func end(of answer: [UInt8]) -> Int? {
        let mark: [UInt8] = [13, 10, 13, 10]
        return answer.indices.dropLast(3).first { answer[$0..<$0 + 4].elementsEqual(mark) }
    }

    private static func accept(_ key: String) -> String {
        let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        EVP_Digest(text, text.count, &digest, &count, EVP_sha1(), nil)
        return Data(digest[..<Int(count)]).base64EncodedString()
    }
}
