import EventLoop
import Glibc
import TestSupport
import Testing

@testable import RedisLink

@Suite(.serialized) struct AppendOnlyFileTests {
    private static func command(_ words: String...) -> String {
        "*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
    }

    private static func begin(_ text: String) -> Int? {
        Array(text.utf8).withUnsafeBytes { AppendOnlyFile.beginOfTornTransaction($0) }
    }

    @Test func `Wherever a transaction is cut, it is cut before its begin, and nothing else is`() {
        let before = "#TS:1795775118\r\n" + Self.command("SELECT", "0") + Self.command("SET", "multi", "exec\r\nx")
        let transaction = Self.command("MULTI") + Self.command("set", "b", "1") + Self.command("EXEC")
        let whole = before + transaction + Self.command("SET", "c", "1")
        for length in 0...whole.utf8.count {
            let isTorn =
                length >= before.utf8.count + Self.command("MULTI").utf8.count
                && length < before.utf8.count + transaction.utf8.count
            #expect(Self.begin(String(whole.utf8.prefix(length))!) == (isTorn ? before.utf8.count : nil), "\(length)")
        }
    }

    @Test(arguments: ["x", "*1\r\n$x\r\nPING\r\n", "*a\r\n", "*1\r\n:5\r\n", "\r\n"])
    func `What Redis does not write is left for it to find`(text: String) {
        #expect(Self.begin(Self.command("MULTI") + text) == nil)
    }

    /// Starts a Redis, sends these commands, and ends it; whether they were answered with an error is not asked.
    private static func session(_ home: EmbeddedRedisTests.Home, _ commands: [[RedisArgument]]) -> [RedisReply?] {
        var replies: [RedisReply?] = []
        var cut: [Int] = []
        let redis = EmbeddedRedis(loop: home.run.loop, directory: home.data, fsync: .always)
        redis.onRepair = { cut.append($0) }
        redis.start { _ in
            let connection = RedisConnection(loop: home.run.loop, endpoint: redis.endpoint)
            connection.onUp = {
                for command in commands { connection.send(command) { replies.append(try? $0.get()) } }
                connection.send(["PING"]) { _ in
                    connection.close()
                    redis.stop { home.run.finish() }
                }
            }
            connection.start()
        }
        home.run.run()
        withExtendedLifetime(redis) {}
        return replies + cut.map { .integer(Int64($0)) }
    }

    @Test("C39: a change that was torn is not carried out at a later start, by half")
    func torn() throws {
        let home = try EmbeddedRedisTests.Home()
        let change: [[RedisArgument]] = [
            ["MULTI"], ["SET", "a", "1"], ["SET", "b", "1"], ["SET", "c", "1"], ["EXEC"],
        ]
        _ = Self.session(home, [["SET", "first", "1"]] + change)
        let file = home.data + "/appendonlydir/appendonly.aof.1.incr.aof"
        var status = stat()
        #expect(stat(file, &status) == 0)
        // Within the last of the three.
        #expect(truncate(file, status.st_size - 25) == 0)
        let second = Self.session(home, [["MGET", "first", "a", "b"], ["MULTI"], ["SET", "d", "1"], ["EXEC"]])
        #expect(second.first == .array([.string([0x31]), .null, .null]))
        #expect(second.last == .integer(85))
        let third = Self.session(home, [["MGET", "first", "a", "b", "d"]])
        #expect(third == [.array([.string([0x31]), .null, .null, .string([0x31])])])
    }
}
