import ClientSupport
import Wire

/// An event that a client was given.
struct Receipt: Equatable {
    var seq: String
    var type: String
    var ride: String?
    /// Of a request for a stop: its id, and what became of it.
    var request: String?
    var state: String?
    var booking: String?

    init(seq: String, type: String, ride: String? = nil) {
        self.seq = seq
        self.type = type
        self.ride = ride
    }

    init(seq: String, type: String, data: JSONValue) {
        self.init(seq: seq, type: type, ride: data.text("ride"))
        request = data.text("request")
        state = data.text("state")
        booking = data.text("booking")
    }
}

/// What one client was given on one channel, for the check that each event came once and in order.
struct ChannelReceipts: Equatable {
    /// A stretch without a gap: everything of the channel after `after`.
    struct Stretch: Equatable {
        /// The position that the hub named when the stretch began.
        var after: String
        var events: [Receipt] = []
    }

    var channel: String
    var stretches: [Stretch] = []
    /// Events that came a second time.
    var doubles: [Receipt] = []
    /// Gaps that the hub told of.
    var gaps = 0
    /// The client has gone on purpose: what came later is not missing.
    var hasLeft = false
    private var seen: Set<String> = []

    init(channel: String) { self.channel = channel }

    /// The position to resume from.
    var last: String? { stretches.last.map { $0.events.last?.seq ?? $0.after } }

    var events: [Receipt] { stretches.flatMap(\.events) }

    mutating func begin(after seq: String) { stretches.append(Stretch(after: seq)) }

    /// False for an event that was here before.
    mutating func take(_ receipt: Receipt) -> Bool {
        guard seen.insert(receipt.seq).inserted else {
            doubles.append(receipt)
            return false
        }
        if stretches.isEmpty { begin(after: "") }
        stretches[stretches.count - 1].events.append(receipt)
        return true
    }
}
