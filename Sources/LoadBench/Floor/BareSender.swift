import ClientSupport
import EventLoop
import Glibc
import WebSocketServer

/// A sender with nothing around it: accepts readers, agrees to their WebSockets, and from then on only calls `send`. Blocks its
/// thread.
struct BareSender: Sendable {
    /// What sending took of its thread.
    struct Used: Sendable {
        var sends = 0
        var seconds = 0.0
        var cpu = 0.0
    }

    private let listener: Int32
    let port: UInt16

    init() throws(RunError) {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (listener, length) = (listener, size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 4096) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isListening else { throw RunError("the bare sender can't listen: \(String(cString: strerror(errno)))") }
        port = UInt16(bigEndian: address.sin_port)
        Self.beImpatient(listener)
    }

    func close() { Glibc.close(listener) }

    /// Waits for so many readers, and answers each of them; their sockets, which the caller closes.
    func accept(_ count: Int) throws -> [Int32] {
        var sockets: [Int32] = []
        while sockets.count < count {
            let socket = Glibc.accept(listener, nil, nil)
            guard socket >= 0 else { throw RunError("a reader can't be accepted: \(String(cString: strerror(errno)))") }
            sockets.append(socket)
            var on: Int32 = 1
            setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
            Self.beImpatient(socket)
            try answer(socket)
        }
        return sockets
    }

    private func answer(_ socket: Int32) throws(RunError) {
        var head = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !head.hasSuffix("\r\n\r\n") {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0, head.utf8.count < 65_536 else { throw RunError("a reader of the bare sender went away") }
            head += String(decoding: buffer[..<count], as: UTF8.self)
        }
        let name = "Sec-WebSocket-Key: "
        guard let line = head.split(separator: "\r\n").first(where: { $0.hasPrefix(name) }) else {
            throw RunError("a reader of the bare sender has no key")
        }
        let accept = Handshake.accept(String(line.dropFirst(name.count)))
        try send(
            Array(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \(accept)\r\n\r\n"
                    .utf8), to: socket)
    }

    /// Sends a stamped message to each socket in turn, `burst` of them at a time and so many a second, on the cores where the
    /// server's process may run.
    func send(
        to sockets: [Int32], _ rate: SendRate, burst: Int, seconds: Double, likeProcess pid: Int32?
    ) throws -> Used {
        if let pid { Cores.take(of: pid) }
        let pauseUs = Int64(Double(burst) / rate.perSecond * 1e6)
        let began = Monotonic.microseconds
        let usedBefore = Self.threadSeconds
        var used = Used()
        var next = began
        var message: [UInt8] = []
        var turn = 0
        while Monotonic.microseconds < began + Int64(seconds * 1e6) {
            Stamp.message(Monotonic.microseconds, bytes: Self.payload(of: Int(rate.bytes.rounded())), into: &message)
            let frame = Frame.text(message).bytes
            for _ in 0..<burst {
                try send(frame, to: sockets[turn])
                turn = turn + 1 == sockets.count ? 0 : turn + 1
            }
            used.sends += burst
            next += pauseUs
            let waitUs = next - Monotonic.microseconds
            if waitUs > 0 { usleep(UInt32(waitUs)) }
        }
        used.seconds = Double(Monotonic.microseconds - began) / 1e6
        used.cpu = Self.threadSeconds - usedBefore
        return used
    }

    /// Who does not come or say anything is not awaited for ever.
    private static func beImpatient(_ socket: Int32) {
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Waits where the kernel has no room, so that a frame is never cut.
    private func send(_ bytes: [UInt8], to socket: Int32) throws(RunError) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw RunError("the bare sender can't send: \(String(cString: strerror(errno)))") }
            sent += count
        }
    }

    /// Of a frame with so many bytes.
    private static func payload(of frame: Int) -> Int { frame - (frame < 128 ? 2 : frame < 65_540 ? 4 : 10) }

    private static var threadSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
