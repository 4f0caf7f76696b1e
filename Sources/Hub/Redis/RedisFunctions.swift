import Logging
import RedisLink

/// The Redis functions by name: what each is given and answers stands at the function, in Lua beside its capability.
///
/// Not Sendable: used on the worker's loop. Completions run on the loop, each exactly once.
final class RedisFunctions {
    /// What a command's function answered.
    enum Answer {
        /// JSON of the reply's `ok` object.
        case ok([UInt8])
        /// retryAfterMs: in how many ms it may succeed, where that is known.
        case refused(code: String, detail: String, retryAfterMs: Int64?)
        /// Redis is away, or did not answer in time: whether it took effect is unknown, and the same key tells.
        case unavailable
        /// The function failed; the text is for the log.
        case failed(String)
    }

    typealias Completion = (Result<RedisReply, RedisFailure>) -> Void

    private let library: FunctionLibrary
    private let connection: RedisConnection
    private let settingsKey: RedisArgument
    private let log: Logger
    /// Calls that must reach Redis in the end.
    private var pendingCalls: [(function: String, arguments: FunctionArguments)] = []

    init(library: FunctionLibrary, connection: RedisConnection, keys: Keys, log: Logger) {
        self.library = library
        self.connection = connection
        settingsKey = RedisArgument(keys.settings)
        self.log = log
    }

    /// more: of a function that takes any number of arguments, those that have no names.
    func call(
        _ function: String, _ arguments: FunctionArguments = [:], more: [RedisArgument] = [],
        _ completion: @escaping Completion
    ) {
        library.call(
            function, keys: [settingsKey], arguments: more.isEmpty ? arguments.values : arguments.values + more,
            on: connection, completion)
    }

    /// A function that carries out a client's command.
    func command(
        _ function: String, _ arguments: FunctionArguments, more: [RedisArgument] = [],
        _ completion: @escaping (Answer) -> Void
    ) {
        call(function, arguments, more: more) { completion(Self.answer($0)) }
    }

    /// A call whose effect must come about: made now, and again at each tick until Redis has answered.
    func retryUntilDone(_ function: String, _ arguments: FunctionArguments) {
        call(function, arguments) { result in
            switch result {
            case .success: break
            case .failure(.server(let text)): self.log.error("\(function) failed: \(text)")
            case .failure: self.pendingCalls.append((function, arguments))
            }
        }
    }

    var hasPendingCalls: Bool { !pendingCalls.isEmpty }

    /// Each tick.
    func retryPendingCalls() {
        guard connection.isUp else { return }
        let calls = pendingCalls
        pendingCalls = []
        for call in calls { retryUntilDone(call.function, call.arguments) }
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
                retryAfterMs: code.count > 1 ? Int64(code[1]) : nil)
        case .failure(.server(let message)): return .failed(message)
        case .failure: return .unavailable
        default: break
        }
        return .failed("an answer of an unknown form")
    }
}
