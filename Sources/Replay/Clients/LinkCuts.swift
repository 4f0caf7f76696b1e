import ClientSupport

/// When a client's link is cut on purpose, as the behaviour model says.
struct LinkCuts {
    private let behaviour: BehaviourModel
    /// Hub ms of the next cut; `.max` for none.
    private(set) var dueMs: Int64 = .max

    init(behaviour: BehaviourModel) { self.behaviour = behaviour }

    mutating func begin(afterHubMs hubMs: Int64, _ random: inout SeededRandom) {
        dueMs = behaviour.nextDrop(after: hubMs, &random) ?? .max
    }

    /// No more of them.
    mutating func end() { dueMs = .max }

    /// Cuts the link if it is time to; it comes back by itself.
    mutating func take(
        _ session: inout ClientSession, _ now: Moment, _ random: inout SeededRandom, _ out: inout [ClientAction]
    ) {
        guard now.hubMs >= dueMs else { return }
        session.cut(untilHubMs: now.hubMs + random.milliseconds(behaviour.dropMs), now, &out)
        begin(afterHubMs: now.hubMs, &random)
    }
}
