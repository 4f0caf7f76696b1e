internal import EventLoop
internal import Glibc

/// A socket under TLS until its handshake begins: a descriptor that is watched, and nothing of OpenSSL's, which takes 40 KiB.
final class Arrival {
    enum Phase {
        /// No hello has come.
        case silent
        /// It has come before its address may have another handshake.
        case waiting
        /// It is in the list of those whose handshake begins.
        case due
    }

    enum Hello { case partly, there, ended }

    private static let headBytes = 5
    /// The first byte of a record with a handshake, and that of a handshake with a hello.
    private static let handshakeRecord: UInt8 = 22
    private static let clientHello: UInt8 = 1
    /// Bytes of a hello, with its head of 4: those with keys that quantum computers can't break have some 2,000.
    private static let longestHello = 8_192

    var phase = Phase.silent
    private var descriptor: Int32
    private let poll: LoopPoll
    /// The kernel wakes us for no less.
    private var wanted = 1

    /// Owns the descriptor, unless it throws.
    init(_ loop: EventLoop, _ descriptor: Int32, heard: @escaping () -> Void) throws {
        poll = try LoopPoll(loop, descriptor: descriptor)
        self.descriptor = descriptor
        poll.start(readable: heard)
    }

    deinit { close() }

    /// Whether the hello's record is there as a whole, which is left where it is: in pieces it would be answered from
    /// libwebsockets' events, which nobody can put off. `ended`, too, if it is no hello, too long, or in several records.
    func look(_ scratch: UnsafeMutableRawBufferPointer) -> Hello {
        let count = recv(descriptor, scratch.baseAddress, scratch.count, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) ? .partly : .ended }
        guard scratch[0] == Self.handshakeRecord else { return .ended }
        let record = count < Self.headBytes ? 4 : Int(scratch[3]) << 8 | Int(scratch[4])
        guard (4...Self.longestHello).contains(record) else { return .ended }
        if count >= Self.headBytes + 4 {
            let message = 4 + (Int(scratch[6]) << 16 | Int(scratch[7]) << 8 | Int(scratch[8]))
            guard scratch[5] == Self.clientHello, message <= record else { return .ended }
        }
        let needed = Self.headBytes + record
        if count >= needed { return .there }
        // Woken with less than was wanted: the peer has ended its side, or the kernel has no room for more.
        guard needed > wanted else { return .ended }
        wake(at: needed)
        return .partly
    }

    /// Nothing more is heard of it.
    func rest() {
        poll.close()
        if wanted > 1 { wake(at: 1) }
    }

    /// Gives the descriptor away.
    func release() -> Int32 {
        rest()
        defer { descriptor = -1 }
        return descriptor
    }

    func close() {
        poll.close()
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    private func wake(at count: Int) {
        wanted = count
        var bytes = Int32(count)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVLOWAT, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }
}
