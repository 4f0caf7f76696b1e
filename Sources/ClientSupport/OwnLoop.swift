package import EventLoop
import Synchronization

/// Runs asynchronous work, whose actors live on a loop made for it, on the calling thread.
package enum OwnLoop {
    /// Returns when the work is done.
    package static func run<Value: Sendable>(
        _ work: @escaping @Sendable (EventLoop) async throws(RunError) -> Value
    ) throws(RunError) -> Value {
        let loop: EventLoop
        do {
            loop = try EventLoop()
        } catch {
            throw RunError("the event loop cannot be made: \(error)")
        }
        let outcome = Outcome<Value>()
        Task {
            do throws(RunError) {
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
        private let result = Mutex<Result<Value, RunError>?>(nil)

        func set(_ value: Result<Value, RunError>) { result.withLock { $0 = value } }

        func get() throws(RunError) -> Value {
            guard let value = result.withLock({ $0 }) else { throw RunError("the run was stopped") }
            return try value.get()
        }
    }
}
