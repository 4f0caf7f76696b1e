import ClientSupport
import Domain
import Wire

/// The bookings that a minibus driver has taken, as the hub told them, and what the driver will do about each. Times are hub
/// ms.
struct BookingList: Equatable {
    struct Booking: Equatable {
        var pickup: GeoPoint
        var destination: GeoPoint
        var passengers: Int
        var isAboard = false
        /// When the driver taps; nil when there is nothing to tap (any more).
        var tapMs: Int64?
        /// Nobody will come: the driver takes the booking back.
        var isNoShow = false
        /// At the end of the way: who is aboard gets out here, who is not is not fetched any more.
        var isFinished = false
    }

    private(set) var all: [String: Booking] = [:]
    /// What is over stays over, whatever a late answer says.
    private var gone: Set<String> = []
    private let behaviour: BehaviourModel
    /// The vehicle comes so near to a place where it stops, metres.
    private static let nearM = 80.0
    /// After a refusal: what has really happened is told meanwhile.
    private static let againMs: Int64 = 20_000

    init(behaviour: BehaviourModel) { self.behaviour = behaviour }

    var isEmpty: Bool { all.isEmpty }
    var dueMs: Int64 { all.values.compactMap(\.tapMs).min() ?? .max }
    /// Aboard, and to come.
    var passengers: Int { all.values.reduce(0) { $0 + $1.passengers } }

    /// As `seat.assigned` names it, and the answer to the acceptance, and a snapshot.
    mutating func add(_ data: JSONValue, _ now: Moment, _ random: inout SeededRandom) {
        guard let id = data.text("booking"), all[id] == nil, !gone.contains(id), let pickup = data.place("pickup"),
            let destination = data.place("destination")
        else { return }
        all[id] = Booking(
            pickup: pickup, destination: destination, passengers: Int(data.integer("passengers") ?? 1),
            isNoShow: random.chance(behaviour.stopNoShow))
    }

    mutating func isAboard(_ id: String, passengers: Int64?, _ now: Moment) {
        guard var booking = all[id] else { return }
        booking.isAboard = true
        booking.tapMs = booking.isFinished ? now.hubMs : nil
        if let passengers { booking.passengers = Int(passengers) }
        all[id] = booking
    }

    mutating func remove(_ id: String) {
        all[id] = nil
        gone.insert(id)
    }

    /// The vehicle was on its way: some get on or off.
    mutating func passed(from: GeoPoint?, to: GeoPoint, _ now: Moment, _ random: inout SeededRandom) {
        for (id, booking) in all.sorted(by: { $0.key < $1.key }) where booking.tapMs == nil {
            let place = booking.isAboard ? booking.destination : booking.pickup
            guard place.distance(fromWay: from ?? to, to) <= Self.nearM else { continue }
            all[id]?.tapMs = now.hubMs + random.milliseconds(behaviour.boardingMs)
        }
    }

    mutating func finishAll(_ now: Moment) {
        for id in all.keys where all[id]?.isFinished == false {
            all[id]?.isFinished = true
            all[id]?.tapMs = now.hubMs
        }
    }

    /// Sends what is due.
    mutating func work(_ session: inout ClientSession, _ now: Moment, _ out: inout [ClientAction]) {
        for (id, booking) in all.sorted(by: { $0.key < $1.key }) {
            guard let due = booking.tapMs, now.hubMs >= due, !session.isPending({ $0.concernsBooking(id) }) else {
                continue
            }
            // Asked again only if the answer leaves it as it is.
            all[id]?.tapMs = nil
            if booking.isAboard {
                session.ask(.seats(.seatEnd(booking: id)), now, &out)
            } else if booking.isNoShow || booking.isFinished {
                session.ask(.seats(.seatCancel(booking: id)), now, &out)
            } else {
                session.ask(.seats(.seatAboard(booking: id, passengers: nil)), now, &out)
            }
        }
    }

    mutating func refused(_ id: String, _ now: Moment) {
        if all[id] != nil { all[id]?.tapMs = now.hubMs + Self.againMs }
    }
}
