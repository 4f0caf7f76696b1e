import Foundation

/// A client of a Kerbside hub: it connects, comes back, resumes, and sends what waits. `../../behaviour.md` has the rules
/// that are named in brackets.
///
/// Handlers that do not wait are called in the client's isolation, in the order in which things come; those that do
/// (`async`, or of an actor such as the main one) one after the other, each in a task of its own. Keep a reference to the
/// client as long as it is to work: without one it leaves the hub.
public actor Kerbside {
    private let client: Client
    private let entering: AsyncStream<@Sendable (Client) -> Void>.Continuation

    /// Does nothing yet.
    public init(_ options: Options) {
        let (stream, entering) = AsyncStream<@Sendable (Client) -> Void>.makeStream()
        self.entering = entering
        client = Client(options) { entering.yield($0) }
        Task { [weak self] in
            for await what in stream {
                guard let self else { return }
                await self.perform(what)
            }
        }
    }

    deinit {
        entering.finish()
    }

    private func perform(_ what: @Sendable (Client) -> Void) {
        what(client)
    }

    public var state: ConnectionState { client.connection.state }

    /// `role:subject`, once it is known: the own channel, unless the role has none.
    public var who: String { client.who }

    /// All vehicles that any feed shows, by id.
    public var vehicles: [String: Vehicle] { client.channels.vehicles.all }

    /// The hub's time, Unix ms.
    public var time: Int { client.time }

    /// Acts that wait for the link or for their reply, in their order.
    public var pending: [(command: String, fields: [String: JSON], key: String)] {
        client.sender.outbox.entries.compactMap { entry in entry.key.map { (entry.command, entry.fields, $0) } }
    }

    /// Connects, and comes back until `stop`. Does not wait for the hub: `StateChange` tells of that, and `call` waits.
    public func start() {
        client.start()
    }

    /// Says goodbye. Commands that wait stay on the device, and are sent after the next `start` [S2]. Returns when all is
    /// written, but for places of events whose handlers still run after a second.
    public func stop() async {
        client.stop()
        let written = client.device.written
        await written.acts()
        let (answer, settle) = Answer.make()
        Task {
            await written.places()
            settle(true)
        }
        Task {
            try? await Task.sleep(for: .seconds(1))
            settle(false)
        }
        _ = await answer.isApplied()
    }

    /// The network, or the app's window, is back: tries at once, or looks whether the link lives [B4].
    public func wake() {
        client.wake()
    }

    /// Sends a command, at once or when there is a link, and waits for its reply. What changes something is kept on the
    /// device and takes effect once, whoever still waits for it.
    ///
    /// Throws `HubError` where it is refused; `CancellationError` to who stops waiting, which takes nothing back;
    /// `Misuse` for a number that is not finite. `key`: of an act that the app itself has kept.
    @discardableResult
    public func call<C: Command>(_ command: C, key: String? = nil) async throws -> C.Reply {
        try await C.Reply(call(C.name, command.fields, key: key))
    }

    /// As above, for a command by its name. Throws `Misuse`, too, for what the client sends by itself.
    @discardableResult
    public func call(_ command: String, _ fields: [String: JSON] = [:], key: String? = nil) async throws -> JSON {
        let number = client.sender.nextWaiter()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                send(command, fields, key: key, number) { continuation.resume(with: $0) }
            }
        } onCancel: { [entering] in
            entering.yield { $0.sender.stopWaiting(number) }
        }
    }

    /// As `call`, but `then` gets the end.
    package func send(
        _ command: String, _ fields: [String: JSON], key: String?,
        then: @escaping @Sendable (Result<JSON, any Error>) -> Void
    ) {
        send(command, fields, key: key, client.sender.nextWaiter(), then: then)
    }

    private func send(
        _ command: String, _ fields: [String: JSON], key: String?, _ number: Int,
        then: @escaping @Sendable (Result<JSON, any Error>) -> Void
    ) {
        let waiter = Sender.Waiter { ending in
            then(ending.mapError { $0 as any Error })
        } cancel: {
            then(.failure(CancellationError()))
        }
        do {
            try client.sender.call(client.actor, command, fields, key: key, number, waiter)
        } catch {
            then(.failure(error))
        }
    }

    /// Where the device is, at `at` (Unix ms; now, if left out): `heading` in degrees from north, `speed` in m/s, `accuracy`
    /// in m. Without a link it waits for one, unless the next replaces it: the latest counts [A2].
    public func position(
        lat: Double, lon: Double, at: Int? = nil, heading: Double? = nil, speed: Double? = nil, accuracy: Double? = nil
    ) {
        var fields: [String: JSON] = ["lat": .double(lat), "lon": .double(lon), "at": .int(at ?? time)]
        fields["heading"] = heading.map(JSON.double)
        fields["speed"] = speed.map(JSON.double)
        fields["accuracy"] = accuracy.map(JSON.double)
        position(fields)
    }

    /// As above, with the fields of the command.
    public func position(_ fields: [String: JSON]) {
        client.position(fields)
    }

    /// Follows a channel: `topic:…`, `line:…`, `zone:…`, `vehicle:…`, `events:…`, `city`, `catalog`, `office`. The same
    /// channel is the same object, with other fields. What comes of a feed of vehicles is in `vehicles`, too.
    public func subscribe(_ channel: String, _ fields: [String: JSON] = [:]) -> Subscription {
        var fields = fields
        fields["channel"] = .string(channel)
        return object(of: client.channels.follow(channel, fields))
    }

    /// Follows the vehicles around a place, with the fields of the command `watch` (`lat`, `lon`, …); `change` moves the
    /// circle.
    public func watch(_ fields: [String: JSON]) -> Subscription {
        object(of: client.channels.follow("near", fields))
    }

    private func object(of one: Followed) -> Subscription {
        if let object = one.object { return object }
        let object = Subscription(one, of: self)
        one.object = object
        return object
    }

    // What is told

    /// Calls the handler with what is told by this type: an event or a state of one's own channel (`Events.OfferMade`), or
    /// what the client itself has to say (`StateChange`, `Gap`, `Outcome`, `HubError`: a position was refused,
    /// `VehiclesChanged`, `Fault`). It is called in the client's isolation; a later one is not called before it returns.
    @discardableResult
    public func on<Value: Told>(
        _ type: Value.Type, _ handler: @escaping @Sendable (Value) throws -> Void
    ) -> Registration {
        add(Value.type, Handlers.of(Value.read, handler))
    }

    /// As above. Calls come one after the other; an event counts as applied when its call is over [R5].
    @discardableResult
    public func on<Value: Told>(
        _ type: Value.Type, _ handler: @escaping @Sendable (Value) async throws -> Void
    ) -> Registration {
        add(Value.type, Handlers.of(Value.read, fault: fault, handler))
    }

    /// Calls the handler with each message of one's own channel of this type; `*`: of all.
    @discardableResult
    public func on(_ type: String, _ handler: @escaping @Sendable (Message) throws -> Void) -> Registration {
        add(type, Handlers.of(Handlers.message, handler))
    }

    /// As above, one call after the other.
    @discardableResult
    public func on(_ type: String, _ handler: @escaping @Sendable (Message) async throws -> Void) -> Registration {
        add(type, Handlers.of(Handlers.message, fault: fault, handler))
    }

    private func add(_ type: String, _ handler: @escaping Teller.Handler) -> Registration {
        let id = client.teller.add(type, handler)
        return Registration { [weak self] in await self?.remove(type, id) }
    }

    private func remove(_ type: String, _ id: Int) {
        client.teller.remove(type, id)
    }

    nonisolated var fault: @Sendable (any Error) -> Void {
        { [entering] error in entering.yield { $0.fault(error) } }
    }

    /// All that was begun is done, as far as it waits for nothing from outside. For tests.
    package func settled() async {
        for _ in 0..<3 {
            repeat {
                await client.device.written.acts()
                await client.device.written.places()
                let (answer, settle) = Answer.make()
                entering.yield { _ in settle(true) }
                _ = await answer.isApplied()
            } while client.awaited > 0
        }
    }
}

/// What a `Subscription` has the client do.
extension Kerbside {
    func state(of one: Subscription) -> Subscription.State {
        one.followed.state
    }

    func change(_ one: Subscription, _ fields: [String: JSON]) {
        client.channels.change(one.followed, fields)
    }

    func close(_ one: Subscription) {
        client.channels.leave(one.followed)
    }

    func on(_ one: Subscription, _ type: String, _ handler: @escaping Teller.Handler) -> Registration {
        let id = one.followed.teller.add(type, handler)
        return Registration { [weak self, weak one] in
            if let one { await self?.remove(one, type, id) }
        }
    }

    private func remove(_ one: Subscription, _ type: String, _ id: Int) {
        one.followed.teller.remove(type, id)
    }

    func read(_ one: Subscription, by reader: MessageReader) -> Int {
        one.followed.read(by: reader)
    }

    func readers(of one: Subscription) -> Int {
        one.followed.readers.count
    }

    func stopReading(_ one: Subscription, _ number: Int) {
        one.followed.readers[number] = nil
    }
}
