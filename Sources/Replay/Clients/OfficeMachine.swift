import ClientSupport
import Wire

/// The office of a run: now and then it blocks a driver for a while, wherever that one is: in a queue, asked, or on a ride. Pure: messages and time
/// come in, actions come out.
struct OfficeMachine {
    var session: ClientSession
    var cuts: LinkCuts
    private let drivers: [String]
    private let behaviour: BehaviourModel
    /// Hub ms of the next block; nil: there is none (any more).
    private var nextMs: Int64?
    private var random: SeededRandom

    /// `drivers`: who may be blocked, at least one.
    init(drivers: [String], behaviour: BehaviourModel, keyPrefix: String, seed: UInt64) {
        self.drivers = drivers
        self.behaviour = behaviour
        random = SeededRandom(seed: seed, part: "office")
        session = ClientSession(role: Self.role, subject: "replay-office", keyPrefix: keyPrefix, seed: seed)
        cuts = LinkCuts(behaviour: behaviour)
    }

    /// The scenario begins now.
    mutating func begin(_ now: Moment) {
        cuts.begin(afterHubMs: now.hubMs, &random)
        nextMs = behaviour.nextBlock(after: now.hubMs, &random)
    }

    /// The run is over: nobody is blocked any more.
    mutating func calmDown() {
        cuts.end()
        nextMs = nil
    }

    mutating func received(_ message: ServerMessage, _ now: Moment, _ out: inout [ClientAction]) {
        if case .ok(.office(.block), _) = session.received(message, now, &out) { out.append(.note(.blocked)) }
    }

    mutating func wake(_ now: Moment, _ out: inout [ClientAction]) {
        session.wake(now, &out)
        cuts.take(&session, now, &random, &out)
        guard let due = nextMs, now.hubMs >= due else { return }
        nextMs = behaviour.nextBlock(after: now.hubMs, &random)
        let driver = drivers[Int(random.milliseconds(0...Int64(drivers.count - 1)))]
        let until = now.hubMs + random.milliseconds(behaviour.blockMs)
        session.ask(
            .office(.block(.driver, subject: driver, reason: "The replay's office", until: until)), now, &out)
    }

    func dueMs(_ now: Moment) -> Int64 { dueMs(now, atHub: nextMs ?? .max) }
}
