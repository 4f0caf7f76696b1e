internal import CLibwebsockets
internal import EventLoop
internal import Glibc

/// A listening TCP socket, shared with other processes by SO_REUSEPORT: the kernel spreads connections over them.
final class Listener {
    /// Accepted per readiness, and nanoseconds after which no other one is, so that a storm of newcomers does not starve those who
    /// are there: each takes some 10 µs.
    private static let acceptsPerTurn = 64
    private static let acceptsNs: UInt64 = 250_000
    /// How long accepting rests when the process has no descriptor left; the queue of the kernel holds newcomers.
    private static let restMs: UInt64 = 100

    /// SOCK_NONBLOCK | SOCK_CLOEXEC.
    private static let nonBlocking: Int32 = 0o2004000

    /// What the kernel takes beyond what is on its way: without it up to 4 MB of a feed grow stale there for a reader that stands
    /// still; with it, it is known within 32 KiB that the reader does not keep up. Of an answer over HTTP it takes less: what 10,000 who
    /// ask and read nothing cost is mostly to copy it for them.
    private static let unsentBytes: Int32 = 32_768
    private static let unsentAnswerBytes: Int32 = 8_192

    private let loop: EventLoop
    private let poll: LoopPoll
    private let resume: LoopTimer
    private var descriptor: Int32
    /// The bound port.
    let port: Int

    /// Takes a connected, non-blocking descriptor, which it owns from now on.
    var onAccept: (Int32, PeerAddress) -> Void = { descriptor, _ in Glibc.close(descriptor) }
    var onNoDescriptor: () -> Void = {}

    /// `host`: a name or number; the first of its addresses that can be bound is. `port` 0: any that is free.
    init(loop: EventLoop, host: String, port: Int) throws {
        self.loop = loop
        (descriptor, self.port) = try Self.bind(host: host, port: port)
        resume = LoopTimer(loop)
        poll = try LoopPoll(loop, descriptor: descriptor)
        start()
    }

    deinit { close() }

    /// Those that the kernel has already queued are lost, as they are when a process ends.
    func close() {
        guard descriptor >= 0 else { return }
        resume.close()
        poll.close()
        Glibc.close(descriptor)
        descriptor = -1
    }

    private func start() {
        poll.start { [unowned self] in self.accept() }
    }

    private func accept() {
        let end = EventLoop.currentTimeNs() + Self.acceptsNs
        for turn in 0..<Self.acceptsPerTurn {
            if turn > 0, EventLoop.currentTimeNs() >= end { return }
            var address = sockaddr_storage()
            var length = UInt32(MemoryLayout<sockaddr_storage>.size)
            let accepted = kb_accept(descriptor, &address, &length)
            guard accepted >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM { rest() }
                return
            }
            var on: Int32 = 1
            setsockopt(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
            Self.limitUnsent(accepted, Self.unsentAnswerBytes)
            onAccept(accepted, PeerAddress(address))
            if descriptor < 0 { return }
        }
    }

    /// Of a socket that has become a WebSocket.
    static func expectFrames(_ descriptor: Int32) { limitUnsent(descriptor, unsentBytes) }

    private static func limitUnsent(_ descriptor: Int32, _ bytes: Int32) {
        var bytes = bytes
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The socket stays readable while nobody is accepted: without a rest that would spin.
    private func rest() {
        onNoDescriptor()
        poll.stop()
        resume.start(afterMs: Self.restMs) { [unowned self] in self.start() }
    }

    private static func bind(host: String, port: Int) throws -> (Int32, Int) {
        guard (0...65_535).contains(port) else { throw ServerError("\(port) is not a port (0…65535)") }
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else { throw ServerError("cannot resolve \(host): \(String(cString: gai_strerror(code)))") }
        defer { freeaddrinfo(list) }
        var lastError: Int32 = 0
        var candidate = list
        while let address = candidate {
            if let descriptor = open(address.pointee) {
                return (descriptor, boundPort(descriptor))
            }
            lastError = errno
            candidate = address.pointee.ai_next
        }
        throw ServerError("cannot listen on \(host):\(port): \(String(cString: strerror(lastError)))")
    }

    private static func open(_ address: addrinfo) -> Int32? {
        let descriptor = socket(address.ai_family, address.ai_socktype | Self.nonBlocking, address.ai_protocol)
        guard descriptor >= 0 else { return nil }
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        guard setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &on, size) == 0,
            Glibc.bind(descriptor, address.ai_addr, address.ai_addrlen) == 0,
            Glibc.listen(descriptor, 4096) == 0
        else {
            let error = errno
            Glibc.close(descriptor)
            errno = error
            return nil
        }
        return descriptor
    }

    private static func boundPort(_ descriptor: Int32) -> Int {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &address) { bytes in
            _ = getsockname(descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length)
            // The port stands at the same place in both families, in network order.
            return Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
        }
    }
}
