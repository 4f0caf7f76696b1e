internal import EventLoop
internal import Glibc

/// A socket until libwebsockets takes it: a descriptor that is watched in the crowd of strangers. A plain one waits for its first
/// bytes; one under TLS until its handshake begins, with nothing of OpenSSL's, which takes 40 KiB. Or one whose handshake waits for the
/// hello to be repeated, of which OpenSSL is told when all of it is there; its descriptor is libwebsockets', which does not watch
/// it meanwhile.
final class Arrival {
    enum Phase {
        /// Nothing has come, or not all of a hello.
        case silent
        /// It has come before its address may have another handshake.
        case waiting
        /// It is in the list of those that libwebsockets takes, or whose handshake goes on.
        case due
        /// The peer has left, or what it sent is no hello of TLS.
        case ended
    }

    enum Hello { case partly, there, ended }

    private static let headBytes = 5
    /// The first byte of a record with a handshake, and that of a handshake with a hello.
    private static let handshakeRecord: UInt8 = 22
    private static let clientHello: UInt8 = 1
    /// The record that many clients send ahead of a repeated hello (RFC 8446 D.4), with its head.
    private static let changeRecord: UInt8 = 20
    private static let changeBytes = 6
    /// Bytes of a hello, with its head of 4: those with keys that quantum computers can't break have some 2,000.
    private static let longestHello = 8_192

    var phase = Phase.silent
    private let isPlain: Bool
    private let isRepeated: Bool
    private var descriptor: Int32
    private let watch: CrowdPoll.Watch
    /// The kernel wakes us for no less.
    private var wanted = 1

    /// Owns the descriptor, but of a repeated hello. `heard` is told whether the socket is broken or, at `rest`, whether the peer has
    /// ended its side.
    init(
        _ crowd: CrowdPoll, _ descriptor: Int32, isPlain: Bool, isRepeated: Bool = false,
        heard: @escaping (_ isEnded: Bool) -> Void
    ) {
        watch = crowd.watch(descriptor)
        self.isPlain = isPlain
        self.isRepeated = isRepeated
        self.descriptor = descriptor
        watch.start(for: .readable) { heard($0.contains(.ended)) }
    }

    deinit { close() }

    /// Whether something is there, or under TLS the hello's record as a whole, which is left where it is: in pieces it would be answered from
    /// libwebsockets' events, which nobody can put off. `ended`, too, if it is no hello, too long, or in several records.
    func look(_ scratch: UnsafeMutableRawBufferPointer) -> Hello {
        let count = recv(descriptor, scratch.baseAddress, scratch.count, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) ? .partly : .ended }
        guard !isPlain else { return .there }
        let skipped = isRepeated && scratch[0] == Self.changeRecord ? Self.changeBytes : 0
        let hello = UnsafeRawBufferPointer(rebasing: scratch[min(skipped, count)..<count])
        guard hello.isEmpty || hello[0] == Self.handshakeRecord else { return .ended }
        let record = hello.count < Self.headBytes ? 4 : Int(hello[3]) << 8 | Int(hello[4])
        guard (4...Self.longestHello).contains(record) else { return .ended }
        if hello.count >= Self.headBytes + 4 {
            let message = 4 + (Int(hello[6]) << 16 | Int(hello[7]) << 8 | Int(hello[8]))
            guard hello[5] == Self.clientHello, message <= record else { return .ended }
        }
        let needed = skipped + Self.headBytes + record
        if count >= needed { return .there }
        // Woken with less than was wanted: the peer has ended its side, or the kernel has no room for more.
        guard needed > wanted else { return .ended }
        wake(at: needed)
        return .partly
    }

    /// Nothing more is heard of it; but under TLS its end, as who has left before its handshake is answered nothing.
    func rest() {
        guard !isPlain else { return watch.stop() }
        watch.change(to: .ended)
        if wanted > 1 { wake(at: 1) }
    }

    /// Nothing more is heard of it at all.
    func end() {
        phase = .ended
        watch.stop()
    }

    /// Gives the descriptor away.
    func release() -> Int32 {
        watch.close()
        defer { descriptor = -1 }
        return descriptor
    }

    func close() {
        watch.close()
        if descriptor >= 0, !isRepeated { Glibc.close(descriptor) }
        descriptor = -1
    }

    private func wake(at count: Int) {
        wanted = count
        var bytes = Int32(count)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVLOWAT, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }
}
