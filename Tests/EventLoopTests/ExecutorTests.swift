import EventLoop
import TestSupport
import Testing

/// An actor that lives on a loop, entered from callbacks of that loop.
private actor Counter {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private(set) var value = 0
    private var timer: LoopTimer?
    private var turnsSeen = 0

    init(loop: EventLoop) { self.loop = loop }

    func add(_ amount: Int) -> Int {
        loop.preconditionOnLoop()
        value += amount
        return value
    }

    /// Resumes when a timer's callback has entered this actor without a hop.
    func enteredFromTimer() async -> Bool {
        await withCheckedContinuation { continuation in
            let timer = LoopTimer(loop)
            self.timer = timer
            timer.start(afterMs: 1) {
                let isInside = self.assumeIsolated { $0.loop.isOnLoop }
                continuation.resume(returning: isInside)
            }
        }
    }

    func addThroughAnother(_ other: Counter) async -> Bool {
        let before = loop.isOnLoop
        _ = await other.add(1)
        return before && loop.isOnLoop
    }

    /// The value that a hook sees at the end of the turn in which two jobs of this actor have run.
    func valueAtEndOfTurn() async -> Int {
        value = 0
        return await withCheckedContinuation { continuation in
            var continuation = Optional(continuation)
            loop.atEndOfTurn {
                self.assumeIsolated { me in
                    guard me.value == 2, let waiting = continuation else { return }
                    continuation = nil
                    waiting.resume(returning: me.value)
                }
            }
            Task { self.add(1) }
            Task { self.add(1) }
        }
    }
}

@Suite struct ExecutorTests {
    @Test func `an actor on the loop is entered from a uv callback`() async throws {
        let thread = try LoopThread()
        defer { thread.stop() }
        let counter = Counter(loop: thread.loop)
        #expect(await counter.enteredFromTimer())
    }

    @Test func `await between two actors of one loop stays on the loop`() async throws {
        let thread = try LoopThread()
        defer { thread.stop() }
        let first = Counter(loop: thread.loop)
        let second = Counter(loop: thread.loop)
        #expect(await first.addThroughAnother(second))
        #expect(await second.value == 1)
    }

    @Test func `jobs from many threads all run on the loop, one at a time`() async throws {
        let thread = try LoopThread()
        defer { thread.stop() }
        let counter = Counter(loop: thread.loop)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 { _ = await counter.add(1) }
                }
            }
        }
        #expect(await counter.value == 4_000)
    }

    @Test func `a hook at the end of the turn runs after the jobs`() async throws {
        let thread = try LoopThread()
        defer { thread.stop() }
        #expect(await Counter(loop: thread.loop).valueAtEndOfTurn() == 2)
    }

    @Test func `a body is called on the loop, and its error comes back`() async throws {
        struct Refused: Error {}
        let thread = try LoopThread()
        defer { thread.stop() }
        let loop = thread.loop
        #expect(loop.isOnLoop == false)
        #expect(try await thread.call { loop.isOnLoop && loop.isIsolatingCurrentContext() == true })
        await #expect(throws: Refused.self) { try await thread.call { throw Refused() } }
    }

    @Test func `stop is obeyed from the loop and from another thread, and before run`() async throws {
        let fromOutside = try LoopThread()
        fromOutside.stop()
        let fromInside = try LoopThread()
        let loop = fromInside.loop
        try await fromInside.call { loop.stop() }
        fromInside.stop()
        let early = try EventLoop()
        early.submit { early.stop() }
        early.run()
    }

    @Test func `a loop is freed when nobody holds it`() throws {
        weak var gone: EventLoop?
        do {
            let loop = try EventLoop()
            let timer = LoopTimer(loop)
            timer.start(afterMs: 0) { loop.stop() }
            loop.run()
            timer.close()
            gone = loop
        }
        #expect(gone == nil)
    }
}
