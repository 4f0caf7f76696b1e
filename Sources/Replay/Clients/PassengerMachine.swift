import ClientSupport
import Wire

/// A passenger and its phone: connects, requests its ride, is told what comes of it, changes its mind now and then.
/// Pure: messages and time come in, actions come out.
struct PassengerMachine {
    enum State: Equatable {
        /// Not yet requested: the first hello is not through.
        case wanting
        /// Requested; the answer is not definite yet.
        case asking
        /// Has a taxi for later.
        case reserved
        case searching
        case accepted
        case aboard
        case over(RideOutcome)
    }

    var session: ClientSession
    var cuts: LinkCuts
    private(set) var state = State.wanting
    private(set) var ride: String?
    private var reservation: String?
    /// When to meet, hub ms.
    private let meetMs: Int64
    let plan: PlannedRide
    let behaviour: BehaviourModel
    /// Hub ms at which it changes its mind.
    private var cancelMs: Int64?
    private var random: SeededRandom

    init(plan: PlannedRide, bornHubMs: Int64, behaviour: BehaviourModel, keyPrefix: String, seed: UInt64) {
        self.plan = plan
        self.behaviour = behaviour
        meetMs = bornHubMs + (plan.aheadMs ?? 0)
        random = SeededRandom(seed: seed, part: "passenger \(plan.subject)")
        session = ClientSession(
            role: "passenger", subject: plan.subject, keyPrefix: keyPrefix, seed: seed)
        cuts = LinkCuts(behaviour: behaviour)
        if random.chance(behaviour.cancel) { cancelMs = bornHubMs + random.milliseconds(behaviour.cancelAfterMs) }
        cuts.begin(afterHubMs: bornHubMs, &random)
    }

    /// Was told how its request ended, and waits for no answer.
    var isSettled: Bool {
        if case .over = state { !session.hasPending } else { false }
    }

    var outcome: RideOutcome? {
        if case .over(let outcome) = state { outcome } else { nil }
    }

    mutating func wake(_ now: Moment, _ out: inout [ClientAction]) {
        session.wake(now, &out)
        if let due = cancelMs, now.hubMs >= due, canCancel {
            cancelMs = nil
            cancel(now, &out)
        }
        cuts.take(&session, now, &random, &out)
    }

    /// Real ms of the next thing to do.
    func dueMs(_ now: Moment) -> Int64 {
        dueMs(now, atHub: canCancel ? cancelMs ?? .max : .max)
    }

    private var canCancel: Bool { ride != nil || reservation != nil }

    /// Gives up what is open, if it still can be.
    mutating func cancel(_ now: Moment, _ out: inout [ClientAction]) {
        if let reservation, state == .reserved {
            let cancel = Command.reservations(.cancel(reservation: reservation))
            if !session.isPending({ $0 == cancel }) { session.ask(cancel, now, &out) }
            return
        }
        guard let ride, state == .searching || state == .accepted,
            !session.isPending({ $0 == .rides(.rideCancel(ride: ride)) })
        else { return }
        session.ask(.rides(.rideCancel(ride: ride)), now, &out)
    }

    mutating func received(_ message: ServerMessage, _ now: Moment, _ out: inout [ClientAction]) {
        switch session.received(message, now, &out) {
        case .live(let isFirst):
            guard isFirst, state == .wanting else { return }
            state = .asking
            if plan.aheadMs == nil { out.append(.note(.requestSent(subject: plan.subject))) }
            session.ask(plan.request(nowMs: now.hubMs), now, &out)
        case .ok(let command, let data):
            guard command.isRequest else { return }
            reserved(data.text("reservation"), &out)
            known(data.text("ride"), &out)
        case .refused(let command, let code): refused(command, code, &out)
        case .event(let type, let hubMs, let data): happened(type, hubMs, data, &out)
        case .snapshot(let data): adopt(data, &out)
        case .state(let type, let hubMs, let data):
            guard type == "ride.eta", let told = ToldETA(data, atMs: hubMs, isFirst: false), told.ride == ride else {
                return
            }
            out.append(.note(.etaTold(told)))
        case .shared, .vehicles, .nothing: break
        }
    }

