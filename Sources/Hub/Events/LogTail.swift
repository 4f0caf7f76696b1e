import EventLoop
import Logging
import RedisLink
import Settings

/// The end of the city's log: what comes is read once for all followers of this worker, and while there were some within
/// the last seconds.
///
/// It blocks in Redis (XREAD) over a connection of its own. With each answer it looks whether the entry that it followed is still
/// there: then nothing between was dropped. After a loss of Redis, and where that entry is gone, the function `events_read` says
/// from where to go on and whether there is a gap. Used on the worker's loop.
final class LogTail {
    private let services: WorkerServices
    private var connection: RedisConnection?
    /// Up to where it has been read; nil: nobody follows.
    private(set) var position: StreamPosition?
    /// Answers of another one are of a tail that nobody follows any more.
    private var generation = 0
    /// It could not be read on; tried again at the next tick.
    private var hasFailed = false
    /// Told what has come.
    var onEntries: (_ page: LogPage) -> Void = { _ in }

    /// Entries of one answer: less than what may wait for a reader that takes what it is sent.
    private static let count = 200
    /// Less than a command's time-out.
    private static let blockMs = 1000

    init(_ services: WorkerServices) { self.services = services }

    /// Begins to follow after an entry, or moves nothing if it does so already.
    func start(after position: StreamPosition) {
        guard self.position == nil else { return }
        self.position = position
        connect()
    }

    /// Lets go of the connection, too: what blocks there would hold up the next follower.
    func stop() {
        position = nil
        hasFailed = false
        generation += 1
        connection?.close()
        connection = nil
    }

    func tick() {
        guard hasFailed, connection?.isUp == true else { return }
        hasFailed = false
        readOn(generation)
    }

    private func connect() {
        guard let endpoint = try? RedisLocation(services.settings).endpoint else { return }
        let connection = RedisConnection(
            loop: services.loop, endpoint: endpoint, limits: RedisLimits(services.settings))
        connection.onUp = {
            self.generation += 1
            self.hasFailed = false
            self.readOn(self.generation)
        }
        self.connection = connection
        connection.start()
    }

    private func follow(_ generation: Int) {
        guard let connection, let position else { return }
        let key = RedisArgument(services.keys.events)
        let place = RedisArgument(position.text)
        var came: [RedisReply] = []
        connection.send([
            "XREAD", "BLOCK", RedisArgument(Self.blockMs), "COUNT", RedisArgument(Self.count), "STREAMS", key, place,
        ]) { result in
            if case .success(let reply) = result { came = reply[0][1].array ?? [] }
        }
        connection.send(["XRANGE", key, place, place]) { result in
            guard generation == self.generation else { return }
            // A connection that is lost comes back (onUp).
            guard case .success(let reply) = result else {
                self.hasFailed = connection.isUp
                return
            }
            guard !came.isEmpty else { return self.follow(generation) }
            let page = LogPage(after: position, .array((reply.array ?? []) + came))
            guard let page else { return self.readOn(generation) }
            self.take(page, generation)
            if generation == self.generation { self.follow(generation) }
        }
    }

    /// By the function, which finds out whether something is missing.
    private func readOn(_ generation: Int) {
        guard let position else { return }
        let arguments: FunctionArguments = [
            "since": RedisArgument(position.text), "count": RedisArgument(Self.count),
        ]
        services.functions.call("events_read", arguments) { result in
            guard generation == self.generation else { return }
            guard case .success(let reply) = result, let page = LogPage(reply) else {
                if case .failure(.server(let text)) = result { self.services.log.error("events_read failed: \(text)") }
                self.hasFailed = true
                return
            }
            self.take(page, generation)
            guard generation == self.generation else { return }
            if page.count == Self.count { self.readOn(generation) } else { self.follow(generation) }
        }
    }

    private func take(_ page: LogPage, _ generation: Int) {
        position = page.end
        onEntries(page)
    }
}
