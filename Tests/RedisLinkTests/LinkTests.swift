import EventLoop
import Glibc
import Testing

@testable import RedisLink

/// Losing the server and getting it back.
@Suite(.serialized) struct LinkTests {
    @Test("N1: kill -9 amid pipelined commands: each completes once, and the link comes back by itself")
    func killed() throws {
        let redis = try TestRedis()
        let run = try LoopRun()
        // On a slow machine 30 MB take longer than a command may.
        var limits = RedisLimits()
        limits.commandTimeoutMs = 60_000
        let connection = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket), limits: limits)
        // Far more than sockets hold, both ways: when the first answer is here, the last can't be.
        let value = RedisArgument([UInt8](repeating: 7, count: 3000))
        var completions = [Int](repeating: 0, count: 10_000)
        var succeeded = 0
        var resent = 0
        var events: [String] = []
        func fill() {
            for index in 0..<10_000 {
                connection.send(["ECHO", value]) { result in
                    completions[index] += 1
                    switch result {
                    case .success:
                        succeeded += 1
                        if succeeded == 1 { redis.kill9() }
                    case .failure(let failure):
                        #expect(failure == .disconnected)
                        // A completion may send again; that fails as well, later.
                        connection.send(["PING"]) { again in
                            #expect((try? again.get()) == nil)
                            resent += 1
                        }
                    }
                }
            }
        }
        connection.onUp = {
            events.append("up")
            if events.count == 1 { return fill() }
            connection.send(["PING"]) { result in
                #expect((try? result.get().text) == "PONG")
                run.finish()
            }
        }
        connection.onDown = { _ in
            events.append("down")
            #expect(!connection.isUp)
            #expect(throws: Never.self) { try redis.start() }
        }
        connection.start()
        run.run()
        connection.close()
        #expect(events == ["up", "down", "up"])
        #expect(completions.allSatisfy { $0 == 1 })
        #expect(succeeded > 0 && succeeded < 10_000)
        #expect(resent == 10_000 - succeeded)
    }

    @Test("A server that hangs: the overdue command times out, later ones are disconnected, the link comes back")
    func hanging() throws {
        let redis = try TestRedis()
        let run = try LoopRun()
        var limits = RedisLimits()
        limits.commandTimeoutMs = 200
        limits.connectTimeoutMs = 200
        let connection = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket), limits: limits)
        var failures: [RedisFailure] = []
        var downs = 0
        let later = LoopTimer(run.loop)
        func ask() {
            connection.send(["PING"]) { result in
                if case .failure(let failure) = result { failures.append(failure) }
            }
        }
        connection.onUp = {
            guard downs == 0 else { return run.finish() }
            redis.suspend()
            ask()
            ask()
            later.start(afterMs: 120) { ask() }
        }
        connection.onDown = { reason in
            downs += 1
            #expect(reason.contains("did not answer within 200 ms"))
        }
        // A stopped server still takes connections into its backlog, and answers none: the watchdog has to see it.
        connection.onRetry = { reason in
            #expect(reason.contains("does not answer"))
            redis.resume()
        }
        connection.start()
        run.run()
        connection.close()
        #expect(downs == 1)
        #expect(failures == [.timeout, .timeout, .disconnected])
    }

    @Test("Answers that are there already are taken, although the loop was held up past the deadline")
    func loopHeldUp() throws {
        let redis = try TestRedis()
        let run = try LoopRun()
        var limits = RedisLimits()
        limits.commandTimeoutMs = 2_000
        let connection = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket), limits: limits)
        var answers = 0
        let holdUp = LoopTimer(run.loop)
        connection.onUp = {
            for _ in 0..<5_000 {
                connection.send(["PING"]) { result in
                    #expect((try? result.get()) != nil)
                    answers += 1
                    if answers == 5_000 { run.finish() }
                }
            }
            // After the end of this turn, when all has been sent: the loop does nothing for longer than the deadline.
            holdUp.start(afterMs: 1) { usleep(2_500_000) }
        }
        connection.onDown = { Issue.record("\($0)") }
        connection.start()
        run.run()
        connection.close()
        #expect(answers == 5_000)
    }

    @Test("TCP with an ACL user's password and a database; a URL says all of it")
    func tcpWithUser() throws {
        let port = freePort()
        let redis = try TestRedis([
            "port \(port)", "bind 127.0.0.1", "user anna on >s@cret/1 ~* &* +@all", "requirepass other",
        ])
        let run = try LoopRun()
        let connection = RedisConnection(
            loop: run.loop, endpoint: try RedisEndpoint(url: "redis://anna:s%40cret%2F1@localhost:\(port)/5"))
        var client = ""
        connection.onUp = {
            connection.send(["CLIENT", "INFO"]) { result in
                client = (try? result.get().text) ?? ""
                run.finish()
            }
        }
        connection.start()
        run.run()
        connection.close()
        withExtendedLifetime(redis) {}
        #expect(client.contains(" db=5 "))
        #expect(client.contains(" user=anna "))
    }

    @Test("A wrong password is reported as such, and tried again until it is right")
    func wrongPassword() throws {
        let port = freePort()
        let redis = try TestRedis(["port \(port)", "bind 127.0.0.1", "requirepass right"])
        let run = try LoopRun()
        let wrong = RedisConnection(
            loop: run.loop, endpoint: try RedisEndpoint(url: "redis://:wrong@127.0.0.1:\(port)"))
        let none = RedisConnection(loop: run.loop, endpoint: .tcp(host: "127.0.0.1", port: port))
        let admin = RedisConnection(
            loop: run.loop, endpoint: RedisEndpoint(.unix(path: redis.socket), password: "right"))
        var reasons: [String] = []
        wrong.onRetry = { reason in
            reasons.append(reason)
            if reasons.count == 1 { none.start() }
            if reasons.count == 2 { admin.start() }
        }
        none.onRetry = { reason in
            if reason.contains("NOAUTH") { none.close() }
            #expect(reason.contains("refused PING: NOAUTH"))
        }
        admin.onUp = { admin.send(["CONFIG", "SET", "requirepass", "wrong"]) { _ in } }
        wrong.onUp = { run.finish() }
        #expect(wrong.lastFailure == nil)
        wrong.start()
        run.run()
        #expect(reasons.first?.contains("refused AUTH: WRONGPASS") == true)
        #expect(!reasons.contains { $0.contains(":wrong@") })
        #expect(wrong.isUp && wrong.lastFailure == nil)
        for connection in [wrong, none, admin] { connection.close() }
    }

    @Test("A refused TCP connection is reported at once, and tried again until there is a server")
    func refused() throws {
        let port = freePort()
        let redis = try TestRedis(["port \(port)", "bind 127.0.0.1"], isStarted: false)
        let run = try LoopRun()
        let connection = RedisConnection(loop: run.loop, endpoint: .tcp(host: "127.0.0.1", port: port))
        var reasons: [String] = []
        connection.onRetry = { reason in
            reasons.append(reason)
            if reasons.count == 3 { #expect(throws: Never.self) { try redis.start() } }
        }
        connection.onUp = { run.finish() }
        connection.start()
        run.run()
        connection.close()
        #expect(reasons.count >= 3)
        #expect(reasons.allSatisfy { $0.contains("Connection refused") })
    }

    @Test("A name that has no address is tried again, and the loop goes on meanwhile")
    func unknownHost() throws {
        let redis = try TestRedis()
        let run = try LoopRun()
        let lost = RedisConnection(loop: run.loop, endpoint: .tcp(host: "kerbside.invalid"))
        let well = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket))
        var reasons: [String] = []
        lost.onRetry = { reason in
            reasons.append(reason)
            if reasons.count == 2 { run.finish() }
        }
        lost.onUp = { Issue.record("there is no such host") }
        well.onUp = {
            // Looking up has begun; it is not what answers are waiting for.
            lost.start()
            well.send(["PING"]) { #expect((try? $0.get().text) == "PONG") }
        }
        well.start()
        run.run()
        #expect(well.pendingCount == 0)
        lost.close()
        well.close()
        // A name server that does not answer takes longer than connecting may.
        #expect(reasons.allSatisfy { $0.contains("cannot look up kerbside.invalid") || $0.contains("timed out") })
    }

    @Test("A server that is loading its data counts as not yet up")
    func loading() throws {
        let redis = try TestRedis([
            "appendonly yes", "appendfsync always", "loading-process-events-interval-bytes 1024",
            "enable-debug-command local",
        ])
        let run = try LoopRun()
        let connection = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket))
        let value = RedisArgument([UInt8](repeating: 65, count: 2048))
        var reasons: [String] = []
        var size: Int64?
        connection.onRetry = { reasons.append($0) }
        connection.onUp = {
            guard reasons.isEmpty else {
                connection.send(["DBSIZE"]) { result in
                    size = try? result.get().int
                    run.finish()
                }
                return
            }
            for index in 0..<300 { connection.send(["SET", "k\(index)", value]) { _ in } }
            // The rewritten file begins with a snapshot, which is what the delay per key applies to.
            connection.send(["CONFIG", "SET", "key-load-delay", 4000]) { _ in }
            connection.send(["BGREWRITEAOF"]) { _ in }
            run.when(readFile(redis.directory + "/appendonlydir/appendonly.aof.manifest").contains(".2.base.rdb")) {
                connection.send(["CONFIG", "REWRITE"]) { _ in
                    redis.kill9()
                    #expect(throws: Never.self) { try redis.start() }
                }
            }
        }
        connection.start()
        run.run()
        connection.close()
        #expect(reasons.contains { $0.contains("is loading its data") })
        #expect(size == 300)
    }

    @Test("A released connection is gone: nothing is called, nothing is left open")
    func released() throws {
        let redis = try TestRedis()
        let run = try LoopRun()
        let watcher = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket))
        var released: RedisConnection? = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket))
        weak let memory = released
        var results: [Result<RedisReply, RedisFailure>] = []
        watcher.onUp = { released?.start() }
        released?.onUp = {
            released?.send(["PING"]) { results.append($0) }
            released = nil
            run.when(memory == nil) {
                watcher.send(["CLIENT", "LIST"]) { result in
                    #expect((try? result.get().text)?.split(separator: "\n").count == 1)
                    run.finish()
                }
            }
        }
        watcher.start()
        run.run()
        watcher.close()
        #expect(results == [.failure(.disconnected)])
    }
}
