internal import CLibuv
internal import Glibc

/// Calls `body` on the loop for every delivery of a signal. Used on the loop's thread; ends when it is released.
public final class LoopSignal {
    private let loop: EventLoop
    private var handle: UnsafeMutablePointer<uv_signal_t>?
    private let body: () -> Void

    /// From now on `signal` does not end this process: one that comes waits until a ``LoopSignal`` for it is made on this
    /// thread. To be called before there are other threads, as the kernel gives a signal to any that does not hold it.
    /// Children don't inherit it: libuv empties the mask of a process that it starts.
    public static func hold(_ signal: Int32) { mask(SIG_BLOCK, signal) }

    private static func mask(_ how: Int32, _ signal: Int32) {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal)
        pthread_sigmask(how, &set, nil)
    }

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
        // One that was held comes now.
        Self.mask(SIG_UNBLOCK, signal)
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
