import EventLoop
import Glibc
import TestSupport
import Testing

@testable import RedisLink

@Suite(.serialized) struct DiskReserveTests {
    private static func allocated(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_blocks) * 512 : 0
    }

    /// What is allocated for the file while Redis runs, and after it has ended.
    private static func sizes(_ home: EmbeddedRedisTests.Home, _ fsync: EmbeddedRedis.Fsync) -> [Int] {
        let path = home.data + "/reserve"
        var sizes: [Int] = []
        let redis = home.started(fsync: fsync) { redis in
            sizes.append(allocated(path))
            redis.stop { home.run.finish() }
        }
        home.run.run()
        withExtendedLifetime(redis) {}
        return sizes + [allocated(path)]
    }

    @Test("C39: a Redis that answers before it writes has room for that, and is given it on its way out")
    func everysec() throws {
        let sizes = Self.sizes(try EmbeddedRedisTests.Home(), .everysec)
        #expect(sizes.first ?? 0 >= DiskReserve.bytes)
        #expect(sizes.last == 0)
    }

    @Test func `One that writes before it answers needs none`() throws {
        #expect(Self.sizes(try EmbeddedRedisTests.Home(), .always) == [0, 0])
    }

    @Test func `A hub that is refused the data directory leaves the other hub's room alone`() throws {
        let home = try EmbeddedRedisTests.Home()
        var size = 0
        let first = home.started { redis in
            let second = EmbeddedRedis(loop: home.run.loop, directory: home.data)
            second.start { _ in
                second.stop {
                    size = Self.allocated(home.data + "/reserve")
                    redis.stop { home.run.finish() }
                }
            }
        }
        home.run.run()
        withExtendedLifetime(first) {}
        #expect(size >= DiskReserve.bytes)
    }

    @Test func `Whether the last write failed is known from what Redis says of itself`() {
        let sound = AppendStatus("# Persistence\r\naof_last_bgrewrite_status:err\r\naof_last_write_status:ok\r\n")
        #expect(!sound.isFailing)
        let failing = AppendStatus("aof_last_write_status:err\r\naof_buffer_length:22080\r\n")
        #expect(failing.isFailing)
        #expect(failing.waiting == 22_080)
    }
}
