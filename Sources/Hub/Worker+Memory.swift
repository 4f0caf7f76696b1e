import EventLoop
import Logging
import RedisLink
import Settings
import Telemetry

/// How much of its memory Redis uses. Full, it refuses whatever would write, and so do we: `unavailable`; what takes things away
/// and brings them to their end goes on.
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

extension Worker {
    private static let memoryMs: UInt64 = 5_000
    private static let tidyMs: UInt64 = 10_000

    /// Whether Redis' memory is not full, as far as is known.
    var hasRoom: Bool { (memory?.share ?? 0) < 1 }

    /// Once a second; asked every five, and when a call was refused.
    func watchMemory() {
        guard commands.isUp, loop.now >= memoryDueAt else { return }
        memoryDueAt = loop.now + Self.memoryMs
        commands.send(["INFO", "memory"]) { result in
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

    /// Once a second; done every ten: what the event log has that is too old goes, in parts.
    func tidy() {
        guard commands.isUp, loop.now >= tidyDueAt else { return }
        tidyDueAt = loop.now + Self.tidyMs
        dispatch.call("tidy", []) { result in
            if case .failure(.server(let text)) = result { self.log.error("tidy failed: \(text)") }
            // More of it may be due.
            if case .success(let reply) = result, reply.int ?? 0 > 0 { self.tidyDueAt = 0 }
        }
    }
}
