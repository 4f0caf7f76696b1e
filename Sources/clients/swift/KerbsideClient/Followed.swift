/// Whether a channel has a history: it goes on where it was [U2].
func isResumed(_ channel: String) -> Bool {
    channel == "catalog" || channel == "office" || channel.hasPrefix("topic:") || channel.hasPrefix("line:")
        || channel.hasPrefix("events:")
}

/// A channel that is followed, as the client sees it. `Subscription` is what the app has of it.
final class Followed {
    let channel: String
    /// Of the command.
    var fields: [String: JSON]
    var state = Subscription.State.pending
    /// Why the hub does not let it.
    private(set) var error: HubError?
    let teller = Teller()
    /// Loops that read it.
    var readers: [Int: MessageReader] = [:]
    /// The app's object: the same as long as it holds it [U4].
    weak var object: Subscription?
    private var last = 0

    init(channel: String, fields: [String: JSON]) {
        self.channel = channel
        self.fields = fields
    }

    var isOver: Bool { state == .refused || state == .closed }

    func tell(_ message: Message) -> [Answer]? {
        let answers = teller.tell(message)
        let read = readers.values.map { $0.add(message) }
        return answers.map { $0 + read }
    }

    func refuse(_ error: HubError) {
        state = .refused
        self.error = error
        teller.tell(error)
        for reader in readers.values { reader.end(error) }
        readers = [:]
    }

    func close() {
        state = .closed
        for reader in readers.values { reader.end(nil) }
        readers = [:]
    }

    /// A loop begins; its number.
    func read(by reader: MessageReader) -> Int {
        last += 1
        if isOver { reader.end(error) } else { readers[last] = reader }
        return last
    }
}

/// Passes what comes to a loop of the app. Of any thread.
final class MessageReader: Sendable {
    typealias Unread = (message: Message, settle: @Sendable (Bool) -> Void)

    private let unread: AsyncThrowingStream<Unread, any Error>
    private let continuation: AsyncThrowingStream<Unread, any Error>.Continuation

    init() {
        (unread, continuation) = AsyncThrowingStream<Unread, any Error>.makeStream()
    }

    /// The answer comes when the loop asks for the next one.
    func add(_ message: Message) -> Answer {
        let (answer, settle) = Answer.make()
        if case .enqueued = continuation.yield((message, settle)) { return answer }
        settle(false)
        return answer
    }

    /// Of one loop. Nil: the subscription was closed.
    func next() async throws -> Unread? {
        for try await one in unread { return one }
        return nil
    }

    func end(_ error: HubError?) {
        continuation.finish(throwing: error)
    }
}
