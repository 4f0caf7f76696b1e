import EventLoop
import Foundation
import Glibc
import Testing

@Suite struct HandleTests {
    /// Runs a loop on this thread until `body`'s parts call `stop()`.
    private func running(_ body: (EventLoop) throws -> Void) throws {
        let loop = try EventLoop()
        try body(loop)
        loop.run()
    }

    @Test func `timers fire in the order of their deadlines, and a stopped one does not`() throws {
        var fired: [Int] = []
        try running { loop in
            let timers = (0..<4).map { _ in LoopTimer(loop) }
            timers[0].start(afterMs: 20) {
                fired.append(0)
                withExtendedLifetime(timers) { loop.stop() }
            }
            timers[1].start(afterMs: 1) { fired.append(1) }
            timers[2].start(afterMs: 8) { fired.append(2) }
            timers[3].start(afterMs: 5) { fired.append(3) }
            timers[3].stop()
        }
        #expect(fired == [1, 2, 0])
    }

    @Test func `a repeating timer goes on until it is stopped, and may be restarted from its own callback`() throws {
        var repeats = 0
        var restarts = 0
        try running { loop in
            let timer = LoopTimer(loop)
            timer.start(afterMs: 1, repeatMs: 1) {
                repeats += 1
                guard repeats == 3 else { return }
                timer.start(afterMs: 1) {
                    restarts += 1
                    timer.close()
                    loop.stop()
                }
            }
        }
        #expect(repeats == 3)
        #expect(restarts == 1)
    }

    @Test func `what is put off again and again comes once a turn, and the loop does not block meanwhile`() throws {
        var (turns, seen) = (0, [Int]())
        try running { loop in
            loop.atEndOfTurn { turns += 1 }
            func goOn() {
                seen.append(turns)
                if seen.count < 5 { loop.inNextTurn(goOn) } else { loop.stop() }
            }
            let timer = LoopTimer(loop)
            timer.start(afterMs: 0) { withExtendedLifetime(timer) { goOn() } }
        }
        #expect(seen == Array(0..<5))
    }

    @Test func `a released timer does not fire`() throws {
        var fired = false
        try running { loop in
            do {
                let short = LoopTimer(loop)
                short.start(afterMs: 1) { fired = true }
            }
            let last = LoopTimer(loop)
            last.start(afterMs: 10) { withExtendedLifetime(last) { loop.stop() } }
        }
        #expect(!fired)
    }

    @Test func `the loop's clock is monotonic and the wall clock agrees with the system's`() throws {
        let loop = try EventLoop()
        let first = loop.now
        loop.submit { loop.stop() }
        loop.run()
        #expect(loop.now >= first)
        let before = Int64(Date().timeIntervalSince1970 * 1000)
        let wall = EventLoop.wallClock()
        #expect((before - 1...Int64(Date().timeIntervalSince1970 * 1000) + 1).contains(wall))
    }

    @Test func `a signal arrives on the loop`() throws {
        var count = 0
        try running { loop in
            var signal: LoopSignal?
            signal = try LoopSignal(loop, signal: SIGUSR2) {
                count += 1
                signal?.close()
                loop.stop()
            }
            kill(getpid(), SIGUSR2)
        }
        #expect(count == 1)
        #expect(throws: LoopError.self) { _ = try LoopSignal(try EventLoop(), signal: SIGKILL) {} }
    }

    @Test func `a signal that is held comes when there is somebody for it`() throws {
        var count = 0
        // Threads of a pool hold nearly all.
        var (before, one) = (sigset_t(), sigset_t())
        sigemptyset(&one)
        sigaddset(&one, SIGWINCH)
        pthread_sigmask(SIG_UNBLOCK, &one, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        // Without a handler this one does nothing: where it is not held, it is lost.
        LoopSignal.hold(SIGWINCH)
        let code = raise(SIGWINCH)
        #expect(code == 0)
        var mask = sigset_t()
        var signal: LoopSignal?
        try running { loop in
            signal = try LoopSignal(loop, signal: SIGWINCH) { count += 1 }
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            // It waits in the loop's own pipe by now: the first turn has it.
            let timer = LoopTimer(loop)
            timer.start(afterMs: 1) { withExtendedLifetime(timer) { loop.stop() } }
        }
        withExtendedLifetime(signal) {}
        #expect(count == 1)
        let isHeld = sigismember(&mask, SIGWINCH) != 0
        #expect(!isHeld)
    }

    @Test func `a readable descriptor is told, until the poll is closed`() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        var read: [UInt8] = []
        try running { loop in
            let poll = try LoopPoll(loop, descriptor: ends[0])
            poll.start {
                var byte: UInt8 = 0
                #expect(Glibc.read(ends[0], &byte, 1) == 1)
                read.append(byte)
                guard read.count < 2 else {
                    poll.close()
                    return loop.stop()
                }
                _ = Glibc.write(ends[1], [8], 1)
            }
            _ = Glibc.write(ends[1], [7], 1)
        }
        #expect(read == [7, 8])
    }

