import EventLoop
import Synchronization

/// Runs asynchronous work, whose actors live on a loop made for it, on the calling thread.
enum OwnLoop {
    /// Returns when the work is done.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable (EventLoop) async throws(ReplayError) -> Value
    ) throws(ReplayError) -> Value {
        let loop: EventLoop
        do {
            loop = try EventLoop()
        } catch {
            throw ReplayError("the event loop cannot be made: \(error)")
        }
        let outcome = Outcome<Value>()
        Task {
            do throws(ReplayError) {
                outcome.set(.success(try await work(loop)))
            } catch {
                outcome.set(.failure(error))
            }
            loop.stop()
        }
        loop.run()
        return try outcome.get()
    }

    /// Carries the result from the task to the thread that waits for it.
    private final class Outcome<Value: Sendable>: Sendable {
        private let result = Mutex<Result<Value, ReplayError>?>(nil)

        func set(_ value: Result<Value, ReplayError>) { result.withLock { $0 = value } }

        func get() throws(ReplayError) -> Value {
            guard let value = result.withLock({ $0 }) else { throw ReplayError("the run was stopped") }
            return try value.get()
        }
    }
}
