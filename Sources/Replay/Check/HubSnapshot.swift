/// What Redis holds of a city at one moment.
struct HubSnapshot: Equatable {
    struct Vehicle: Equatable {
        /// available | busy | unavailable
        var state: String
        var zone: String?
        var ride: String?
        var offer: String?
        var isAway = false
        /// Nil: nobody has said how many are free.
        var seats: Int?
    }

    struct Ride: Equatable {
        /// searching | offered | accepted | aboard | ended | failed | cancelled | noshow
        var state: String
        var passenger: String
        var zone: String
        var driver: String?
        var offeredTo: String?
        var round = 1
        var order = 0
        var asked: Set<String> = []
        var gaveBack: Set<String> = []
        var passengers = 1
        /// When the taxi was at the pickup, hub ms.
        var arrivedMs: Int64?

        var isOpen: Bool { ["searching", "offered", "accepted", "aboard"].contains(state) }
    }

    /// The last entry of the event log at that moment; nil when the log is empty.
    var lastEvent: String?
    /// How many entries the event log has ever had: more than it holds, once it is trimmed.
    var entriesAdded = 0
    /// Zone → driver → score.
    var queues: [String: [String: Double]] = [:]
    /// The same of those who can be asked for a ride.
    var free: [String: [String: Double]] = [:]
    var vehicles: [String: Vehicle] = [:]
    var rides: [String: Ride] = [:]
    /// Passenger → its open ride.
    var passengers: [String: String] = [:]
    /// The settings dispatch.noshow_wait_ms, dispatch.round_pause_ms and dispatch.recovery_ms.
    var noShowWaitMs: Int64 = 0
    var roundPauseMs: Int64 = 0
    var recoveryMs: Int64 = 1_800_000
}
