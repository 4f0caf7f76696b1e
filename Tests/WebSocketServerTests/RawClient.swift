import Foundation
import Glibc
import Testing

/// A blocking TCP client.
final class RawClient {
    private let descriptor: Int32

    /// `window`: what the kernel keeps for a reader that does not read; nil: what it likes. `source`: where it comes from.
    init(port: Int, window: Int32? = nil, source: String = "127.0.0.1") {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var window { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &window, socklen_t(MemoryLayout<Int32>.size)) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr(source)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(result == 0)
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    }

    /// As much of it as the server takes.
    func flood(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Takes at most so many bytes; 0: the stream has ended.
    func take(_ count: Int) -> Int {
        var piece = [UInt8](repeating: 0, count: count)
        return max(0, recv(descriptor, &piece, count, 0))
    }

    /// What comes until `end` has come, or the stream ends.
    func read(until end: String? = nil) -> String {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let end, bytes.suffix(end.utf8.count).elementsEqual(end.utf8) { break }
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else {
                #expect(count == 0 || errno == ECONNRESET, "neither data nor an end came")
                break
            }
            bytes += piece.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
