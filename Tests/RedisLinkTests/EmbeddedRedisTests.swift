import EventLoop
import Glibc
import TestSupport
import Testing

@testable import RedisLink

@Suite(.serialized) struct EmbeddedRedisTests {
    /// A data directory that goes with the object, and its hub's end.
    final class Home {
        let parent: String
        var data: String { parent + "/data dir" }
        let run: LoopRun

        init() throws {
            parent = try temporaryDirectory()
            run = try LoopRun()
        }

        deinit { removeTree(parent) }

        func started(fsync: EmbeddedRedis.Fsync = .everysec, _ body: @escaping (EmbeddedRedis) -> Void) -> EmbeddedRedis
        {
            let redis = EmbeddedRedis(loop: run.loop, directory: data, fsync: fsync)
            redis.start { [run] result in
                guard case .failure(let failure) = result else { return body(redis) }
                Issue.record("\(failure)")
                run.finish()
            }
            return redis
        }
    }

    static func mode(_ path: String) -> UInt32 {
        var status = stat()
        return stat(path, &status) == 0 ? UInt32(status.st_mode) & 0o777 : 0
    }

    @Test("N2: it starts by itself with the settings that rides need, for this user only, and what was kept is back")
    func startStopStart() throws {
        let home = try Home()
        var settings: [String?] = []
        var value: String?
        let redis = home.started(fsync: .always) { redis in
            let connection = RedisConnection(loop: home.run.loop, endpoint: redis.endpoint)
            connection.onUp = {
                for name in ["appendonly", "appendfsync", "save", "maxmemory-policy", "port", "aof-load-truncated"] {
                    connection.send(["CONFIG", "GET", RedisArgument(name)]) {
                        settings.append((try? $0.get())?[1].text)
                    }
                }
                connection.send(["SET", "ride", "r1"]) { _ in
                    connection.close()
                    redis.stop { home.run.finish() }
                }
            }
            connection.start()
        }
        home.run.run()
        #expect(redis.pid == nil)
        #expect(settings == ["yes", "always", "", "noeviction", "0", "yes"])
        #expect(Self.mode(home.data) == 0o700)
        #expect(Self.mode(home.data + "/redis.conf") == 0o600)

        let again = home.started { redis in
            #expect(Self.mode(home.data + "/redis.sock") == 0o700)
            let connection = RedisConnection(loop: home.run.loop, endpoint: redis.endpoint)
            connection.onUp = {
                connection.send(["GET", "ride"]) { result in
                    value = try? result.get().text
                    connection.close()
                    redis.stop { home.run.finish() }
                }
            }
            connection.start()
        }
        home.run.run()
        withExtendedLifetime(again) {}
        #expect(value == "r1")
    }

    @Test("C39, N1: killed -9 again and again, it is started again, and everything acknowledged is there")
    func killed() throws {
        let home = try Home()
        var reasons: [String] = []
        var values: [Int64] = []
        var kills = 0
        let connection = RedisConnection(loop: home.run.loop, endpoint: .unix(path: home.data + "/redis.sock"))
        // With everysec it answers before it has written, as long as a sync is under way.
        let redis = home.started(fsync: .always) { redis in
            redis.onRestart = { reasons.append($0) }
            connection.onUp = {
                connection.send(["GET", "n"]) { values.append((try? $0.get().int) ?? 0) }
                for index in 0..<1000 {
                    connection.send(["INCR", "n"]) { result in
                        #expect((try? result.get()) != nil)
                        guard index == 999 else { return }
                        guard kills < 3 else { return redis.stop { home.run.finish() } }
                        kills += 1
                        if let pid = redis.pid { kill(pid, SIGKILL) }
                    }
                }
            }
            connection.start()
        }
        home.run.run()
        connection.close()
        withExtendedLifetime(redis) {}
        #expect(values == [0, 1000, 2000, 3000])
        #expect(reasons.count == 3)
        #expect(reasons.allSatisfy { $0.hasPrefix("signal 9") })
    }

    @Test("C39: an append-only file that was cut off in the middle of a command is taken up to there")
    func truncatedFile() throws {
        let home = try Home()
        var size: Int64?
        let first = home.started { redis in
            let connection = RedisConnection(loop: home.run.loop, endpoint: redis.endpoint)
            connection.onUp = {
                for index in 0..<10 {
                    connection.send(["SET", "k\(index)", RedisArgument([UInt8](repeating: 66, count: 500))]) { _ in }
                }
                connection.send(["PING"]) { _ in
                    connection.close()
                    redis.stop { home.run.finish() }
                }
            }
            connection.start()
        }
        home.run.run()
        withExtendedLifetime(first) {}
        let file = home.data + "/appendonlydir/appendonly.aof.1.incr.aof"
        var status = stat()
        #expect(stat(file, &status) == 0)
        #expect(truncate(file, status.st_size - 100) == 0)

        let second = home.started { redis in
            let connection = RedisConnection(loop: home.run.loop, endpoint: redis.endpoint)
            connection.onUp = {
                connection.send(["DBSIZE"]) { result in
                    size = try? result.get().int
                    connection.close()
                    redis.stop { home.run.finish() }
                }
            }
            connection.start()
        }
        home.run.run()
        withExtendedLifetime(second) {}
        #expect(size == 9)
    }

