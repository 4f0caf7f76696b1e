import ClientSupport
import Domain
import Wire

/// A passenger of minibuses and its phone: watches one and books seats, is told what comes of it, changes its mind now and then, and sends
/// commands twice at times. Pure: messages and time come in, actions come out.
struct RiderMachine {
    struct Ask: Equatable {
        var vehicle: String
        /// The hub's name for it; nil before it was told.
        var booking: String?
        /// Hub ms at which it changes its mind.
        var cancelMs: Int64?
        var outcome: SeatOutcome?
    }

    var session: ClientSession
    var cuts: LinkCuts
    private(set) var asks: [Ask] = []
    /// The vehicle that it watches, if any.
    private(set) var view: VehicleView?
    private let planned: [PlannedBooking]
    private var nextPlan = 0
    private let behaviour: BehaviourModel
    private var random: SeededRandom
    private var hasBegun = false

    init(rider: MinibusScenario.Rider, behaviour: BehaviourModel, keyPrefix: String, seed: UInt64, startMs: Int64 = 0) {
        random = SeededRandom(seed: seed, part: "rider \(rider.subject)")
        session = ClientSession(
            role: "passenger", subject: rider.subject, keyPrefix: keyPrefix, startMs: startMs, seed: seed)
        cuts = LinkCuts(behaviour: behaviour)
        planned = rider.planned
        view = rider.watches.map { VehicleView(vehicle: $0) }
        self.behaviour = behaviour
    }

    mutating func begin(_ now: Moment) {
        hasBegun = true
        cuts.begin(afterHubMs: now.hubMs, &random)
        while nextPlan < planned.count, planned[nextPlan].askMs < now.hubMs - 5_000 { nextPlan += 1 }
    }

    /// Every booking has ended, and no command waits for its answer.
    var isSettled: Bool { asks.allSatisfy { $0.outcome != nil } && !session.hasPending }

    mutating func received(_ message: ServerMessage, _ now: Moment, _ out: inout [ClientAction]) {
        switch session.received(message, now, &out) {
        case .live: watch(now, &out)
        case .vehicles(let channel, let isSnapshot, let gone, let rows):
            if channel == view?.channel { view?.take(isSnapshot: isSnapshot, gone: gone, rows) }
        case .state, .shared, .nothing: break
        case .ok(let command, let data): if case .seats(.seatBook) = command { known(data.text("booking")) }
        case .refused(let command, let code):
            if case .seats(.seatBook) = command { end(open, .refused(code: code), &out) }
        case .event(let type, _, let data): happened(type, data, &out)
        case .snapshot(let data): adopt(data, &out)
        }
    }

    /// A feed ends with its link.
    private mutating func watch(_ now: Moment, _ out: inout [ClientAction]) {
        guard let view else { return }
        let subscribe = Command.channels(.subscribe(channel: view.channel, options: FeedOptions(), since: nil))
        session.forget { $0 == subscribe }
        self.view = VehicleView(vehicle: view.vehicle)
        session.ask(subscribe, now, &out)
    }

    // MARK: Time

    mutating func wake(_ now: Moment, _ out: inout [ClientAction]) {
        session.wake(now, &out)
        if let due = nextAskMs, now.hubMs >= due { book(now, &out) }
        if let index = open, let due = asks[index].cancelMs, now.hubMs >= due { cancel(now, &out) }
        cuts.take(&session, now, &random, &out)
    }

    func dueMs(_ now: Moment) -> Int64 {
        let cancelMs = open.flatMap { asks[$0].booking == nil ? nil : asks[$0].cancelMs }
        return dueMs(now, atHub: min(nextAskMs ?? .max, cancelMs ?? .max))
    }

    /// One booking at a time.
    private var nextAskMs: Int64? {
        guard hasBegun, open == nil, session.isLive, nextPlan < planned.count else { return nil }
        return planned[nextPlan].askMs
    }

    private var open: Int? { asks.lastIndex { $0.outcome == nil } }

    private mutating func book(_ now: Moment, _ out: inout [ClientAction]) {
        let plan = planned[nextPlan]
        nextPlan += 1
        // The vehicle that was meant is nearly there, as the ride before took long.
        guard plan.pickupMs > now.hubMs + 30_000 else { return }
        var ask = Ask(vehicle: plan.vehicle)
        if random.chance(2 * behaviour.cancel) {
            ask.cancelMs = now.hubMs + random.milliseconds(behaviour.cancelAfterMs)
        }
        asks.append(ask)
        out.append(.note(.seat(.booked)))
        session.ask(plan.request, times: times(), now, &out)
    }

    mutating func cancel(_ now: Moment, _ out: inout [ClientAction]) {
        guard let index = open, let booking = asks[index].booking,
            !session.isPending({ $0 == .seats(.seatCancel(booking: booking)) })
        else { return }
        asks[index].cancelMs = nil
        session.ask(.seats(.seatCancel(booking: booking)), times: times(), now, &out)
    }

    private mutating func times() -> Int { random.chance(behaviour.repeats) ? 2 : 1 }

    /// Books nothing more.
    mutating func close() { nextPlan = planned.count }

    // MARK: What the hub says

    private mutating func known(_ booking: String?) {
        guard let booking, !asks.contains(where: { $0.booking == booking }), let index = open,
            asks[index].booking == nil
        else { return }
        asks[index].booking = booking
    }

    private mutating func happened(_ type: String, _ data: JSONValue, _ out: inout [ClientAction]) {
        guard let booking = data.text("booking") else { return }
        if type == "seat.pending" { known(booking) }
        let index = asks.firstIndex { $0.booking == booking }
        switch type {
        case "seat.confirmed": out.append(.note(.seat(.confirmedTold)))
        case "seat.near": out.append(.note(.alert(metres: 500)))
        case "seat.arrived": out.append(.note(.alert(metres: 20)))
        case "seat.declined": end(index, .declined(reason: data.text("reason") ?? ""), &out)
        case "seat.cancelled": end(index, .cancelled(by: data.text("by") ?? ""), &out)
        case "seat.ended": end(index, .ended, &out)
        default: break
        }
    }

    private mutating func end(_ index: Int?, _ outcome: SeatOutcome, _ out: inout [ClientAction]) {
        guard let index, asks[index].outcome == nil else { return }
        asks[index].outcome = outcome
        out.append(.note(.seat(.outcome(outcome))))
    }

    /// The hub's own account, after a gap or at the first hello.
    private mutating func adopt(_ data: JSONValue, _ out: inout [ClientAction]) {
        let mine = data["booking"]?.text("booking")
        for index in asks.indices {
            if let booking = asks[index].booking, booking != mine { end(index, .lost, &out) }
        }
    }
}
