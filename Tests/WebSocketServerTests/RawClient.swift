import Foundation
import Glibc
import Testing

@testable import WebSocketServer

/// A blocking TCP client. Sends no more than the kernel holds when the server is on the same thread.
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

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        #expect(Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    }

    /// A masked frame, its key zero. `announced`: the length in its header, when that is another.
    static func frame(_ opcode: Opcode, isFinal: Bool = true, _ payload: [UInt8] = [], announced: Int? = nil) -> [UInt8]
    {
        let count = announced ?? payload.count
        var bytes = [(isFinal ? 0x80 : 0) | opcode.rawValue]
        bytes += count < 126 ? [0x80 | UInt8(count)] : [0x80 | 126, UInt8(count >> 8), UInt8(count & 0xFF)]
        return bytes + [0, 0, 0, 0] + payload
    }

    static let upgrade =
        "GET /v1/connect HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"

    /// As much of it as the server takes.
    func flood(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// As much of it as the kernel takes at once; returns how much that was.
    func push(_ bytes: [UInt8]) -> Int {
        max(0, Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)))
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
