import EventLoop
import TestSupport
import Testing

@testable import RedisLink

@Suite(.serialized) struct CommandTests {
    /// What a Redis of its own answers to these, sent in one turn.
    private func answers(
        _ commands: [[RedisArgument]], onNotServing: @escaping (String) -> Void = { _ in }
    ) throws -> [Result<RedisReply, RedisFailure>] {
        let redis = try TestRedis()
        let run = try LoopRun()
        let connection = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket))
        var got: [Result<RedisReply, RedisFailure>] = []
        connection.onNotServing = onNotServing
        connection.onUp = {
            for command in commands {
                connection.send(command) { result in
                    got.append(result)
                    if got.count == commands.count { run.finish() }
                }
            }
        }
        connection.start()
        run.run()
        connection.close()
        return got
    }

    @Test("CH3: 10,000 commands in one turn are answered in order")
    func pipelining() throws {
        let redis = try TestRedis()
        let run = try LoopRun()
        let connection = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket))
        var answers: [Int64] = []
        connection.onUp = {
            for _ in 0..<10_000 {
                connection.send(["INCR", "n"]) { result in
                    answers.append((try? result.get().int) ?? -1)
                    if answers.count == 10_000 { run.finish() }
                }
            }
            #expect(connection.pendingCount == 10_000)
        }
        connection.start()
        run.run()
        connection.close()
        #expect(answers == Array(1...10_000))
    }

    @Test("CH3: any bytes go there and back, as keys and values")
    func binarySafety() throws {
        let redis = try TestRedis()
        let run = try LoopRun()
        let connection = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket))
        let every = (0...255).map { UInt8($0) }
        let large = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var got: [RedisReply] = []
        connection.onUp = {
            let collect = { (result: Result<RedisReply, RedisFailure>) in got.append((try? result.get()) ?? .null) }
            connection.send(["SET", RedisArgument(every), RedisArgument(large)], collect)
            connection.send(["GET", RedisArgument(every)], collect)
            connection.send(["SET", "empty", ""], collect)
            connection.send(["GET", "empty"], collect)
            connection.send(["GET", "missing"], collect)
            connection.send(["KEYS", "*"]) { result in
                collect(result)
                run.finish()
            }
        }
        connection.start()
        run.run()
        connection.close()
        #expect(got.count == 6)
        #expect(got[0] == .status(Array("OK".utf8)))
        #expect(got[1] == .string(large))
        #expect(got[3] == .string([]))
        #expect(got[4] == .null)
        #expect(got[5].array.map { Set($0.compactMap(\.bytes)) } == [every, Array("empty".utf8)])
    }

    @Test("Numbers are written as Redis reads them, answers of every shape are told apart")
    func shapes() throws {
        let got = try answers([
            ["ECHO", RedisArgument(Int64.min)], ["ECHO", RedisArgument(Int64.max)], ["ECHO", 0], ["ECHO", -10],
            ["ZADD", "z", 1.5, "a", RedisArgument(Double.infinity), "b", 1e-7, "c", RedisArgument(45.46421), "d"],
            ["ZRANGE", "z", 0, -1, "WITHSCORES"], ["ZSCORE", "z", "d"], ["LPUSH", "z", "x"], ["NONSENSE"],
            ["HSET", "h", "state", "busy", "n", "7"], ["HGETALL", "h"], ["PING"],
            ["MULTI"], ["LPUSH", "z", "x"], ["INCR", "i"], ["EXEC"],
        ])
        let replies = got.map { (try? $0.get()) ?? .null }
        #expect(replies[0...3].map(\.text) == ["-9223372036854775808", "9223372036854775807", "0", "-10"])
        #expect(replies[0].int == .min)
        #expect(replies[4] == .integer(4))
        #expect(
            replies[5].array?.compactMap(\.text) == [
                "c", "9.9999999999999995e-08", "a", "1.5", "d", "45.464210000000001", "b", "inf",
            ])
        #expect(replies[6].double == 45.46421)
        guard case .failure(.server(let wrongType)) = got[7], case .failure(.server(let unknown)) = got[8] else {
            Issue.record("errors are no replies")
            return
        }
        #expect(wrongType.hasPrefix("WRONGTYPE "))
        #expect(unknown.hasPrefix("ERR unknown command"))
        #expect(replies[10]["n"].int == 7)
        #expect(replies[10]["state"].text == "busy")
        #expect(replies[10]["none"] == .null)
        #expect(replies[11].text == "PONG")
        guard case .error(let inner) = replies[15][0] else {
            Issue.record("an error within EXEC is an element")
            return
        }
        #expect(inner.hasPrefix("WRONGTYPE "))
        #expect(replies[15][1] == .integer(1))
        #expect(replies[15][2] == .null)
    }

    @Test("A command while the link is down fails, and not before send has returned")
    func downFails() throws {
        let run = try LoopRun()
        let connection = RedisConnection(loop: run.loop, endpoint: .unix(path: "/nonexistent/socket"))
        var events: [String] = []
        connection.send(["PING"]) { result in
            events.append("completed \(result)")
            run.finish()
        }
        events.append("returned")
        run.run()
        connection.close()
        #expect(events == ["returned", "completed failure(not connected to Redis)"])
    }

    @Test("What is sent from a completion, or by a hook at the end of the turn, goes out without another event")
    func sendingLate() throws {
        let redis = try TestRedis()
        let run = try LoopRun()
        let connection = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket))
        var isWanted = false
        var answer: RedisReply?
        // Comes after the connection's own hook, which has nothing to send then.
        run.loop.atEndOfTurn { [weak connection, weak run] in
            guard isWanted else { return }
            isWanted = false
            connection?.send(["ECHO", "late"]) { result in
                answer = try? result.get()
                run?.finish()
            }
        }
        connection.onUp = { connection.send(["PING"]) { _ in isWanted = true } }
        connection.start()
        run.run()
        connection.close()
        #expect(answer?.text == "late")
    }

    @Test("Beyond the limit of pending commands a command is refused, the others are answered")
    func overload() throws {
        let redis = try TestRedis()
        let run = try LoopRun()
        var limits = RedisLimits()
        limits.maxPending = 10
        let connection = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket), limits: limits)
        var answered = 0
        var refused = 0
        connection.onUp = {
            for _ in 0..<25 {
                connection.send(["PING"]) { result in
                    switch result {
                    case .success: answered += 1
                    case .failure(let failure):
                        #expect(failure == .overloaded)
                        refused += 1
                    }
                    if answered + refused == 25 { run.finish() }
                }
            }
        }
        connection.start()
        run.run()
        connection.close()
        #expect(answered == 10)
        #expect(refused == 15)
    }

    @Test("Closing completes what is in flight, also from within a completion, and what is sent afterwards")
    func closing() throws {
        let redis = try TestRedis()
        let run = try LoopRun()
        var connection: RedisConnection? = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket))
        var results: [Result<RedisReply, RedisFailure>] = []
        connection?.onUp = {
            for index in 0..<5 {
                connection?.send(["PING"]) { result in
                    results.append(result)
                    if index == 1 {
                        connection?.close()
                        connection?.send(["PING"]) { results.append($0) }
                        connection = nil
                        run.finish()
                    }
                }
            }
        }
        connection?.onDown = { _ in Issue.record("closing is not a loss") }
        connection?.start()
        run.run()
        #expect(results.map { (try? $0.get().text) ?? "" } == ["PONG", "PONG", "", "", "", ""])
    }

    private final class Asker: RedisAsker {
        var events: [String] = []

        func commandSent() { events.append("sent") }

        func commandAnswered() { events.append("answered") }
    }

    @Test("Who asks is told of what is sent for it, and of its end once, after the completion")
    func asking() throws {
        let redis = try TestRedis()
        let run = try LoopRun()
        let connection = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket))
        let asker = Asker()
        connection.onUp = { [unowned connection] in
            connection.sending(for: asker) {
                connection.send(["PING"]) { [unowned connection] _ in
                    asker.events.append("completed")
                    // Nobody's: others may have a part in what follows.
                    connection.send(["PING"]) { [unowned connection] _ in
                        asker.events.append("later")
                        connection.sending(for: asker) {
                            connection.send(["PING"]) { _ in asker.events.append("failed") }
                        }
                        connection.close()
                        run.finish()
                    }
                }
            }
        }
        connection.start()
        run.run()
        connection.close()
        #expect(asker.events == ["sent", "completed", "answered", "later", "sent", "failed", "answered"])
    }

    @Test("C66: a Redis that can take nothing now has not tried, and that is no error of the command")
    func notServing() throws {
        var told: [String] = []
        let commands: [[RedisArgument]] = [
            ["CONFIG", "SET", "maxmemory", "1"], ["SET", "a", "1"], ["GET", "a"], ["LPUSH"],
            ["CONFIG", "SET", "maxmemory", "0"], ["SET", "a", "1"],
        ]
        let got = try answers(commands) { told.append($0) }
        guard case .failure(.notServing(let text)) = got[1], case .failure(.server) = got[3] else {
            Issue.record("\(got)")
            return
        }
        #expect(text.hasPrefix("OOM ") && told == [text])
        #expect((try? got[2].get()) == .null)
        #expect((try? got[5].get().text) == "OK")
        for answer in ["MISCONF Errors writing to the AOF file: No space left on device", "READONLY x", "LOADING x"] {
            #expect(RedisFailure(answer: answer) == .notServing(answer))
        }
        for answer in ["ERR x", "WRONGTYPE x", "MISCONFIGURED x", ""] {
            #expect(RedisFailure(answer: answer) == .server(answer))
        }
    }

    actor Caller {
        nonisolated let loop: EventLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
        private var connection: RedisConnection?

        init(loop: EventLoop) { self.loop = loop }

        func ask(_ path: String) async throws -> [RedisReply] {
            let connection = RedisConnection(loop: loop, endpoint: .unix(path: path))
            self.connection = connection
            await withCheckedContinuation { continuation in
                connection.onUp = { continuation.resume() }
                connection.start()
            }
            let first = try await connection.send(["INCRBY", "n", 41])
            let second = try await connection.send(["INCR", "n"])
            do throws(RedisFailure) {
                _ = try await connection.send(["LPUSH", "n", "x"])
            } catch {
                #expect(error.description.contains("WRONGTYPE"))
            }
            connection.close()
            return [first, second]
        }
    }

    @Test("An actor on the loop may await answers") func awaiting() async throws {
        let redis = try TestRedis()
        let thread = try LoopThread()
        let replies = try await Caller(loop: thread.loop).ask(redis.socket)
        thread.stop()
        #expect(replies == [.integer(41), .integer(42)])
    }
}
