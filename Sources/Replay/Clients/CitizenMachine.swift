import ClientSupport
import Domain
import Wire

/// How a request for a stop ended, as its citizen was told.
enum StopOutcome: Hashable {
    case refused(code: ErrorCode)
    case declined
    case expired(reason: String)
    case completed
    case noShow
    case cancelled
    /// History was lost (a gap), and the snapshot after it has no such request.
    case lost
}

/// A citizen and its phone: watches a line, asks for stops, is told what comes of it, changes its mind now and then.
/// Pure: messages and time come in, actions come out.
struct CitizenMachine {
    struct Ask: Equatable {
        /// The hub's name for it; nil before it was told.
        var request: String?
        /// Hub ms at which it changes its mind.
        var cancelMs: Int64?
        /// Was told that the bus is there.
        var hasArrived = false
        var outcome: StopOutcome?
    }

    var session: ClientSession
    var cuts: LinkCuts
    let line: String
    private(set) var asks: [Ask] = []
    private(set) var view: LineView
    private let planned: [PlannedStop]
    private var nextPlan = 0
    private let behaviour: BehaviourModel
    private var random: SeededRandom
    private var hasBegun = false
    private var hasSubscribed = false

    init(
        citizen: BusScenario.Citizen, behaviour: BehaviourModel, keyPrefix: String, seed: UInt64, startMs: Int64 = 0
    ) {
        random = SeededRandom(seed: seed, part: "citizen \(citizen.subject)")
        session = ClientSession(
            role: "passenger", subject: citizen.subject, keyPrefix: keyPrefix, startMs: startMs, seed: seed)
        cuts = LinkCuts(behaviour: behaviour)
        line = citizen.line
        planned = citizen.planned
        view = LineView(line: citizen.line)
        self.behaviour = behaviour
    }

    mutating func begin(_ now: Moment) {
        hasBegun = true
        cuts.begin(afterHubMs: now.hubMs, &random)
        // What it would have asked for before is over.
        while nextPlan < planned.count, planned[nextPlan].askMs < now.hubMs - 5_000 { nextPlan += 1 }
    }

    /// Every request has ended, and no command waits for its answer.
    var isSettled: Bool { asks.allSatisfy { $0.outcome != nil } && !session.hasPending }

    mutating func received(_ message: ServerMessage, _ now: Moment, _ out: inout [ClientAction]) {
        switch session.received(message, now, &out) {
        case .live:
            guard !hasSubscribed else { return }
            hasSubscribed = true
            session.ask(.channels(.subscribe(channel: channel, options: FeedOptions(), since: nil)), now, &out)
        case .ok(let command, let data): granted(command, data, now)
        case .refused(let command, let code):
            if case .stops(.stopRequest) = command { end(open, .refused(code: code), &out) }
        case .event(let type, _, let data): happened(type, data, now, &out)
        case .snapshot(let data): adopt(data, now, &out)
        case .shared(let type, let hubMs, let data): view.take(type, hubMs: hubMs, data, &out)
        case .state, .vehicles, .nothing: break
        }
    }

    private var channel: String { "line:" + line }

    // MARK: Time

    mutating func wake(_ now: Moment, _ out: inout [ClientAction]) {
        session.wake(now, &out)
        if let due = nextAskMs, now.hubMs >= due { ask(now, &out) }
        if let index = open, let due = asks[index].cancelMs, now.hubMs >= due { cancel(now, &out) }
        cuts.take(&session, now, &random, &out)
    }

    func dueMs(_ now: Moment) -> Int64 {
        let cancelMs = open.flatMap { asks[$0].request == nil ? nil : asks[$0].cancelMs }
        return dueMs(now, atHub: min(nextAskMs ?? .max, cancelMs ?? .max))
    }

    /// One request at a time.
    private var nextAskMs: Int64? {
        guard hasBegun, open == nil, session.isLive, nextPlan < planned.count else { return nil }
        return planned[nextPlan].askMs
    }

    private var open: Int? { asks.lastIndex { $0.outcome == nil } }

    private mutating func ask(_ now: Moment, _ out: inout [ClientAction]) {
        let plan = planned[nextPlan]
        nextPlan += 1
        // The bus that was meant is nearly there, as the request before took long.
        guard plan.pickupMs > now.hubMs + 60_000 else { return }
        var ask = Ask()
        if random.chance(behaviour.cancel) { ask.cancelMs = now.hubMs + random.milliseconds(behaviour.cancelAfterMs) }
        asks.append(ask)
        out.append(.note(.bus(.requestSent)))
        let request = StopRequest(
            line: line, place: .point(lat: plan.place.lat, lon: plan.place.lon), at: plan.pickupMs,
            passengers: plan.passengers, name: "Citizen " + session.subject)
        session.ask(.stops(.stopRequest(request)), now, &out)
    }

    mutating func cancel(_ now: Moment, _ out: inout [ClientAction]) {
        guard let index = open, let request = asks[index].request,
            !session.isPending({ $0 == .stops(.stopCancel(request: request)) })
        else { return }
        asks[index].cancelMs = nil
        session.ask(.stops(.stopCancel(request: request)), now, &out)
    }

    /// Asks for nothing more.
    mutating func close() { nextPlan = planned.count }

    // MARK: What the hub says

    private mutating func granted(_ command: Command, _ data: JSONValue, _ now: Moment) {
        switch command {
        case .channels(.subscribe): session.read(channel, after: data.text("seq") ?? "")
        case .stops(.stopRequest): known(data.text("request"))
        default: break
        }
    }

    private mutating func known(_ request: String?) {
        guard let request, !asks.contains(where: { $0.request == request }), let index = open,
            asks[index].request == nil
        else { return }
        asks[index].request = request
    }

    private mutating func happened(
        _ type: String, _ data: JSONValue, _ now: Moment, _ out: inout [ClientAction]
    ) {
        guard let request = data.text("request") else { return }
        if type == "stop.pending" { known(request) }
        let index = asks.firstIndex { $0.request == request }
        switch type {
        case "stop.accepted": out.append(.note(.bus(.acceptTold)))
        case "stop.near": out.append(.note(.alert(metres: 500)))
        case "stop.arrived":
            out.append(.note(.alert(metres: 20)))
            if let index { asks[index].hasArrived = true }
        case "stop.declined": end(index, .declined, &out)
        case "stop.completed": end(index, .completed, &out)
        case "stop.noshow": end(index, .noShow, &out)
        case "stop.cancelled": end(index, .cancelled, &out)
        case "stop.expired": end(index, .expired(reason: data.text("reason") ?? ""), &out)
        default: break
        }
    }

    private mutating func end(_ index: Int?, _ outcome: StopOutcome, _ out: inout [ClientAction]) {
        guard let index, asks[index].outcome == nil else { return }
        asks[index].outcome = outcome
        out.append(.note(.bus(.outcome(outcome, wasThere: asks[index].hasArrived))))
    }

    /// The hub's own account, after a gap or at the first hello.
    private mutating func adopt(_ data: JSONValue, _ now: Moment, _ out: inout [ClientAction]) {
        let named = Set((data["requests"]?.elements ?? []).compactMap { $0.text("request") })
        for index in asks.indices {
            if let request = asks[index].request, !named.contains(request) { end(index, .lost, &out) }
        }
    }
}
