import Dispatch
import EventLoop
import Testing

@testable import Hub

/// Work on a thread that the loop does not wait for.
@Suite struct BackgroundWorkTests {
    private final class Seen {
        var (begun, found, begunMeanwhile): (Int, [Int], Int) = (0, [], 0)
    }

    @Test func `the loop goes on while it is done, and who asks meanwhile has it done once more`() throws {
        let loop = try EventLoop()
        let gate = DispatchSemaphore(value: 0)
        let seen = Seen()
        let work = BackgroundWork<Int>(
            loop,
            begin: {
                seen.begun += 1
                let number = seen.begun
                return {
                    gate.wait()
                    return number
                }
            },
            then: {
                seen.found.append($0)
                if $0 == 2 { loop.stop() }
            })
        for _ in 0..<3 { work.ask() }
        // What is being done waits for this.
        let timer = LoopTimer(loop)
        timer.start(afterMs: 1) {
            seen.begunMeanwhile = seen.begun
            for _ in 0..<2 { gate.signal() }
        }
        loop.run()
        timer.close()
        #expect(seen.found == [1, 2] && seen.begun == 2 && seen.begunMeanwhile == 1)
    }

    @Test func `when it is closed nobody is told of what is being done, and nothing more is begun`() throws {
        let loop = try EventLoop()
        let queue = DispatchQueue(label: "a thread")
        let gate = DispatchSemaphore(value: 0)
        let seen = Seen()
        let work = BackgroundWork<Int>(
            loop, queue: queue,
            begin: {
                seen.begun += 1
                return {
                    gate.wait()
                    return 1
                }
            },
            then: { seen.found.append($0) })
        work.ask()
        work.ask()
        work.close()
        work.ask()
        gate.signal()
        // After what is being done.
        queue.async { loop.submit { loop.stop() } }
        loop.run()
        #expect(seen.begun == 1 && seen.found.isEmpty)
    }
}
