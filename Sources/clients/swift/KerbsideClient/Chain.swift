/// Does one thing after the other.
final class Chain: Sendable {
    private let continuation: AsyncStream<@Sendable () async -> Void>.Continuation

    init() {
        let (stream, continuation) = AsyncStream<@Sendable () async -> Void>.makeStream()
        self.continuation = continuation
        Task {
            for await what in stream { await what() }
        }
    }

    deinit {
        continuation.finish()
    }

    /// Behind all that was added before.
    func add(_ what: @escaping @Sendable () async -> Void) {
        continuation.yield(what)
    }

    /// All that was added is done.
    func done() async {
        let (answer, settle) = Answer.make()
        add { settle(true) }
        _ = await answer.isApplied()
    }
}

/// Whether an event was applied, once that is known.
struct Answer: Sendable {
    private let stream: AsyncStream<Bool>

    /// An answer, and what settles it.
    static func make() -> (Answer, @Sendable (Bool) -> Void) {
        let (stream, continuation) = AsyncStream<Bool>.makeStream()
        let settle: @Sendable (Bool) -> Void = { isApplied in
            continuation.yield(isApplied)
            continuation.finish()
        }
        return (Answer(stream: stream), settle)
    }

    /// Waits for it; of one task.
    func isApplied() async -> Bool {
        for await isApplied in stream { return isApplied }
        return false
    }
}
