import Foundation
import Glibc

/// Waits for a socket, and for the alarm of who uses the link. Of one thread.
struct Waiter {
    /// ms for one address of several, and for a goodbye.
    private static let connectPatience = 3_000
    private static let partPatience = 1_000

    let alarm: Alarm
    /// Whether the client has left the link.
    let isLeft: () -> Bool

    /// A socket that is connected to one of the addresses of the host.
    func connect(host: String, port: Int) throws -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, String(port), &hints, &found)
        guard result == 0 else { throw StreamError("\(host): \(String(cString: gai_strerror(result)))") }
        defer { freeaddrinfo(found) }
        var failure = StreamError("\(host): no address")
        var next = found
        while let address = next?.pointee {
            next = address.ai_next
            do {
                return try connect(address, patience: next == nil ? nil : Waiter.connectPatience)
            } catch let error as StreamError {
                if isLeft() { throw error }
                failure = error
            }
        }
        throw failure
    }

    private func connect(_ address: addrinfo, patience: Int?) throws -> Int32 {
        let kind = address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.ai_family, kind, address.ai_protocol)
        guard descriptor >= 0 else { throw StreamError.system("socket") }
        do {
            if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 {
                guard errno == EINPROGRESS else { throw StreamError.system("connect") }
                let end = patience.map { Waiter.now() + $0 }
                while try !poll(descriptor, .write, until: end) {
                    if isLeft() { throw StreamError("left") }
                    if let end, Waiter.now() >= end { throw StreamError("connect: no answer") }
                }
                var error: Int32 = 0
                var size = socklen_t(MemoryLayout<Int32>.size)
                getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
                guard error == 0 else { throw StreamError("connect: \(String(cString: strerror(error)))") }
            }
            return descriptor
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Until the stream may go on. Throws if the client has left.
    func wait(_ stream: Stream, _ wait: Stream.Wait) throws {
        while try !poll(stream.descriptor, wait, until: nil) {
            if isLeft() { throw StreamError("left") }
        }
    }

    /// Until there is something to read, room to write if that is wanted, or an alarm.
    func turn(_ stream: Stream, isWriting: Bool) throws {
        _ = try poll(stream.descriptor, isWriting ? .write : .none, alsoReads: true, until: nil)
    }

    /// Until the stream may go on, or the time for a goodbye is over: false.
    func waitToPart(_ stream: Stream, _ wait: Stream.Wait, until end: Int) throws -> Bool {
        while Waiter.now() < end {
            if try poll(stream.descriptor, wait, until: end) { return true }
        }
        return false
    }

    static var partEnd: Int { now() + partPatience }

    /// Whether the descriptor is ready; false for an alarm, or at the end of the time.
    private func poll(_ descriptor: Int32, _ wait: Stream.Wait, alsoReads: Bool = false, until end: Int?) throws -> Bool
    {
        var wanted: Int32 = 0
        if wait == .write { wanted |= POLLOUT }
        if wait == .read || alsoReads { wanted |= POLLIN }
        var places = [
            pollfd(fd: descriptor, events: Int16(wanted), revents: 0),
            pollfd(fd: alarm.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let patience = end.map { Int32(max(0, $0 - Waiter.now())) } ?? -1
        if Glibc.poll(&places, 2, patience) < 0, errno != EINTR { throw StreamError.system("poll") }
        if places[1].revents != 0 { alarm.silence() }
        return places[0].revents != 0
    }

    /// ms, of a clock that nobody puts back.
    static func now() -> Int {
        Int(ProcessInfo.processInfo.systemUptime * 1000)
    }
}

/// What goes out and comes in on a stream, in turn. Of one thread.
struct Conversation {
    private let stream: Stream
    private let waiter: Waiter
    private var outgoing: [UInt8] = []

    init(_ stream: Stream, _ waiter: Waiter) {
        self.stream = stream
        self.waiter = waiter
    }

    mutating func add(_ bytes: [UInt8]) {
        outgoing += bytes
    }

    /// Shakes hands. What has come behind the answer.
    mutating func open(_ handshake: Handshake) throws -> ArraySlice<UInt8> {
        var handshake = handshake
        add(Array(handshake.request.utf8))
        while true {
            guard let bytes = try turn() else { throw StreamError("no hub answers there") }
            if let rest = try handshake.add(bytes) { return rest }
            if waiter.isLeft() { throw StreamError("left") }
        }
    }

    /// Writes what goes, and waits: for what comes, an alarm, or room for what did not go. Nil at the end of the stream.
    mutating func turn() throws -> ArraySlice<UInt8>? {
        var isWriting = try !flush()
        guard let (bytes, wait) = try stream.read() else { return nil }
        if !bytes.isEmpty { return bytes }
        if wait == .write { isWriting = true }
        try waiter.turn(stream, isWriting: isWriting)
        return []
    }

    /// Says the last word, for a second at most: who does not read gets none.
    mutating func part(_ bytes: [UInt8]) {
        add(bytes)
        let end = Waiter.partEnd
        do {
            while try !flush() {
                guard try waiter.waitToPart(stream, .write, until: end) else { return }
            }
            // What still comes is read, or the other end would not get the last word.
            while Waiter.now() < end, let (bytes, wait) = try stream.read() {
                if bytes.isEmpty, try !waiter.waitToPart(stream, wait, until: end) { return }
            }
        } catch {
            // The other end was faster.
        }
    }

    /// Whether all has gone.
    private mutating func flush() throws -> Bool {
        while !outgoing.isEmpty {
            let (count, wait) = try stream.write(outgoing)
            outgoing.removeFirst(count)
            if wait != .none { return false }
        }
        return true
    }
}
