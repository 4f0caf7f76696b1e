import RedisLink

/// Who reads which hub channel here, and the partitions of Redis' pub/sub that are subscribed for that. Used on the worker's
/// loop.
final class ChannelReaders {
    private let subscriber: RedisSubscriber
    private let keys: Keys
    private var sessions: [String: [Session]] = [:]
    private var subscribed: Set<String> = []
    /// Partitions whose subscription is not confirmed yet, and what waits for it.
    private var subscribing: [String: [() -> Void]] = [:]

    init(subscriber: RedisSubscriber, keys: Keys) {
        self.subscriber = subscriber
        self.keys = keys
    }

    /// Nil: nobody reads it here.
    subscript(channel: String) -> [Session]? { sessions[channel] }

    func add(_ session: Session, to channel: String) {
        guard !(sessions[channel] ?? []).contains(where: { $0 === session }) else { return }
        sessions[channel, default: []].append(session)
    }

    func remove(_ session: Session, from channel: String) {
        sessions[channel]?.removeAll { $0 === session }
        if sessions[channel]?.isEmpty == true { sessions[channel] = nil }
    }

    /// Calls `body` once Redis has confirmed the subscription of the channel's partition: at once if it has.
    func whenSubscribed(_ channel: String, _ body: @escaping () -> Void) {
        let partition = Channel.partition(channel)
        guard !subscribed.contains(partition) else { return body() }
        subscribing[partition, default: []].append(body)
        guard subscribing[partition]?.count == 1 else { return }
        subscriber.subscribe([keys.push(partition)]) {
            self.subscribed.insert(partition)
            for body in self.subscribing.removeValue(forKey: partition) ?? [] { body() }
        }
    }
}