    @Test func `a turn looks at so many ready descriptors at most, and the next ones at the others`() throws {
        EventLoop.limitTurns()
        let count = 3 * EventLoop.eventsPerTurn
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let descriptors = (0..<count).map { _ in dup(ends[0]) }
        defer { for end in ends + descriptors { close(end) } }
        var (told, inTurn, most) = (0, 0, 0)
        try running { loop in
            for poll in try descriptors.map({ try LoopPoll(loop, descriptor: $0) }) {
                poll.start {
                    poll.close()
                    (told, inTurn) = (told + 1, inTurn + 1)
                    if told == count { loop.inNextTurn { loop.stop() } }
                }
            }
            loop.atEndOfTurn {
                most = max(most, inTurn)
                inTurn = 0
            }
            #expect(Glibc.write(ends[1], [7], 1) == 1)
        }
        #expect(told == count)
        #expect(most > 0 && most <= EventLoop.eventsPerTurn)
    }

    @Test func `who has something to say does not wait for all whose peers have left before`() throws {
        EventLoop.limitTurns()
        let count = 200
        let pairs = (0...count).map { _ in Self.socketPair() }
        let (speaker, others) = (pairs[count], pairs[..<count])
        defer { for pair in pairs { close(pair.ours) } }
        var (left, before, most, inTurn) = (0, -1, 0, 0)
        try running { loop in
            for pair in others {
                let poll = try LoopPoll(loop, descriptor: pair.ours)
                poll.start {
                    poll.close()
                    (left, inTurn) = (left + 1, inTurn + 1)
                    if left == count { loop.inNextTurn { loop.stop() } }
                }
            }
            let poll = try LoopPoll(loop, descriptor: speaker.ours)
            poll.start {
                poll.close()
                before = left
            }
            loop.atEndOfTurn {
                most = max(most, inTurn)
                inTurn = 0
            }
            for pair in others { close(pair.theirs) }
            #expect(Glibc.write(speaker.theirs, [7], 1) == 1)
        }
        close(speaker.theirs)
        #expect(left == count && most > 0 && most <= EventLoop.departuresPerTurn)
        #expect(before >= 0 && before <= EventLoop.departuresPerTurn)
    }

    private static func socketPair() -> (ours: Int32, theirs: Int32) {
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    @Test func `a child's exit status, signal, arguments, environment and output come through`() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("child-\(UUID()).txt").path
        defer { unlink(file) }
        var exits: [[Int64]] = []
        let done = { (loop: EventLoop, status: Int64, signal: Int32) in
            exits.append([status, Int64(signal)])
            if exits.count == 2 { loop.stop() }
        }
        try running { loop in
            _ = try ChildProcess.spawn(
                loop: loop, executable: "/bin/sh", arguments: ["-c", "echo $1 $NAME; exit 3", "x", "one"],
                environment: ["NAME=two"], stdout: .file(file), onExit: { done(loop, $0, $1) })
            let sleeper = try ChildProcess.spawn(
                loop: loop, executable: "sleep", arguments: ["60"], stdout: .discard, stderr: .discard,
                ownSession: true, onExit: { done(loop, $0, $1) })
            #expect(sleeper.isRunning)
            #expect(getsid(sleeper.pid) == sleeper.pid)
            sleeper.kill(SIGTERM)
        }
        #expect(exits.contains([3, 0]))
        #expect(exits.contains([0, Int64(SIGTERM)]))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "one two\n")
    }

    @Test func `a program that isn't there is an error that names it`() throws {
        let loop = try EventLoop()
        let error = #expect(throws: LoopError.self) {
            _ = try ChildProcess.spawn(loop: loop, executable: "/no/such/program", arguments: []) { _, _ in }
        }
        #expect(error?.description.contains("/no/such/program") == true)
    }
}
