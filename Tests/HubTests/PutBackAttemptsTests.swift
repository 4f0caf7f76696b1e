import RedisLink
import Testing

@testable import Hub

/// How what Redis has lost is put back: what a failure means, and when it is tried again.
@Suite struct PutBackAttemptsTests {
    private static let passing: [RedisFailure] = [
        .disconnected, .timeout, .overloaded, .notServing("LOADING Redis is loading the dataset in memory"),
        .notServing("READONLY You can't write against a read only replica."),
        .notServing("OOM command not allowed when used memory > 'maxmemory'."),
        .notServing("MISCONF Redis is configured to save RDB snapshots"), .server("ERR Function not found"),
        .server("NOSCRIPT No matching script. Please use EVAL."), .server("ERR OOM command not allowed script: f"),
        .server("WRONGTYPE Operation against a key holding the wrong kind of value"),
        .server("ERR user_function:5: attempt to compare nil with number script: f"), .server(""),
    ]

    private static let lasting: [RedisFailure] = [
        .server("ERR invalid expire time in 'set' command"), .server("ERR value is not an integer or out of range"),
        .server("ERR ERR value is not a valid float script: f, on @user_function:4."),
        .server("ERR wrong number of arguments for 'set' command"), .server("ERR syntax error"),
        .server("ERR wrong arguments: each is a role script: f, on @user_function:3."),
    ]

    @Test(
        "what passes is tried again, each time later up to 30 s, and soon again once Redis has taken something",
        arguments: passing)
    func passes(_ failure: RedisFailure) {
        var attempts = PutBackAttempts(most: 50)
        let waits = (0..<7).map { _ in attempts.failed(failure, of: 50) }
        let longer: [UInt64] = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]
        #expect(waits == longer.map { PutBackAttempts.Next.later($0) })
        #expect(attempts.size == 50)
        attempts.taken()
        let next = attempts.failed(failure, of: 50)
        #expect(next == .later(1_000))
    }

    @Test("what is wrong is left out when it is alone, and is not waited for", arguments: lasting)
    func isLeftOut(_ failure: RedisFailure) {
        var attempts = PutBackAttempts(most: 50)
        let alone = attempts.failed(failure, of: 1)
        #expect(alone == .leftOut)
        let passing = attempts.failed(.timeout, of: 1)
        #expect(passing == .later(1_000))
    }

    @Test("of many, the one that is wrong is found by halves, all others are put back, and pieces become large again")
    func findsWrongOne() {
        var attempts = PutBackAttempts(most: 50)
        var (rest, taken, leftOut, calls) = (Array(0..<1_000), [Int](), [Int](), 0)
        while !rest.isEmpty, calls < 1_000 {
            let piece = rest.prefix(attempts.size)
            calls += 1
            guard piece.contains(333) else {
                attempts.taken()
                taken += piece
                rest.removeFirst(piece.count)
                continue
            }
            let next = attempts.failed(.server("ERR wrong arguments"), of: piece.count)
            if next == .leftOut { leftOut.append(rest.removeFirst()) }
        }
        #expect(leftOut == [333])
        #expect(taken == Array(0..<333) + Array(334..<1_000))
        #expect(attempts.size == 50)
        #expect(calls < 60)
    }
}
