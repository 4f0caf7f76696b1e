import EventLoop
import Testing

@testable import RedisLink

/// Answers that come together are taken in shares of a turn.
@Suite(.serialized) struct ReplyShareTests {
    private static let count = 40

    /// Longer than a quarter of a share.
    private static func spendQuarter() {
        let end = EventLoop.currentTimeNs() + RedisTransport.shareNs / 4
        while EventLoop.currentTimeNs() < end {}
    }

    /// A connection that sends all its commands in one turn when its link is up. `then` is told of each answer.
    private static func ask(
        _ run: LoopRun, _ redis: TestRedis,
        then: @escaping (RedisConnection, Int, Result<RedisReply, RedisFailure>) -> Void
    ) -> RedisConnection {
        let connection = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket))
        connection.onUp = { [unowned connection] in
            for number in 1...Self.count {
                connection.send(["INCR", "n"]) { [unowned connection] in then(connection, number, $0) }
            }
        }
        connection.start()
        return connection
    }

    @Test("Answers that take long to handle are spread over turns, in order, though the socket has nothing more to say")
    func shares() throws {
        let redis = try TestRedis()
        let run = try LoopRun()
        var answers: [Int64] = []
        var (inTurn, most, turns) = (0, 0, 0)
        run.loop.atEndOfTurn {
            most = max(most, inTurn)
            if inTurn > 0 { turns += 1 }
            inTurn = 0
        }
        let connection = Self.ask(run, redis) { _, _, result in
            Self.spendQuarter()
            inTurn += 1
            answers.append((try? result.get().int) ?? -1)
            if answers.count == Self.count { run.finish() }
        }
        run.run()
        connection.close()
        #expect(answers == (1...Self.count).map { Int64($0) })
        #expect(max(most, inTurn) <= RedisTransport.repliesPerLook)
        #expect(turns >= Self.count / RedisTransport.repliesPerLook - 1)
    }

    @Test("Closing while answers wait for the next turn completes each command once")
    func closing() throws {
        let redis = try TestRedis()
        let run = try LoopRun()
        var completions = [Int](repeating: 0, count: Self.count)
        var (succeeded, turnsAfter) = (0, 0)
        let connection = Self.ask(run, redis) { connection, number, result in
            completions[number - 1] += 1
            guard case .success = result else { return }
            Self.spendQuarter()
            succeeded += 1
            // In the second turn.
            if succeeded == RedisTransport.repliesPerLook + 1 { connection.close() }
        }
        run.loop.atEndOfTurn { [weak run] in
            if succeeded > RedisTransport.repliesPerLook { turnsAfter += 1 }
            if turnsAfter == 10 { run?.finish() }
            if turnsAfter > 0 { run?.loop.wantAnotherTurn() }
        }
        run.run()
        withExtendedLifetime(connection) {}
        #expect(completions.allSatisfy { $0 == 1 })
        #expect(succeeded == RedisTransport.repliesPerLook + 1)
    }

    @Test(
        "What the server answered before it died is taken, each command completes once, and the loss comes after that")
    func dying() throws {
        let redis = try TestRedis()
        let run = try LoopRun()
        var events: [String] = []
        let connection = Self.ask(run, redis) { connection, _, result in
            guard case .success(let reply) = result else { return events.append("failed") }
            Self.spendQuarter()
            events.append("\(reply.int ?? -1)")
            guard events.count == 1 else { return }
            redis.kill9()
            // It finds at the end of this turn that nobody takes it.
            connection.send(["PING"]) { _ in events.append("failed") }
        }
        connection.onDown = { _ in
            events.append("down")
            run.loop.inNextTurn { run.finish() }
        }
        run.run()
        connection.close()
        #expect(events == (1...Self.count).map { "\($0)" } + ["down", "failed"])
    }
}
