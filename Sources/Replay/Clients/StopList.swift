import ClientSupport
import Domain
import Wire

/// What citizens ask of a bus driver: the open requests of the tour, as the hub told them last, and what the driver will do
/// about each. Times are hub ms.
struct StopList: Equatable {
    struct Ask: Equatable {
        var place: GeoPoint
        var pickupMs: Int64
        var isAccepted: Bool
        var answer: BehaviourModel.Answer
        /// When the driver taps; nil when there is nothing to tap (any more).
        var tapMs: Int64?
        /// The tap has gone out, and the hub has not answered it.
        var isSent = false
        /// Nobody will come.
        var isNoShow: Bool
        /// The bus has been there.
        var isPassed = false
        /// How often the driver has said so.
        var noShowTries = 0
    }

    private(set) var asks: [String: Ask] = [:]
    private let behaviour: BehaviourModel
    /// The bus stops at a place so near to its way, metres: recorded buses keep to their own stops.
    private static let nearM = 80.0
    /// It stands there when it is so near, metres: the hub wants it within 50 where nobody comes.
    private static let besideM = 40.0
    /// Hub ms between two tries to say so, and how often: then somebody came after all.
    private static let lookAgainMs: Int64 = 15_000
    private static let looks = 6
    /// Nobody is missed before the time that was promised: so much earlier the driver does not wait for it, ms.
    private static let lookEarlyMs: Int64 = 60_000
    /// A bus this much before the wanted time is on another round.
    private static let earlyMs: Int64 = 900_000

    init(behaviour: BehaviourModel) { self.behaviour = behaviour }

    var dueMs: Int64 { asks.values.compactMap(\.tapMs).min() ?? .max }

    mutating func clear() { asks = [:] }

    /// It is off the list. Of many that go at once only the last comes with the list.
    mutating func drop(_ request: String) { asks[request] = nil }

    /// The list as the hub has it now.
    mutating func take(_ places: [JSONValue], _ now: Moment, _ random: inout SeededRandom) {
        var open: [String: Ask] = [:]
        for place in places {
            guard let lat = place["lat"]?.double, let lon = place["lon"]?.double else { continue }
            for request in place["requests"]?.elements ?? [] {
                guard let id = request.text("request") else { continue }
                let isAccepted = request.text("state") == "accepted"
                if var known = asks[id] {
                    known.isAccepted = known.isAccepted || isAccepted
                    open[id] = known
                    continue
                }
                var ask = Ask(
                    place: GeoPoint(lat: lat, lon: lon), pickupMs: request.integer("at") ?? now.hubMs,
                    isAccepted: isAccepted, answer: behaviour.answer(&random),
                    isNoShow: random.chance(behaviour.stopNoShow))
                if !isAccepted, ask.answer != .silent {
                    ask.tapMs = now.hubMs + random.milliseconds(behaviour.answerMs)
                }
                open[id] = ask
            }
        }
        asks = open
    }

    /// The first place on the way from here to there where a citizen was promised a stop: the driver stops there.
    func nextPlace(from: GeoPoint, to: GeoPoint, _ now: Moment) -> GeoPoint? {
        asks.values.filter { ask in
            isAhead(ask, now) && !(ask.isNoShow && now.hubMs < ask.pickupMs - Self.lookEarlyMs)
                && ask.place.distance(fromWay: from, to) <= Self.nearM
        }.map(\.place).min { $0.distance(to: from) < $1.distance(to: from) }
    }

    private func isAhead(_ ask: Ask, _ now: Moment) -> Bool {
        ask.isAccepted && !ask.isPassed && ask.tapMs == nil && !ask.isSent && now.hubMs >= ask.pickupMs - Self.earlyMs
    }

    /// The bus was on its way: who was promised a stop there gets on. Answers until when it must stand where it is now: until
    /// all are on, or longer as somebody is not there. The driver says so too early first, and again when it has looked once more.
    mutating func passed(from: GeoPoint?, to: GeoPoint, _ now: Moment, _ random: inout SeededRandom) -> Int64? {
        var standMs: Int64?
        for (id, ask) in asks.sorted(by: { $0.key < $1.key }) where isAhead(ask, now) {
            guard ask.place.distance(fromWay: from ?? to, to) <= Self.nearM else { continue }
            let tapMs = now.hubMs + random.milliseconds(behaviour.boardingMs)
            asks[id]?.tapMs = tapMs
            asks[id]?.isPassed = true
            // By when it was accepted the bus may have been past the place.
            let stands = to.distance(to: ask.place) <= Self.besideM
            let misses = ask.isNoShow && stands && now.hubMs >= ask.pickupMs - Self.lookEarlyMs
            if !misses { asks[id]?.isNoShow = false }
            if stands { standMs = max(standMs ?? 0, misses ? tapMs + Self.lookAgainMs : tapMs) }
        }
        return standMs
    }

    /// Sends what is due. Answers the requests of which the driver says what became of them at their place.
    mutating func answer(_ session: inout ClientSession, _ now: Moment, _ out: inout [ClientAction]) -> [String] {
        var ended: [String] = []
        for (id, ask) in asks.sorted(by: { $0.key < $1.key }) {
            guard let due = ask.tapMs, now.hubMs >= due else { continue }
            asks[id]?.tapMs = nil
            asks[id]?.isSent = true
            let answer: StopAnswer =
                ask.isAccepted ? (ask.isNoShow ? .noshow : .complete) : ask.answer == .accept ? .accept : .decline
            session.ask(.stops(.stopAnswer(answer, request: id, all: false)), now, &out)
            if ask.isAccepted { ended.append(id) }
        }
        return ended
    }

    mutating func granted(_ answer: StopAnswer, _ request: String) {
        asks[request]?.isSent = false
        if answer == .accept { asks[request]?.isAccepted = true } else { asks[request] = nil }
    }

    /// Answers until when the bus must stay where it stands.
    mutating func refused(_ answer: StopAnswer, _ request: String, _ code: ErrorCode, _ now: Moment) -> Int64? {
        guard let ask = asks[request] else { return nil }
        asks[request]?.isSent = false
        switch answer {
        // It has not stood there for long enough to say so.
        case .noshow where code == .notAvailable && ask.noShowTries < Self.looks:
            let tapMs = now.hubMs + Self.lookAgainMs
            asks[request]?.noShowTries += 1
            asks[request]?.tapMs = tapMs
            return tapMs + Self.lookAgainMs
        case .noshow:
            asks[request]?.isNoShow = false
            asks[request]?.tapMs = now.hubMs
        case .accept where code == .seatsFull:
            asks[request]?.answer = .decline
            asks[request]?.tapMs = now.hubMs
        // It is over; the event that says so is under way.
        default: break
        }
        return nil
    }
}
