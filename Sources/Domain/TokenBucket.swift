/// A limit on how often something may be done: so many at once, and so many per second in the long run.
public struct TokenBucket: Sendable {
    /// At once.
    public let capacity: Double
    public let perSecond: Double

    private var tokens: Double
    private var updated: Int64?

    /// Begins full. Both numbers are positive.
    public init(capacity: Double, perSecond: Double) {
        self.capacity = capacity
        self.perSecond = perSecond
        tokens = capacity
    }

    /// Takes `cost` tokens at time `now` (ms of any steady clock) if they are there; false when the limit is reached.
    /// A clock that goes backwards gives nothing and takes nothing.
    public mutating func take(_ cost: Double = 1, at now: Int64) -> Bool {
        refill(at: now)
        guard tokens >= cost else { return false }
        tokens -= cost
        return true
    }

    /// Takes what something has turned out to cost, be it more than is there: what follows waits the longer, but for no longer
    /// than it takes to fill the bucket twice, or so many times more.
    public mutating func charge(_ cost: Double, at now: Int64, most fillings: Double = 1) {
        refill(at: now)
        // Who owes more for something else owes it still.
        tokens = min(tokens, max(-capacity * fillings, tokens - cost))
    }

    /// Of what was taken just now.
    public mutating func giveBack(_ cost: Double) { tokens = min(capacity, tokens + cost) }

    /// Whether it is as a new one.
    public mutating func isFull(at now: Int64) -> Bool {
        refill(at: now)
        return tokens >= capacity
    }

    /// Milliseconds from `now` until `cost` tokens are there: what a refused client may be told.
    public func wait(for cost: Double = 1, at now: Int64) -> Int64 {
        var bucket = self
        bucket.refill(at: now)
        return Int64((max(0, cost - bucket.tokens) / perSecond * 1000).rounded(.up))
    }

    private mutating func refill(at now: Int64) {
        guard let updated else {
            self.updated = now
            return
        }
        guard now > updated else { return }
        tokens = min(capacity, tokens + Double(now - updated) / 1000 * perSecond)
        self.updated = now
    }
}
