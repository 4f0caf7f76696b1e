import ClientSupport
import EventLoop
import RedisLink

/// Reads a city's state and streams from Redis, patiently: Redis may be away for a while in the middle of a run.
///
/// Used on the loop's thread.
final class CityReader {
    private let redis: RedisConnection
    private let pause: Pause
    private let prefix: String
    /// Real ms after which a command that could not be carried out is given up.
    private let patienceMs: Int64 = 30_000

    init(loop: EventLoop, endpoint: RedisEndpoint, city: String) {
        prefix = "{\(city)}:"
        var limits = RedisLimits()
        // Whole streams come back in one answer.
        limits.commandTimeoutMs = 10_000
        redis = RedisConnection(loop: loop, endpoint: endpoint, limits: limits)
        pause = Pause(loop)
        redis.start()
    }

    func close() { redis.close() }

    /// The whole state at one moment.
    func snapshot() async throws(RunError) -> HubSnapshot {
        try await read(SnapshotScript.text, HubSnapshot.init(json:))
    }

    /// That of tours and stops on request.
    func busSnapshot() async throws(RunError) -> BusSnapshot {
        try await read(BusSnapshot.script, BusSnapshot.init(json:))
    }

    private func read<State>(_ script: String, _ state: ([UInt8]) -> State?) async throws(RunError) -> State {
        let reply = try await send(["EVAL", RedisArgument(script), 1, RedisArgument(prefix + "settings")])
        guard let bytes = reply.bytes, let state = state(bytes) else {
            throw RunError("the state in Redis cannot be read: it is of another version of the hub")
        }
        return state
    }

    /// The event log after an entry (nil: from its beginning) up to another, both as far as it is held.
    func events(after: String?, upTo last: String) async throws(RunError) -> [LoggedEvent] {
        let page = 5_000
        var events: [LoggedEvent] = []
        var from = after.map { "(" + $0 } ?? "-"
        while true {
            let reply = try await send([
                "XRANGE", RedisArgument(prefix + "events"), RedisArgument(from), RedisArgument(last), "COUNT",
                RedisArgument(page),
            ])
            let entries = reply.array ?? []
            for entry in entries {
                guard let event = LoggedEvent(entry: entry) else {
                    throw RunError("the event log has an entry that cannot be read: \(entry)")
                }
                events.append(event)
            }
            guard entries.count == page, let next = events.last?.id else { return events }
            from = "(" + next
        }
    }

    /// What a channel's stream still holds, oldest first.
    func history(of channel: String) async throws(RunError) -> [ReceiptCheck.Entry] {
        let reply = try await send(["XRANGE", RedisArgument(prefix + "ch:" + channel), "-", "+"])
        return (reply.array ?? []).compactMap(ReceiptCheck.Entry.init(entry:))
    }

    private func send(_ arguments: [RedisArgument]) async throws(RunError) -> RedisReply {
        let deadline = Monotonic.milliseconds + patienceMs
        while true {
            do throws(RedisFailure) {
                return try await redis.send(arguments)
            } catch {
                guard Monotonic.milliseconds < deadline, error.isForNow else {
                    throw RunError("Redis at \(redis.endpoint): \(error)")
                }
            }
            await pause.milliseconds(100)
        }
    }
}

extension RedisFailure {
    /// A command that Redis itself refused would be refused again.
    fileprivate var isForNow: Bool {
        if case .server(let text) = self { text.hasPrefix("LOADING") } else { true }
    }
}

extension LoggedEvent {
    /// An entry of the event log as XRANGE gives it: id, then fields and values.
    init?(entry: RedisReply) {
        guard let id = entry[0].text, let type = entry[1]["type"].text, let data = entry[1]["data"].bytes else {
            return nil
        }
        self.init(id: id, type: type, timeMs: entry[1]["time"].int ?? 0, json: data)
    }
}

extension ReceiptCheck.Entry {
    /// An entry of a channel's stream as XRANGE gives it.
    init?(entry: RedisReply) {
        guard let event = LoggedEvent(entry: entry) else { return nil }
        self.init(id: event.id, type: event.type, ride: event.ride)
    }
}
