import RedisLink

/// The Redis functions by name: what each is given and answers stands at the function (`Functions/*.lua`).
///
/// Not Sendable: used on the worker's loop. Completions run on the loop, each exactly once.
final class Dispatch {
    /// What a command's function answered.
    enum Answer {
        /// JSON of the reply's `ok` object.
        case ok([UInt8])
        /// after: ms from which on it may succeed, where that is known.
        case refused(code: String, detail: String, after: Int64?)
        /// Redis is away, or did not answer in time: whether it took effect is unknown, and the same key tells.
        case unavailable
        /// The function failed; the text is for the log.
        case failed(String)
    }

    typealias Completion = (Result<RedisReply, RedisFailure>) -> Void

    private let library: FunctionLibrary
    private let connection: RedisConnection
    private let settingsKey: RedisArgument

    init(library: FunctionLibrary, connection: RedisConnection, keys: Keys) {
        self.library = library
        self.connection = connection
        settingsKey = RedisArgument(keys.settings)
    }

    /// In the order in which they build on each other: one Lua chunk.
    static var sources: [[UInt8]] {
        [
            PackageResources.core_lua, PackageResources.limits_lua, PackageResources.notify_lua,
            PackageResources.figures_lua, PackageResources.lost_lua, PackageResources.queue_lua,
            PackageResources.offer_lua,
            PackageResources.ride_lua, PackageResources.seat_lua, PackageResources.minibus_lua,
            PackageResources.driver_lua, PackageResources.stop_lua, PackageResources.stop_times_lua,
            PackageResources.stop_request_lua, PackageResources.stop_answers_lua, PackageResources.stop_way_lua,
            PackageResources.tour_lua,
            PackageResources.presence_lua, PackageResources.feed_lua,
            PackageResources.sweep_lua, PackageResources.topic_lua,
            PackageResources.catalog_lua, PackageResources.realtime_lua,
        ]
    }

    func call(_ function: String, _ arguments: [RedisArgument], _ completion: @escaping Completion) {
        library.call(function, keys: [settingsKey], arguments: arguments, on: connection, completion)
    }

    /// A function that carries out a client's command.
    func command(_ function: String, _ arguments: [RedisArgument], _ completion: @escaping (Answer) -> Void) {
        call(function, arguments) { completion(Self.answer($0)) }
    }

    static func answer(_ result: Result<RedisReply, RedisFailure>) -> Answer {
        switch result {
        case .success(.string(let bytes)):
            if bytes.first == UInt8(ascii: "+") { return .ok(Array(bytes.dropFirst())) }
            let parts = bytes.dropFirst().split(separator: 10, maxSplits: 1)
            guard bytes.first == UInt8(ascii: "-"), parts.count == 2 else { break }
            let code = String(decoding: parts[0], as: UTF8.self).split(separator: " ")
            return .refused(
                code: code.first.map(String.init) ?? "", detail: String(decoding: parts[1], as: UTF8.self),
                after: code.count > 1 ? Int64(code[1]) : nil)
        case .failure(.server(let message)): return .failed(message)
        case .failure: return .unavailable
        default: break
        }
        return .failed("an answer of an unknown form")
    }
}
