/// All vehicles that a worker hears of, and what each scope that is watched has to tell of them.
///
/// Not safe across threads: one per worker, on its loop. Records are applied as they come; `advance` freezes a tick;
/// then `update` says what a subscription is to be sent. What readers are told is always the last frozen state, so that
/// every reader that was sent a tick knows the same. Nothing is encoded twice, and nothing is logged for nobody.
public final class FeedBoard {
    public let rules: FeedRules
    /// The number of the last tick.
    public internal(set) var tick = 0
    /// The payload of the last `FeedOutput.own`.
    public internal(set) var scratch: [UInt8] = []
    /// The time of the last tick, Unix milliseconds: `time` in its messages.
    public internal(set) var now: Int64 = 0

    /// By number. There is no vehicle 0.
    var vehicles: ContiguousArray<FeedVehicle>
    /// Vehicles told of by cells, and those that are watched by themselves: the latter have numbers of their own.
    var followed = FeedIndex()
    var watched = FeedIndex()
    /// Vehicles that the next tick looks at.
    var dirty: [UInt32] = []
    /// Who ceased to be present, oldest first, with the tick; the number is free when no log knows of it.
    var retired: [(number: UInt32, tick: Int)] = []
    var retiredHead = 0
    var free: [UInt32] = []

    /// Cells that are watched or have vehicles.
    var cells: [CellID: FeedScope] = [:]
    /// Zones that were ever spoken of; a vehicle has the number of its zone.
    var zoneNumbers: [String: Int32] = [:]
    var zones: [FeedScope?] = []
    var zonesWatched = 0
    var city: FeedScope?
    /// By the number of the vehicle.
    var own: [UInt32: FeedScope] = [:]

    /// Kept while somebody watches with a destination.
    var ways: PathIndex?

    var ages = AgeWheel()
    /// The second up to which vehicles have aged.
    var second: Int64 = 0
    /// Cells whose state is being read.
    var readings: [CellID: FeedReading] = [:]
    /// Records applied so far.
    var touches = 0

    /// Scopes with something in their caches.
    var cached: [FeedScope] = []
    /// Room for `delta`: which vehicles were seen in the walk, and their first change after the reader's tick.
    var marks: [Int] = [0]
    var firsts: [Int32] = [0]
    var stamp = 0
    var touched: [UInt32] = []
    var changed: [FeedScope] = []
    var parts: [EncodedRows] = []

    /// Whether any zone is retained; before the first one `zoneOf` is not asked, so the zones must be found by `rezone`.
    public var watchesZones: Bool { zonesWatched > 0 }

    public init(rules: FeedRules = FeedRules()) {
        self.rules = rules
        vehicles = [FeedVehicle(id: [], quotedID: [], isWatched: false)]
        vehicles[0].isFree = true
    }

    /// The scope of this key, kept up until as many releases. It begins with the vehicles that the board knows of.
    public func retain(_ key: FeedScopeKey) -> FeedScope {
        let scope = scope(of: key)
        scope.watchers += 1
        if scope.watchers == 1 { scope.restart(tick: tick) }
        return scope
    }

    /// Ends one `retain`.
    public func release(_ scope: FeedScope) {
        guard scope.watchers > 0 else { return }
        scope.watchers -= 1
        guard scope.watchers == 0 else { return }
        scope.restart(tick: tick)
        switch scope.key {
        case .cell(let cell): if scope.members.isEmpty { cells[cell] = nil }
        case .zone(let zone):
            zonesWatched -= 1
            if let number = zoneNumbers[zone] { zones[Int(number)] = nil }
            empty(scope)
        case .city:
            city = nil
            empty(scope)
        case .vehicle(let id): releaseOwn(id, scope)
        }
    }

    private func scope(of key: FeedScopeKey) -> FeedScope {
        switch key {
        case .cell(let cell):
            return cellScope(cell)
        case .zone(let zone):
            let number = zoneNumber(zone)
            if let scope = zones[Int(number)] { return scope }
            let scope = FeedScope(key)
            zonesWatched += 1
            zones[Int(number)] = scope
            fill(scope) { $0.shown.zone == number }
            return scope
        case .city:
            if let city { return city }
            let scope = FeedScope(key)
            city = scope
            fill(scope) { _ in true }
            return scope
        case .vehicle(let id):
            let number = withBytes(of: id) { intern($0, isWatched: true) }
            if let scope = own[number] { return scope }
            let scope = FeedScope(key)
            own[number] = scope
            return scope
        }
    }

    public func hasVehicles(in cell: CellID) -> Bool { cells[cell]?.members.isEmpty == false }

    func cellScope(_ cell: CellID) -> FeedScope {
        if let scope = cells[cell] { return scope }
        let scope = FeedScope(.cell(cell))
        cells[cell] = scope
        return scope
    }

    func zoneNumber(_ zone: String) -> Int32 {
        if let number = zoneNumbers[zone] { return number }
        let number = Int32(zones.count)
        zoneNumbers[zone] = number
        zones.append(nil)
        return number
    }

    private func fill(_ scope: FeedScope, where belongs: (borrowing FeedVehicle) -> Bool) {
        for number in vehicles.indices {
            guard vehicles[number].shown.isPresent, !vehicles[number].isWatched, belongs(vehicles[number]) else {
                continue
            }
            enter(UInt32(number), scope)
        }
    }

    private func empty(_ scope: FeedScope) {
        for number in scope.members { vehicles[Int(number)][scope.membership] = -1 }
        scope.members = []
    }

    /// The vehicle is heard of no more.
    private func releaseOwn(_ id: String, _ scope: FeedScope) {
        let number = withBytes(of: id) { find($0, in: watched).number }
        guard number != 0 else { return }
        own[number] = nil
        empty(scope)
        vehicles[Int(number)].live.isPresent = false
        vehicles[Int(number)].shown.isPresent = false
        retire(number)
    }

    func enter(_ number: UInt32, _ scope: FeedScope) {
        vehicles[Int(number)][scope.membership] = Int32(scope.members.count)
        scope.members.append(number)
    }

    func leave(_ number: UInt32, _ scope: FeedScope) {
        let place = Int(vehicles[Int(number)][scope.membership])
        guard place >= 0, place < scope.members.count, scope.members[place] == number else { return }
        vehicles[Int(number)][scope.membership] = -1
        let last = scope.members.removeLast()
        guard last != number else { return }
        scope.members[place] = last
        vehicles[Int(last)][scope.membership] = Int32(place)
    }
}
