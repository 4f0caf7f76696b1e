import Testing

@testable import RedisLink

@Suite(.serialized) struct RedisCheckTests {
    static func problems(_ options: [String], before: [[RedisArgument]] = []) throws -> [String] {
        let redis = try TestRedis(options)
        let run = try LoopRun()
        let connection = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket))
        var found = ["never asked"]
        connection.onUp = {
            for command in before { connection.send(command) { _ in } }
            RedisCheck.run(on: connection) { problems in
                found = problems
                run.finish()
            }
        }
        connection.start()
        run.run()
        connection.close()
        return found
    }

    @Test("N7: a Redis that would lose rides is found out, each fault with what to do")
    func unfit() throws {
        let problems = try Self.problems(["maxmemory 100mb", "maxmemory-policy allkeys-lru"])
        #expect(problems.count == 2)
        #expect(problems.contains { $0.contains("keeps nothing on disk") && $0.contains("appendonly yes") })
        #expect(problems.contains { $0.contains("allkeys-lru") && $0.contains("noeviction") })
    }

    @Test("A replica, a Redis without INFO: said in words")
    func others() throws {
        let replica = try Self.problems(["appendonly yes", "replicaof 127.0.0.1 1"])
        #expect(replica.count == 1)
        #expect(replica.first?.contains("replica") == true)
        let mute = try Self.problems(["appendonly yes", "rename-command INFO \"\""])
        #expect(mute.first?.contains("does not tell about itself") == true)
    }

    @Test("Fit: append-only file, or snapshots; with eviction only where no memory limit is set; without CONFIG too")
    func fit() throws {
        #expect(try Self.problems(["appendonly yes"]).isEmpty)
        #expect(try Self.problems(["save 60 1", "maxmemory 100mb", "maxmemory-policy noeviction"]).isEmpty)
        #expect(try Self.problems(["appendonly yes", "maxmemory-policy allkeys-lru"]).isEmpty)
        #expect(try Self.problems(["appendonly yes", "rename-command CONFIG \"\""]).isEmpty)
        let unknown = try Self.problems(["rename-command CONFIG \"\""])
        #expect(unknown.first?.contains("as far as can be seen") == true)
    }

    @Test("An old version is named") func version() {
        let info = "# Server\r\nredis_version:6.2.14\r\n# Persistence\r\naof_enabled:1\r\nmaxmemory:0\r\n"
        let problems = RedisCheck.problems(info: info, save: "")
        #expect(problems.count == 1)
        #expect(problems.first?.contains("6.2.14") == true)
        #expect(RedisCheck.problems(info: info.replacing("6.2.14", with: "7.0.15"), save: nil).isEmpty)
    }
}
