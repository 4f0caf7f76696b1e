import EventLoop

/// What anybody may have looked up by a name: once for all who wait for it, kept for some seconds, and so often and no more. Used on the loop.
final class SharedLookUps<Value> {
    private let loop: EventLoop
    private let keptMs: UInt64
    private let most: Int
    private var limits: NetworkLimits?
    /// Until when a value is told, ms of the loop.
    private var known: [String: (value: Value, until: UInt64)] = [:]
    private var waiting: [String: [(Value?) -> Void]] = [:]

    /// `most`: of those that are kept. `limits`: nil where who asks has paid already.
    init(_ loop: EventLoop, keptMs: UInt64, most: Int, _ limits: NetworkLimits? = nil) {
        self.loop = loop
        self.keptMs = keptMs
        self.most = most
        self.limits = limits
    }

    /// Calls `then` with the value, at once or later; with nil where too many ask, or it can't be read. `network`: of who asks. `isPriced`: also
    /// what is known costs as much as a look-up. `price`: as so many look-ups, up to a network's part. `read` is not called unless `canRead`; it calls what it is given once.
    func look(
        _ name: String, for network: String?, canRead: Bool, isPriced: Bool = false, price: Double = 1,
        read: (@escaping (Value?) -> Void) -> Void, then: @escaping (Value?) -> Void
    ) {
        let seen = value(of: name)
        if let seen, !isPriced { return then(seen) }
        if seen == nil, waiting[name] != nil {
            waiting[name]?.append(then)
            return
        }
        guard canRead, limits?.take(network, price: price, at: Int64(loop.now)) == nil else { return then(nil) }
        if let seen { return then(seen) }
        waiting[name] = [then]
        read { value in
            if let value { self.keep(value, of: name) }
            for then in self.waiting.removeValue(forKey: name) ?? [] { then(value) }
        }
    }

    /// Whether it would be told without being read.
    func isKnown(_ name: String) -> Bool { value(of: name) != nil }

    private func value(of name: String) -> Value? { known[name].flatMap { loop.now < $0.until ? $0.value : nil } }

    private func keep(_ value: Value, of name: String) {
        if known.count >= most { known.removeAll(keepingCapacity: true) }
        known[name] = (value, loop.now + keptMs)
    }
}