    @Test("N1: a Redis that a killed hub has left behind is shut down first, and nothing of it is lost")
    func orphan() throws {
        let home = try Home()
        mkdir(home.data, 0o700)
        let orphan = try spawn(
            "redis-server",
            [
                "--port", "0", "--unixsocket", home.data + "/redis.sock", "--dir", home.data, "--appendonly", "yes",
                "--save", "",
            ])
        var value: String?
        let seed = RedisConnection(loop: home.run.loop, endpoint: .unix(path: home.data + "/redis.sock"))
        seed.onUp = { seed.send(["SET", "left", "behind"]) { _ in home.run.finish() } }
        seed.start()
        home.run.run()
        seed.close()

        let redis = home.started { redis in
            var status: Int32 = 0
            #expect(waitpid(orphan, &status, WNOHANG) == orphan)
            #expect(status == 0)
            #expect(redis.pid != orphan)
            let connection = RedisConnection(loop: home.run.loop, endpoint: redis.endpoint)
            connection.onUp = {
                connection.send(["GET", "left"]) { result in
                    value = try? result.get().text
                    connection.close()
                    redis.stop { home.run.finish() }
                }
            }
            connection.start()
        }
        home.run.run()
        withExtendedLifetime(redis) {}
        #expect(value == "behind")
    }

    @Test("N1: a Redis whose hub is gone before it is bound to it does not start")
    func bound() throws {
        func said(to parent: Int32) throws -> [String] {
            let words = EmbeddedRedis.bound(["/bin/echo", "$0", "a b"], to: parent)
            let ended = try runToEnd(words[0], Array(words.dropFirst()))
            return ["\(ended.status)", ended.output]
        }
        let own = try said(to: getpid())
        let others = try said(to: getpid() + 1)
        #expect(own == ["0", "$0 a b\n"])
        #expect(others == ["1", ""])
    }

    @Test("A second hub on the same data directory is refused, and the first goes on")
    func locked() throws {
        let home = try Home()
        var refusal = ""
        var isWell = false
        let first = home.started { redis in
            let second = EmbeddedRedis(loop: home.run.loop, directory: home.data)
            second.start { result in
                if case .failure(let failure) = result { refusal = failure.description }
                let connection = RedisConnection(loop: home.run.loop, endpoint: redis.endpoint)
                connection.onUp = {
                    isWell = true
                    connection.close()
                    redis.stop { home.run.finish() }
                }
                connection.start()
            }
        }
        home.run.run()
        withExtendedLifetime(first) {}
        #expect(refusal.hasPrefix("another hub uses the data directory"))
        #expect(isWell)
    }

    @Test(
        "N7: what makes a start impossible is said with what to do",
        arguments: [
            ("missing program", "apt install redis-server"), ("long path", "choose a shorter data directory"),
            ("broken file", "redis-check-aof"), ("open directory", "chmod 700"),
            (
                "no manifest",
                "holds appendonly.aof.1.base.rdb, appendonly.aof.2.incr.aof, but not appendonly.aof.manifest"
            ),
        ])
    func impossible(_ obstacle: String, _ advice: String) throws {
        let home = try Home()
        var directory = home.data
        var executable = "redis-server"
        switch obstacle {
        case "missing program": executable = "redis-server-that-is-not-there"
        case "long path": directory += "/" + String(repeating: "d", count: 90)
        case "broken file":
            mkdir(directory, 0o700)
            mkdir(directory + "/appendonlydir", 0o700)
            try writeFile(
                directory + "/appendonlydir/appendonly.aof.manifest", "file appendonly.aof.1.incr.aof seq 1 type i\n")
            try writeFile(directory + "/appendonlydir/appendonly.aof.1.incr.aof", "nonsense\r\nnonsense\r\n")
        case "no manifest":
            mkdir(directory, 0o700)
            mkdir(directory + "/appendonlydir", 0o700)
            try writeFile(directory + "/appendonlydir/appendonly.aof.1.base.rdb", String(repeating: "x", count: 300))
            try writeFile(directory + "/appendonlydir/appendonly.aof.2.incr.aof", "*1\r\n$4\r\nPING\r\n")
        default:
            mkdir(directory, 0o700)
            chmod(directory, 0o777)
        }
        var text = ""
        let redis = EmbeddedRedis(loop: home.run.loop, directory: directory, executable: executable)
        redis.start { result in
            if case .failure(let failure) = result { text = failure.description }
            redis.stop { home.run.finish() }
        }
        home.run.run()
        #expect(text.contains(advice), "\(text)")
        #expect(redis.pid == nil)
    }

    @Test("What a Redis leaves that ended in its very first start is no reason not to start")
    func emptyFiles() throws {
        let home = try Home()
        mkdir(home.data, 0o700)
        mkdir(home.data + "/appendonlydir", 0o700)
        try writeFile(home.data + "/appendonlydir/appendonly.aof.1.base.rdb", String(repeating: "x", count: 88))
        try writeFile(home.data + "/appendonlydir/appendonly.aof.1.incr.aof", "")
        var hasStarted = false
        let redis = home.started { redis in
            hasStarted = true
            redis.stop { home.run.finish() }
        }
        home.run.run()
        withExtendedLifetime(redis) {}
        #expect(hasStarted)
    }

    @Test("Stopping while it starts, or while it waits to start again, ends it")
    func stopEarly() throws {
        let home = try Home()
        var failure = ""
        let redis = EmbeddedRedis(loop: home.run.loop, directory: home.data)
        redis.start { result in
            if case .failure(let reason) = result { failure = reason.description }
        }
        redis.stop { home.run.finish() }
        home.run.run()
        #expect(failure == "it was stopped before it had started")

        let again = home.started { redis in
            redis.onRestart = { _ in redis.stop { home.run.finish() } }
            if let pid = redis.pid { kill(pid, SIGKILL) }
        }
        home.run.run()
        #expect(again.pid == nil)
    }
}
