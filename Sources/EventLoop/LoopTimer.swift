internal import CLibuv

/// A timer on the loop. Used on the loop's thread; stops when it is released.
public final class LoopTimer {
    private let loop: EventLoop
    private var handle: UnsafeMutablePointer<uv_timer_t>?
    private var body: (() -> Void)?

    public init(_ loop: EventLoop) {
        self.loop = loop
        let handle = allocateHandle(uv_timer_t.self)
        uv_timer_init(loop.loop, handle)
        handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        self.handle = handle
    }

    deinit {
        if let handle { loop.closeFromAnywhere(handle) }
    }

    /// Calls `body` after `afterMs` milliseconds and then every `repeatMs` (0: once). Replaces what was started before.
    public func start(afterMs: UInt64, repeatMs: UInt64 = 0, _ body: @escaping () -> Void) {
        loop.preconditionOnLoop()
        guard let handle else { preconditionFailure("the timer is closed") }
        self.body = body
        uv_timer_start(handle, onTimer, afterMs, repeatMs)
    }

    /// No call comes any more, until it is started again.
    public func stop() {
        loop.preconditionOnLoop()
        guard let handle else { return }
        uv_timer_stop(handle)
        body = nil
    }

    /// Ends it for good. Releasing it does the same.
    public func close() {
        loop.preconditionOnLoop()
        guard let handle else { return }
        closeAndFree(handle)
        self.handle = nil
        body = nil
    }

    fileprivate func fire() {
        guard let handle, let body else { return }
        if uv_timer_get_repeat(handle) == 0 { self.body = nil }
        body()
    }
}

private func onTimer(_ handle: UnsafeMutablePointer<uv_timer_t>?) {
    Unmanaged<LoopTimer>.fromOpaque(handle!.pointee.data).takeUnretainedValue().fire()
}
