import EventLoop
import Logging
import RedisLink

/// Whether Redis takes what is written, and how full its memory is. Full, or with a full disk, it refuses whatever would write,
/// and so does the hub: clients are told `unavailable`, `/readyz` and gauges say so, and a line is logged; the same when it is
/// over. Used on the worker's loop.
final class RedisHealth {
    private let connection: RedisConnection
    private let loop: EventLoop
    private let log: Logger
    private let isEmbedded: Bool
    /// Nil until Redis was asked.
    private(set) var memory: RedisMemory?
    /// What Redis answers while it takes no writes; nil while it does.
    private(set) var trouble: String?
    /// When it was refused a call last, when memory is asked for next, and when it was told last, ms of the loop.
    private var refusedAt: UInt64 = 0
    private var memoryDueAt: UInt64 = 0
    private var memoryKnownAt: UInt64 = 0

    /// It counts as over when nothing was refused for so long, ms: some functions may be carried out before others are.
    private static let quietMs: UInt64 = 1_000
    private static let memoryMs: UInt64 = 5_000
    /// While it is fuller than it should be.
    private static let fullMemoryMs: UInt64 = 1_000

    /// What is told in place of "NOREPLICAS".
    private static let held = "No space left on device: Redis takes writes again when there is room"

    init(connection: RedisConnection, loop: EventLoop, log: Logger, isEmbedded: Bool) {
        self.isEmbedded = isEmbedded
        self.connection = connection
        self.loop = loop
        self.log = log
        connection.onNotServing = { self.refused($0) }
    }

    /// Whether Redis' memory is not full, as far as is known.
    var hasRoom: Bool { (memory?.share ?? 0) < 1 }

    /// Whether the rest of it is kept for rides.
    var isNearlyFull: Bool { memory?.level == 2 }

    /// What is told of an answer. A hub's own Redis has no replica, and asks for one on a full disk only (RedisLink's
    /// DiskReserve).
    static func told(_ answer: String, isEmbedded: Bool) -> String {
        isEmbedded && answer.hasPrefix("NOREPLICAS ") ? held : answer
    }

    /// Whether a hub's own Redis refuses writes so because the disk is full, or was when it was started.
    static func isDiskFull(_ answer: String) -> Bool { answer.hasPrefix("NOREPLICAS ") || answer.hasPrefix("MISCONF ") }

    private func refused(_ said: String) {
        let answer = Self.told(said, isEmbedded: isEmbedded)
        refusedAt = loop.now
        memoryDueAt = 0
        guard trouble == nil else { return }
        trouble = answer
        log.error("Redis takes no writes, and commands are answered unavailable until it does again: \(answer)")
    }

    /// A function has written.
    func served() {
        guard trouble != nil, loop.now - refusedAt >= Self.quietMs else { return }
        // A sweep is carried out even when the memory is full: what Redis has said of it since tells.
        guard hasRoom, memoryKnownAt > refusedAt else { return }
        trouble = nil
        log.notice("Redis takes writes again")
    }

    /// Once a second; asked every five, and when a call was refused.
    func watchMemory() {
        guard connection.isUp, loop.now >= memoryDueAt else { return }
        memoryDueAt = loop.now + ((memory?.level ?? 0) > 0 ? Self.fullMemoryMs : Self.memoryMs)
        connection.send(["INFO", "memory"]) { result in
            guard case .success(let reply) = result, let text = reply.text, let memory = RedisMemory(text) else {
                return
            }
            let before = self.memory?.level ?? 0
            self.memory = memory
            self.memoryKnownAt = self.loop.now
            guard memory.level != before else { return }
            let percent = Int(memory.share * 100)
            switch memory.level {
            case 2:
                self.log.error(
                    "Redis uses \(percent) % of its memory: at 100 % commands are refused; raise redis.max_memory_mb")
            case 1: self.log.warning("Redis uses \(percent) % of its memory (redis.max_memory_mb)")
            default: self.log.notice("Redis uses \(percent) % of its memory: as it should be")
            }
        }
    }
}

/// How much of its memory Redis uses.
struct RedisMemory {
    var used = 0.0
    /// 0: it has no limit.
    var limit = 0.0
    /// 0: as it should be; 1: from 75 % on; 2: from 90 % on. What is logged when it changes.
    var level = 0

    var share: Double { limit > 0 ? used / limit : 0 }

    /// From the text of `INFO memory`.
    init?(_ info: String) {
        var values: [Substring: Double] = [:]
        for line in info.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2, let value = Double(parts[1]) { values[parts[0]] = value }
        }
        guard let used = values["used_memory"], let limit = values["maxmemory"] else { return nil }
        self.used = used
        self.limit = limit
        level = share >= 0.9 ? 2 : share >= 0.75 ? 1 : 0
    }
}
