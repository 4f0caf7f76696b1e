/// What can be watched as a whole: who is in it, and what changed in it over the last ticks.
///
/// It keeps two logs, newest last. A change (of membership or of traits) says how it was before, so that for any earlier
/// tick the first change after it tells what a reader knew then. A movement only says who and when; of those only the
/// latest of each vehicle counts, and the others are swept out.
public final class FeedScope {
    public let key: FeedScopeKey
    /// Which of a vehicle's memberships is the one here.
    let membership: FeedMembership
    /// How often it was retained. Nothing is logged for nobody.
    var watchers = 0
    /// Numbers of the vehicles that are shown to be in it.
    var members: [UInt32] = []
    private(set) var changes: [FeedChange] = []
    private(set) var moves: [FeedMove] = []
    /// The log tells all that changed after this tick.
    private(set) var completeSince = 0
    /// The last tick at which anything changed.
    private(set) var changedTick = 0
    /// What was encoded in this tick.
    var encodedRows = FeedCache<EncodedRows>()
    var messages = FeedCache<FeedMessage?>()
    /// Has something in the caches.
    var isCached = false
    /// Equal to the board's stamp while it is among the scopes in question.
    var mark = 0

    init(_ key: FeedScopeKey) {
        self.key = key
        membership =
            switch key {
            case .cell: .cell
            case .zone: .zone
            case .city, .vehicle: .whole
            }
    }

    /// A vehicle here may change its cell without leaving.
    var isWide: Bool { if case .cell = key { false } else { true } }

    /// Begins the log anew, complete from this tick on.
    func restart(tick: Int) {
        changes = []
        moves = []
        completeSince = tick
        changedTick = tick
        clearCaches()
    }

    func clearCaches() {
        encodedRows.removeAll()
        messages.removeAll()
        isCached = false
    }

    func note(_ change: FeedChange, logTicks: Int) {
        guard watchers > 0 else { return }
        if changes.count >= 256,
            changes.count >= 4 * members.count || changes[0].tick < change.tick - 2 * logTicks
        {
            trimChanges(tick: change.tick, logTicks: logTicks)
        }
        changes.append(change)
        changedTick = change.tick
    }

    func noteMove(of number: UInt32, tick: Int, in vehicles: ContiguousArray<FeedVehicle>) {
        guard watchers > 0 else { return }
        if moves.count >= 2 * members.count + 64 {
            moves.removeAll { !isLast($0, in: vehicles) }
        }
        moves.append(FeedMove(tick: tick, number: number))
        changedTick = tick
    }

    /// Whether a movement is the vehicle's latest.
    @inline(__always)
    private func isLast(_ move: FeedMove, in vehicles: ContiguousArray<FeedVehicle>) -> Bool {
        vehicles[Int(move.number)].movedTick == move.tick && has(move.number, in: vehicles)
    }

    /// Whether a vehicle is shown to be in it.
    @inline(__always)
    func has(_ number: UInt32, in vehicles: ContiguousArray<FeedVehicle>) -> Bool {
        let place = Int(vehicles[Int(number)][membership])
        return place >= 0 && place < members.count && members[place] == number
    }

    /// Drops half of the log, or more where it is older than the log goes.
    private func trimChanges(tick: Int, logTicks: Int) {
        var keep = changes.count >= 4 * members.count ? changes.count / 2 : 0
        while keep < changes.count, changes[keep].tick <= tick - logTicks { keep += 1 }
        guard keep > 0 else { return }
        completeSince = max(completeSince, changes[keep - 1].tick)
        changes.removeFirst(keep)
    }
}

/// A vehicle came, went, or changed in more than place and time.
struct FeedChange {
    let tick: Int
    let number: UInt32
    /// How it was before.
    let before: FeedBefore
}

/// What a reader of a scope could know of a vehicle before it changed.
struct FeedBefore {
    let isMember: Bool
    let cell: CellID
    let traits: FeedTraits
}

/// A vehicle changed in place or time.
struct FeedMove {
    let tick: Int
    let number: UInt32
}
