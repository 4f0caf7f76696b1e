import Glibc

/// Asks a hub of this machine over plain HTTP: for commands that look whether one is there. Blocks, two seconds at most.
public enum LocalHTTP {
    public struct Answer: Sendable {
        public let status: Int
        /// Head and body, the first 4 KiB.
        public let text: String
    }

    /// Whether somebody takes connections there.
    public static func isListening(host: String, port: Int) -> Bool {
        guard let descriptor = connected(host, port) else { return false }
        close(descriptor)
        return true
    }

    /// Nil when nobody answers in HTTP.
    public static func get(_ path: String, host: String, port: Int) -> Answer? {
        guard let descriptor = connected(host, port) else { return nil }
        defer { close(descriptor) }
        let name = host.contains(":") ? "[\(host)]" : host
        let request = Array("GET \(path) HTTP/1.1\r\nHost: \(name):\(port)\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return nil }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < buffer.count {
            let count = recv(descriptor, &buffer, buffer.count - bytes.count, 0)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix("HTTP/1."), let status = Int(text.dropFirst(9).prefix(3)) else { return nil }
        return Answer(status: status, text: text)
    }

    private static func connected(_ host: String, _ port: Int) -> Int32? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0, let address = list?.pointee else { return nil }
        defer { freeaddrinfo(list) }
        let descriptor = socket(address.ai_family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var patience = timeval(tv_sec: 2, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        guard connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
