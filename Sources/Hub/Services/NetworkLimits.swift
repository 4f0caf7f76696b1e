import Domain

/// How often what costs something is done for people who have not said who they are: all together, and of that each network a part, so that who
/// asks for everything does not keep others from what they need.
struct NetworkLimits {
    /// Of a network of which nothing was heard.
    private let part: TokenBucket
    private var all: TokenBucket
    private var parts: [String: TokenBucket] = [:]

    private static let mostParts = 10_000

    init(all: TokenBucket, part: TokenBucket) {
        self.all = all
        self.part = part
    }

    /// Of what is looked up one network has a fifth at once, and a twenty-fifth in the long run.
    static func lookUps(capacity: Double, perSecond: Double) -> NetworkLimits {
        NetworkLimits(
            all: TokenBucket(capacity: capacity, perSecond: perSecond),
            part: TokenBucket(capacity: capacity / 5, perSecond: perSecond / 25))
    }

    /// Of a map's tiles: a screen shows some 24, and a browser keeps them for a day.
    static var tiles: NetworkLimits {
        NetworkLimits(
            all: TokenBucket(capacity: 2_000, perSecond: 400), part: TokenBucket(capacity: 600, perSecond: 60))
    }

    /// How many become guests, or open a link to a ride: one network so many an hour, and all together so many that signing keeps no worker busy.
    static func guests(perHour: Int) -> NetworkLimits {
        NetworkLimits(
            all: TokenBucket(capacity: 200, perSecond: 20),
            part: TokenBucket(capacity: Double(perHour), perSecond: Double(perHour) / 3_600))
    }

    /// As `guests`, if that is another number than before.
    mutating func set(guestsPerHour perHour: Int) {
        if part.capacity != Double(perHour) { self = .guests(perHour: perHour) }
    }

    /// Takes the price; or says how long to wait, ms. `network`: of who asks; nil has no part of its own.
    mutating func take(_ network: String?, price: Double = 1, at now: Int64) -> Int64? {
        if let network {
            if parts.count >= Self.mostParts { parts.removeAll(keepingCapacity: true) }
            guard parts[network, default: part].take(price, at: now) else {
                return max(1, parts[network, default: part].wait(for: price, at: now))
            }
        }
        return all.take(price, at: now) ? nil : max(1, all.wait(for: price, at: now))
    }
}
