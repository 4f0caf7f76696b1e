internal import CLibuv

/// Calls `body` on the loop for every delivery of a signal. Used on the loop's thread; ends when it is released.
public final class LoopSignal {
    private let loop: EventLoop
    private var handle: UnsafeMutablePointer<uv_signal_t>?
    private let body: () -> Void

    /// `signal` is a number such as `SIGTERM`. Throws `LoopError` for one that can't be caught.
    public init(_ loop: EventLoop, signal: Int32, _ body: @escaping () -> Void) throws {
        loop.preconditionOnLoop()
        self.loop = loop
        self.body = body
        let handle = allocateHandle(uv_signal_t.self)
        uv_signal_init(loop.loop, handle)
        self.handle = handle
        handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        let code = uv_signal_start(handle, onSignal, signal)
        guard code == 0 else { throw LoopError("uv_signal_start", code) }
    }

    deinit {
        if let handle { loop.closeFromAnywhere(handle) }
    }

    /// No call comes any more.
    public func close() {
        loop.preconditionOnLoop()
        guard let handle else { return }
        closeAndFree(handle)
        self.handle = nil
    }

    fileprivate func fire() {
        if handle != nil { body() }
    }
}

private func onSignal(_ handle: UnsafeMutablePointer<uv_signal_t>?, _ number: Int32) {
    Unmanaged<LoopSignal>.fromOpaque(handle!.pointee.data).takeUnretainedValue().fire()
}
