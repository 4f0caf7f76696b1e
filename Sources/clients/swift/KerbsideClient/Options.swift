public import Foundation

/// What a client is made with.
public struct Options: Sendable {
    /// `wss://<host>/v1/connect`
    public var url: URL
    /// Asked whenever a token is needed, one time after the other; `refused` is the one that the hub took no more. Nil:
    /// there is none, log in first. Throws where the login service can't be reached: it is asked again [T4].
    public var token: @Sendable (_ refused: String?) async throws -> String?
    /// Where commands wait.
    public var storage: any Storage
    /// The app keeps what it knows, so after its restart it wants only what it missed [R5].
    public var remembers: Bool
    public var transport: Transport
    public var clock: any Clock
    public var random: Chance

    /// `storage`: in memory if left out. `clock` and `random` are for tests.
    public init(
        url: URL, transport: @escaping Transport, storage: any Storage = MemoryStorage(), remembers: Bool = false,
        clock: any Clock = SystemClock(), random: @escaping Chance = { Double.random(in: 0..<1) },
        token: @escaping @Sendable (_ refused: String?) async throws -> String?
    ) {
        self.url = url
        self.token = token
        self.storage = storage
        self.remembers = remembers
        self.transport = transport
        self.clock = clock
        self.random = random
    }
}

/// The time, and what happens later. Of any thread.
public protocol Clock: Sendable {
    /// Unix ms.
    func now() -> Int
    /// Calls it once after so many ms, on any thread. What is returned ends it, before it was called.
    func set(_ ms: Int, _ call: @escaping @Sendable () -> Void) -> @Sendable () -> Void
}

/// The clock of the device.
public struct SystemClock: Clock {
    public init() {}

    public func now() -> Int {
        Int(Date().timeIntervalSince1970 * 1000)
    }

    public func set(_ ms: Int, _ call: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let task = Task {
            try await Task.sleep(for: .milliseconds(ms))
            call()
        }
        return { task.cancel() }
    }
}

/// Something that a client tells: see `Kerbside.on`.
public protocol Told: Sendable {
    static var type: String { get }
    /// Reads what is told under that name. Throws where it is something else.
    static func read(_ told: any Sendable) throws -> Self
}

extension Told {
    public static func read(_ told: any Sendable) throws -> Self {
        guard let told = told as? Self else { throw Misuse(reason: "\(told) is not \(Self.self)") }
        return told
    }
}

/// An event (with `seq`) or a state of a channel.
public struct Message: Sendable, Hashable {
    public let channel: String
    public let type: String
    /// The place of an event in its channel's history. Only ever given back.
    public let seq: String?
    /// Unix ms, by the hub's clock.
    public let time: Int
    /// `decode` reads it.
    public let data: JSON
    /// Of `positions`: vehicles that the feed shows no more.
    public let gone: [String]

    init?(_ json: JSON) {
        guard let channel = json["ch"]?.string, let type = json["type"]?.string else { return nil }
        self.channel = channel
        self.type = type
        seq = json["seq"]?.string
        time = json["time"]?.int ?? 0
        data = json["data"] ?? .null
        gone = json["gone"]?.array?.compactMap(\.string) ?? []
    }
}

/// A refusal, as the hub says it, or one of the client's own: `outbox_full`, `expired`, `not_yours`, `left` [O9].
public struct HubError: Error, Sendable, Hashable {
    public let code: String
    /// The same for every error of this code.
    public let title: String
    /// What happened this time, and what to do.
    public let detail: String
    /// Whether the same command may succeed when sent again later.
    public let retry: Bool
    /// The field that was wrong.
    public let field: String?
    /// From when on the same command is taken, ms from now.
    public let retryAfterMs: Int?

    init(code: String, title: String, detail: String, retry: Bool = false) {
        self.code = code
        self.title = title
        self.detail = detail
        self.retry = retry
        field = nil
        retryAfterMs = nil
    }

    init(_ json: JSON) {
        code = json["code"]?.string ?? "internal"
        title = json["title"]?.string ?? ""
        detail = json["detail"]?.string ?? ""
        retry = json["retry"]?.bool ?? false
        field = json["field"]?.string
        retryAfterMs = json["retry_after_ms"]?.int
    }
}

/// Of a position, or of a channel to resume, which nobody waits for.
extension HubError: Told {
    public static var type: String { "refused" }
}

/// What is known of a channel is to be forgotten: its history does not reach back to where it stood [R6].
public struct Gap: Told {
    public static let type = "gap"
    public let channel: String
}

/// How an act ended, also one of before the app's start.
public struct Outcome: Told {
    public static let type = "outcome"
    public let command: String
    public let fields: [String: JSON]
    public let key: String
    /// The `ok` of the reply, or why there is none.
    public let result: Result<JSON, HubError>
}

/// Ids of vehicles that have changed in `Kerbside.vehicles`, or gone.
public struct VehiclesChanged: Told {
    public static let type = "vehicles"
    public let ids: [String]
}

/// Thrown by a handler, the storage, the transport or the login service; or a message that nobody understands. Written to
/// the standard error where nobody is told.
public struct Fault: Told {
    public static let type = "fault"
    public let error: any Error
}

/// A slip of the app, which no time mends.
public struct Misuse: Error, CustomStringConvertible {
    public let reason: String
    public var description: String { reason }

    public init(reason: String) {
        self.reason = reason
    }
}