    private mutating func known(_ ride: String?, _ out: inout [ClientAction]) {
        guard let ride, self.ride == nil else { return }
        self.ride = ride
        if state == .asking || state == .reserved { state = .searching }
        out.append(.note(.requestKnown(subject: plan.subject, ride: ride)))
    }

    private mutating func reserved(_ reservation: String?, _ out: inout [ClientAction]) {
        guard let reservation, self.reservation == nil else { return }
        self.reservation = reservation
        if state == .asking { state = .reserved }
        out.append(.note(.reservation(.made)))
    }

    /// A refused cancel changes nothing: how the ride really ends is told by its events.
    private mutating func refused(_ command: Command, _ code: ErrorCode, _ out: inout [ClientAction]) {
        guard command.isRequest, state == .asking else { return }
        end(.refused(code: code), &out)
    }

    private mutating func happened(
        _ type: String, _ hubMs: Int64, _ data: JSONValue, _ out: inout [ClientAction]
    ) {
        if type.hasPrefix("reservation.") { happened(toReservation: type, hubMs, data, &out) }
        if type == "ride.searching" { known(data.text("ride"), &out) }
        guard let ride, data.text("ride") == ride else { return }
        switch type {
        case "ride.searching": if state == .accepted { state = .searching }
        case "ride.accepted":
            state = .accepted
            out.append(.note(.acceptTold(ride: ride)))
            if let told = ToldETA(data, atMs: hubMs, isFirst: true) { out.append(.note(.etaTold(told))) }
        case "ride.near": out.append(.note(.alert(metres: 500)))
        case "ride.arrived":
            out.append(.note(.alert(metres: 20)))
            if reservation != nil { out.append(.note(.reservation(.came(lateMs: hubMs - meetMs)))) }
        case "ride.aboard": state = .aboard
        case "ride.ended": end(.ended, &out)
        case "ride.failed": end(.failed(code: data.text("code") ?? ""), &out)
        case "ride.cancelled": end(data.text("reason") == "noshow" ? .noShow : .cancelled, &out)
        default: break
        }
    }

    private mutating func happened(
        toReservation type: String, _ hubMs: Int64, _ data: JSONValue, _ out: inout [ClientAction]
    ) {
        if type == "reservation.made" { reserved(data.text("reservation"), &out) }
        guard let reservation, data.text("reservation") == reservation else { return }
        switch type {
        case "reservation.assigned": out.append(.note(.reservation(.assigned(earlyMs: meetMs - hubMs))))
        case "reservation.failed": end(.failed(code: data.text("code") ?? ""), &out)
        case "reservation.cancelled": end(data.text("reason") == "noshow" ? .noShow : .cancelled, &out)
        default: break
        }
    }

    private mutating func end(_ outcome: RideOutcome, _ out: inout [ClientAction]) {
        if case .over = state { return }
        state = .over(outcome)
        out.append(.note(.outcome(outcome)))
    }

    /// The hub's own account, after a gap or at the first hello.
    private mutating func adopt(_ data: JSONValue, _ out: inout [ClientAction]) {
        if case .over = state { return }
        let open = data["ride"]
        if state == .reserved, open == nil {
            let mine = data["reservations"]?.elements?.contains { $0.text("reservation") == reservation }
            if mine != true { end(.lost, &out) }
            return
        }
        guard let mine = ride else { return known(open?.text("ride"), &out) }
        guard open?.text("ride") == mine else { return end(.lost, &out) }
        switch open?.text("state") {
        case "accepted":
            if state == .searching { out.append(.note(.acceptTold(ride: mine))) }
            state = .accepted
        case "aboard": state = .aboard
        default: state = .searching
        }
    }
}
