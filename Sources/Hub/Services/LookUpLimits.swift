import Domain

/// How often what anybody may ask for is looked up, without a word on who asks: one network has a fifth of it at once, and a twenty-fifth in the
/// long run, so that who asks for everything does not keep others from what they need.
struct LookUpLimits {
    private let capacity: Double
    private let perSecond: Double
    private var all: TokenBucket
    private var parts: [String: TokenBucket] = [:]

    private static let mostParts = 10_000

    init(capacity: Double = 100, perSecond: Double = 50) {
        self.capacity = capacity
        self.perSecond = perSecond
        all = TokenBucket(capacity: capacity, perSecond: perSecond)
    }

    /// Takes one, if there is one. `network`: of who asks; nil has no part of its own.
    mutating func take(_ network: String?, at now: Int64) -> Bool {
        if let network {
            if parts.count >= Self.mostParts { parts.removeAll(keepingCapacity: true) }
            let fresh = TokenBucket(capacity: capacity / 5, perSecond: perSecond / 25)
            guard parts[network, default: fresh].take(at: now) else { return false }
        }
        return all.take(at: now)
    }
}
