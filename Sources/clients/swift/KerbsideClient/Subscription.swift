/// A channel that is followed until it is closed or the hub refuses it, whatever becomes of links.
///
/// `for try await message in subscription` reads it: each event and state; a `gap`, of type `gap`, when what is known of the
/// channel is to be forgotten. The loop ends when the subscription is closed, and throws `HubError` when the hub refuses it.
/// What comes while the loop is busy waits for it, all of it, in memory. Two loops get everything each.
public final class Subscription: Sendable {
    public enum State: String, Sendable {
        /// The hub will be asked.
        case pending
        /// It has answered on this connection.
        case live
        /// It is over.
        case refused, closed
    }

    public let channel: String
    fileprivate let hub: Kerbside
    // Unsafe because no compiler sees it: only `hub` uses it, and only in its isolation.
    nonisolated(unsafe) let followed: Followed

    init(_ followed: Followed, of hub: Kerbside) {
        channel = followed.channel
        self.followed = followed
        self.hub = hub
    }

    public var state: State {
        get async { await hub.state(of: self) }
    }

    /// Loops that read it now. For tests.
    package var readers: Int {
        get async { await hub.readers(of: self) }
    }

    /// Other fields from now on: a circle that moves, another filter. Does nothing when it is over.
    public func change(_ fields: [String: JSON]) async {
        await hub.change(self, fields)
    }

    /// Not followed any more; loops that read it end.
    public func close() async {
        await hub.close(self)
    }

    /// Calls the handler with each event of its type, or with what the client says of this channel (`Gap`, `Subscribed`,
    /// `HubError`: refused). See `Kerbside.on`.
    @discardableResult
    public func on<Value: Told>(
        _ type: Value.Type, _ handler: @escaping @Sendable (Value) throws -> Void
    ) async -> Registration {
        await hub.on(self, Value.type, Handlers.of(Value.read, handler))
    }

    /// As above. Calls come one after the other; an event counts as applied when its call is over.
    @discardableResult
    public func on<Value: Told>(
        _ type: Value.Type, _ handler: @escaping @Sendable (Value) async throws -> Void
    ) async -> Registration {
        await hub.on(self, Value.type, Handlers.of(Value.read, fault: hub.fault, handler))
    }

    /// Calls the handler with each message of this type, `*`: of all.
    @discardableResult
    public func on(_ type: String, _ handler: @escaping @Sendable (Message) throws -> Void) async -> Registration {
        await hub.on(self, type, Handlers.of(Handlers.message, handler))
    }

    /// As above, one call after the other.
    @discardableResult
    public func on(_ type: String, _ handler: @escaping @Sendable (Message) async throws -> Void) async -> Registration
    {
        await hub.on(self, type, Handlers.of(Handlers.message, fault: hub.fault, handler))
    }
}

/// The reply to `subscribe` or `watch`.
public struct Subscribed: Told {
    public static let type = "subscribed"
    public let reply: JSON
}

extension Subscription: AsyncSequence {
    public typealias Element = Message

    public func makeAsyncIterator() -> Iterator {
        Iterator(self)
    }

    /// A message counts as applied when the next one is asked for, or the loop is left.
    public struct Iterator: AsyncIteratorProtocol {
        private var reading: Reading

        init(_ subscription: Subscription) {
            reading = Reading(subscription)
        }

        public mutating func next() async throws -> Message? {
            try await reading.next()
        }
    }

    /// Ends when nobody holds it.
    private final class Reading {
        private let subscription: Subscription
        private let reader = MessageReader()
        private var number: Int?
        private var settle: (@Sendable (Bool) -> Void)?

        init(_ subscription: Subscription) {
            self.subscription = subscription
        }

        func next() async throws -> Message? {
            settle?(true)
            settle = nil
            if number == nil { number = await subscription.hub.read(subscription, by: reader) }
            guard let unread = try await reader.next() else { return nil }
            settle = unread.settle
            return unread.message
        }

        deinit {
            settle?(true)
            reader.end(nil)
            guard let number else { return }
            let (subscription, hub) = (subscription, subscription.hub)
            Task { await hub.stopReading(subscription, number) }
        }
    }
}
