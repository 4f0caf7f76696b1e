import Wire

/// What of a vehicle makes a full row when it changes, and what views are decided by.
struct FeedTraits: Equatable {
    var state = VehicleState.unavailable
    var kind = VehicleKind.taxi
    var freshness = Freshness.live
    /// −1 when unknown.
    var seats: Int16 = -1
    var route: String?
    /// Where it is on the ways of the board's index that it may be on; empty when nobody knows, or asks. No reader is told.
    var places: [PathPlace] = []

    /// As far as rows tell.
    func looks(like other: FeedTraits) -> Bool {
        state == other.state && kind == other.kind && freshness == other.freshness && seats == other.seats
            && route == other.route
    }
}

/// The truth about a vehicle at one time.
struct FeedStanding {
    /// It is in a cell that is followed, or watched by itself.
    var isPresent = false
    var cell = CellID(row: 0, column: 0)
    /// The board's number of the zone; −1 for none.
    var zone: Int32 = -1
    var traits = FeedTraits()
    /// Units of 1e-5 degree.
    var lat5: Int32 = 0
    var lon5: Int32 = 0
    /// 0…359, −1 for none.
    var heading: Int16 = -1
    var at: Int64 = 0
    var heard: Int64 = 0

    /// Place and time are the same.
    @inline(__always)
    func isPlaced(as other: FeedStanding) -> Bool {
        lat5 == other.lat5 && lon5 == other.lon5 && heading == other.heading && at == other.at
    }
}

/// One vehicle of a board's table. Its index there is its number.
///
/// `live` follows the records as they come; `shown` is `live` as of the last tick, and all that readers are told.
struct FeedVehicle {
    var id: [UInt8]
    /// The id as JSON.
    var quotedID: [UInt8]
    /// Told of by `applyWatched`, and a member of its own scope; else of cells, zones and the city.
    var isWatched: Bool
    var live = FeedStanding()
    /// How far it is along its way (`PathProgress.text`), by the last record.
    var along = ""
    var shown = FeedStanding()
    /// In the list of those that the next tick looks at.
    var isDirty = false
    /// The tick at which place or time changed last.
    var movedTick = 0
    /// The tick at which it ceased to be present; after a log's length its number may be another's.
    var retiredTick = 0
    /// The number is free.
    var isFree = false
    /// The board's count of records when the last one came.
    var touched = 0
    /// The second at which its age is looked at next.
    var dueSecond: Int64 = 0
    /// The scope of the cell where it is shown.
    var cellScope: FeedScope?
    private var memberships: (cell: Int32, zone: Int32, whole: Int32) = (-1, -1, -1)

    init(id: [UInt8], quotedID: [UInt8], isWatched: Bool) {
        self.id = id
        self.quotedID = quotedID
        self.isWatched = isWatched
    }
    /// Where it stands among the members of a scope, −1 for nowhere.
    subscript(membership: FeedMembership) -> Int32 {
        @inline(__always) get {
            switch membership {
            case .cell: memberships.cell
            case .zone: memberships.zone
            case .whole: memberships.whole
            }
        }
        set {
            switch membership {
            case .cell: memberships.cell = newValue
            case .zone: memberships.zone = newValue
            case .whole: memberships.whole = newValue
            }
        }
    }
}

/// A vehicle has a place in one scope of each of these sorts; the last is the city, or the scope of its own.
enum FeedMembership { case cell, zone, whole }
