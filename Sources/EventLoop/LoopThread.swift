internal import CLibuv
internal import Glibc
internal import Synchronization

/// A loop on a thread of its own: for load clients and tests, beside whatever runs on the main thread.
public final class LoopThread: Sendable {
    public let loop: EventLoop
    private let thread: Mutex<pthread_t?>

    /// Makes a loop and runs it on a new thread.
    public init() throws {
        let loop = try EventLoop()
        self.loop = loop
        loop.disown()
        var thread = pthread_t()
        let context = Unmanaged.passRetained(loop).toOpaque()
        let code = pthread_create(&thread, nil, runLoop, context)
        guard code == 0 else {
            Unmanaged<EventLoop>.fromOpaque(context).release()
            throw LoopError("pthread_create", -code)
        }
        self.thread = Mutex(thread)
    }

    deinit { stop() }

    /// Stops the loop and waits until its thread has ended. Not to be called on that thread. Twice is as good as once.
    public func stop() {
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let running else { return }
        loop.stop()
        pthread_join(running, nil)
    }

    /// Has the calling thread run on the cores where a process may run. Nothing changes when there is no such process.
    public static func takeCores(of process: Int32) { kb_take_cores(process) }

    /// Runs `body` on the loop and gives back what it returns or throws. Any thread but the loop's own.
    public func call<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            loop.submit { continuation.resume(with: Result(catching: body)) }
        }
    }
}

private func runLoop(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    Unmanaged<EventLoop>.fromOpaque(context!).takeRetainedValue().run()
    return nil
}
