import ClientSupport

/// When a client's link is cut on purpose, by the odds.
struct LinkCuts {
    private let odds: Odds
    /// Hub ms of the next cut; `.max` for none.
    private(set) var dueMs: Int64 = .max

    init(odds: Odds) { self.odds = odds }

    mutating func begin(afterHubMs hubMs: Int64, _ random: inout SeededRandom) {
        dueMs = odds.nextDrop(after: hubMs, &random) ?? .max
    }

    /// No more of them.
    mutating func end() { dueMs = .max }

    /// Cuts the link if it is time to; it comes back by itself.
    mutating func take(_ session: inout Session, _ now: Moment, _ random: inout SeededRandom, _ out: inout [ClientAction]) {
        guard now.hubMs >= dueMs else { return }
        session.cut(untilHubMs: now.hubMs + random.milliseconds(odds.dropMs), now, &out)
        begin(afterHubMs: now.hubMs, &random)
    }
}
