internal import Dispatch
public import EventLoop
internal import Glibc
internal import Synchronization

/// A loop on a thread of its own, beside the test that waits for it.
public final class LoopThread: Sendable {
    public let loop: EventLoop
    private let thread: Mutex<pthread_t?>

    /// Makes a loop on a new thread, and runs it there.
    public init() throws {
        let start = Start()
        var thread = pthread_t()
        let context = Unmanaged.passRetained(start)
        let code = pthread_create(&thread, nil, runLoop, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw NoThread(code: code)
        }
        start.isDone.wait()
        guard let made = start.made.withLock({ $0 }) else { preconditionFailure("the thread says nothing of its loop") }
        do {
            loop = try made.get()
        } catch {
            pthread_join(thread, nil)
            throw error
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

    /// Runs `body` on the loop and gives back what it returns or throws. Any thread but the loop's own.
    public func call<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            loop.submit { continuation.resume(with: Result(catching: body)) }
        }
    }
}

private struct NoThread: Error { let code: Int32 }

/// What the new thread hands over.
private final class Start: Sendable {
    let made = Mutex<Result<EventLoop, any Error>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
}

private func runLoop(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    let start = Unmanaged<Start>.fromOpaque(context!).takeRetainedValue()
    let made = Result(catching: { try EventLoop() })
    start.made.withLock { $0 = made }
    start.isDone.signal()
    if case .success(let loop) = made { loop.run() }
    return nil
}
