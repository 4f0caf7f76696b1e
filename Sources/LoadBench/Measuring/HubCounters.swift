import ClientSupport
import Glibc

/// A hub's own counters, as `/metrics` on its port tells them. Blocks until the hub has answered.
struct HubCounters {
    private let text: String

    /// - Parameter url: the hub's WebSocket address on loopback, `ws://127.0.0.1:<port>/…`.
    init(url: String) throws(RunError) {
        guard url.hasPrefix("ws://127.0.0.1:"), let port = UInt16(url.dropFirst(15).prefix { $0.isNumber }) else {
            throw RunError("the counters are read on ws://127.0.0.1:<port> only, not \(url)")
        }
        guard let answer = Self.fetch(port: port), answer.hasPrefix("HTTP/1.1 200") else {
            throw RunError("/metrics on port \(port) does not answer")
        }
        text = answer
    }

    init(text: String) { self.text = text }

    /// The sum over all labels and workers of a counter; 0 when it is not there.
    subscript(name: String) -> Double {
        var sum = 0.0
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix(name) {
            let rest = line.dropFirst(name.count)
            guard rest.first == " " || rest.first == "{", let last = rest.split(separator: " ").last else { continue }
            sum += Double(last) ?? 0
        }
        return sum
    }

    private static func fetch(port: UInt16) -> String? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let request = Array("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n".utf8)
        guard isConnected, send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            return nil
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
