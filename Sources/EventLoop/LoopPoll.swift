internal import CLibuv

/// Watches a descriptor: something to read or to accept, room to write. It does not own the descriptor: close that after this.
/// Used on the loop's thread; ends when it is released.
public final class LoopPoll {
    private let loop: EventLoop
    private var handle: UnsafeMutablePointer<uv_poll_t>?
    private var body: ((Events) -> Void)?

    /// What a descriptor is ready for. One that has hung up or is in error is reported as ready for what was asked.
    public struct Events: OptionSet, Sendable {
        public let rawValue: Int32
        public init(rawValue: Int32) { self.rawValue = rawValue }
        public static let readable = Events(rawValue: Int32(UV_READABLE.rawValue))
        public static let writable = Events(rawValue: Int32(UV_WRITABLE.rawValue))
        /// The peer has ended its side, or the socket is broken, whatever is left to be read.
        public static let ended = Events(rawValue: Int32(UV_DISCONNECT.rawValue))
    }

    /// Throws `LoopError` for a descriptor that can't be watched (a file, or one that the loop watches already).
    public init(_ loop: EventLoop, descriptor: Int32) throws {
        loop.preconditionOnLoop()
        self.loop = loop
        let handle = allocateHandle(uv_poll_t.self)
        let code = uv_poll_init(loop.loop, handle, descriptor)
        guard code == 0 else {
            UnsafeMutableRawPointer(handle).deallocate()
            throw LoopError("uv_poll_init", code)
        }
        handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        self.handle = handle
    }

    deinit {
        if let handle { loop.closeFromAnywhere(handle) }
    }

    /// Calls `readable` in every turn in which the descriptor is readable, has hung up or is in error.
    public func start(readable: @escaping () -> Void) {
        start(for: .readable) { _ in readable() }
    }

    /// Calls `body` in every turn in which the descriptor is ready for one of `events`. Replaces what was started.
    public func start(for events: Events, _ body: @escaping (Events) -> Void) {
        self.body = body
        change(to: events)
    }

    /// Watches for other events with the same body. Costs a system call when they differ.
    public func change(to events: Events) {
        loop.preconditionOnLoop()
        guard let handle else { preconditionFailure("the poll is closed") }
        uv_poll_start(handle, events.rawValue, onReady)
    }

    /// No call comes any more, until it is started again.
    public func stop() {
        loop.preconditionOnLoop()
        guard let handle else { return }
        uv_poll_stop(handle)
        body = nil
    }

    /// Ends it for good; the descriptor may be closed from now on.
    public func close() {
        loop.preconditionOnLoop()
        guard let handle else { return }
        closeAndFree(handle)
        self.handle = nil
        body = nil
    }

    fileprivate func fire(status: Int32, events: Int32) {
        // An error comes without events: the next read or write tells what it is.
        if let body { body(status < 0 ? [.readable, .writable, .ended] : Events(rawValue: events)) }
    }
}

private func onReady(_ handle: UnsafeMutablePointer<uv_poll_t>?, _ status: Int32, _ events: Int32) {
    Unmanaged<LoopPoll>.fromOpaque(handle!.pointee.data).takeUnretainedValue()
        .fire(status: status, events: events)
}
