internal import CLibuv

/// Watches a descriptor for something to read or to accept. It does not own the descriptor: close that after this.
/// Used on the loop's thread; ends when it is released.
public final class LoopPoll {
    private let loop: EventLoop
    private var handle: UnsafeMutablePointer<uv_poll_t>?
    private var body: (() -> Void)?

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
        loop.preconditionOnLoop()
        guard let handle else { preconditionFailure("the poll is closed") }
        body = readable
        uv_poll_start(handle, Int32(UV_READABLE.rawValue), onReadable)
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

    fileprivate func fire() {
        if let body { body() }
    }
}

private func onReadable(_ handle: UnsafeMutablePointer<uv_poll_t>?, _ status: Int32, _ events: Int32) {
    Unmanaged<LoopPoll>.fromOpaque(handle!.pointee.data).takeUnretainedValue().fire()
}
