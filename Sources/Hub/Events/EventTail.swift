public import EventLoop
import Glibc
import RedisLink
public import Settings

/// One event of the city's log; config/contract/events.yaml has them all.
public struct CityEvent: Sendable {
    public let type: String
    /// Unix ms of hub time.
    public let time: Int64
    /// JSON object, with what is personal.
    public let data: String

    public init(type: String, time: Int64, data: String) { (self.type, self.time, self.data) = (type, time, data) }
}

/// Follows the city's event log: what there is of it, then what comes, across losses of Redis.
public final class EventTail {
    private let loop: EventLoop
    private let settings: Settings
    private let stream: String
    private var last = "0-0"

    public init(settings: Settings, loop: EventLoop) {
        self.settings = settings
        self.loop = loop
        stream = Self.log(of: settings)
    }

    /// The key of a city's log in Redis.
    public static func log(of settings: Settings) -> String { Keys(city: settings.city.id).events }

    /// How far back the events of the past are looked for.
    private static let reach = 10_000

    /// Runs the loop until Ctrl-C: the last `count` events that are wanted, then those that come. Throws when Redis
    /// can't be reached at first.
    public func run(
        past count: Int, of isWanted: @escaping (CityEvent) -> Bool, _ show: @escaping (CityEvent) -> Void
    ) throws {
        let show = { (event: CityEvent) in if isWanted(event) { show(event) } }
        let connection = RedisConnection(
            loop: loop, endpoint: try RedisLocation(settings).endpoint, limits: RedisLimits(settings))
        var failure: HubFailure?
        var isReached = false
        let interrupt = try LoopSignal(loop, signal: SIGINT) { self.loop.stop() }
        connection.onUp = {
            guard !isReached else { return self.follow(connection, show) }
            isReached = true
            connection.send([
                "XREVRANGE", RedisArgument(self.stream), "+", "-", "COUNT", RedisArgument(count > 0 ? Self.reach : 1),
            ]) {
                if case .success(.array(let entries)) = $0 {
                    if let newest = entries.first?[0].text { self.last = newest }
                    let wanted = entries.lazy.compactMap(Self.event).filter(isWanted).prefix(count)
                    for event in wanted.reversed() { show(event) }
                }
                self.follow(connection, show)
            }
        }
        connection.onRetry = { reason in
            guard !isReached else { return }
            failure = RedisLocation.unreached(reason)
            self.loop.stop()
        }
        connection.start()
        loop.run()
        interrupt.close()
        connection.close()
        if let failure { throw failure }
    }

    /// Blocks in Redis for a second at a time: less than the connection's time-out.
    private func follow(_ connection: RedisConnection, _ show: @escaping (CityEvent) -> Void) {
        let command: [RedisArgument] = [
            "XREAD", "BLOCK", 1000, "COUNT", 500, "STREAMS", RedisArgument(stream), RedisArgument(last),
        ]
        connection.send(command) { result in
            guard case .success(let reply) = result else { return }
            for entry in reply[0][1].array ?? [] {
                if let id = entry[0].text { self.last = id }
                if let event = Self.event(entry) { show(event) }
            }
            self.follow(connection, show)
        }
    }

    private static func event(_ entry: RedisReply) -> CityEvent? {
        guard let type = entry[1]["type"].text, let time = entry[1]["time"].int, let data = entry[1]["data"].text else {
            return nil
        }
        return CityEvent(type: type, time: time, data: data)
    }
}
