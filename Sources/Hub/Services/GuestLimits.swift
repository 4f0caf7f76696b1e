import Domain

/// How many become guests, or open a link to a ride: one network some an hour, and all together so many that signing keeps no worker busy.
struct GuestLimits {
    let perHour: Int
    private var all = TokenBucket(capacity: 200, perSecond: 20)
    private var parts: [String: TokenBucket] = [:]

    private static let mostParts = 10_000

    init(perHour: Int) { self.perHour = perHour }

    /// Takes one; or says how long to wait, ms. `network`: of who asks; nil has no part of its own.
    mutating func take(_ network: String?, at now: Int64) -> Int64? {
        if let network {
            if parts.count >= Self.mostParts { parts.removeAll(keepingCapacity: true) }
            let fresh = TokenBucket(capacity: Double(perHour), perSecond: Double(perHour) / 3_600)
            guard parts[network, default: fresh].take(at: now) else {
                return max(1, parts[network, default: fresh].wait(at: now))
            }
        }
        return all.take(at: now) ? nil : max(1, all.wait(at: now))
    }
}
