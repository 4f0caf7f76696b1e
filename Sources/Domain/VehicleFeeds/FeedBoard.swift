/// All vehicles that a worker hears of, and what each unit that is watched has to tell of them.
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
    var cells: [CellID: FeedUnit] = [:]
    /// Zones that were ever spoken of; a vehicle has the number of its zone.
    var zoneNumbers: [String: Int32] = [:]
    var zones: [FeedUnit?] = []
    var zonesWatched = 0
    var city: FeedUnit?
    /// By the number of the vehicle.
    var own: [UInt32: FeedUnit] = [:]

    /// Kept while somebody watches with a destination.
    var ways: PathIndex?

    var ages = AgeWheel()
    /// The second up to which vehicles have aged.
    var second: Int64 = 0
    /// Cells whose state is being read.
    var readings: [CellID: FeedReading] = [:]
    /// Records applied so far.
    var touches = 0

    /// Units with something in their caches.
    var cached: [FeedUnit] = []
    /// Room for `delta`: which vehicles were seen in the walk, and their first change after the reader's tick.
    var marks: [Int] = [0]
    var firsts: [Int32] = [0]
    var stamp = 0
    var touched: [UInt32] = []
    var changed: [FeedUnit] = []
    var parts: [FeedPiece] = []

    /// Whether any zone is retained; before the first one `zoneOf` is not asked, so the zones must be found by `rezone`.
    public var watchesZones: Bool { zonesWatched > 0 }

    public init(rules: FeedRules = FeedRules()) {
        self.rules = rules
        vehicles = [FeedVehicle(id: [], quotedID: [], isWatched: false)]
        vehicles[0].isFree = true
    }

    /// The unit of this key, kept up until as many releases. It begins with the vehicles that the board knows of.
    public func retain(_ key: FeedUnitKey) -> FeedUnit {
        let unit = unit(of: key)
        unit.watchers += 1
        if unit.watchers == 1 { unit.restart(tick: tick) }
        return unit
    }

    /// Ends one `retain`.
    public func release(_ unit: FeedUnit) {
        guard unit.watchers > 0 else { return }
        unit.watchers -= 1
        guard unit.watchers == 0 else { return }
        unit.restart(tick: tick)
        switch unit.key {
        case .cell(let cell): if unit.members.isEmpty { cells[cell] = nil }
        case .zone(let zone):
            zonesWatched -= 1
            if let number = zoneNumbers[zone] { zones[Int(number)] = nil }
            empty(unit)
        case .city:
            city = nil
            empty(unit)
        case .vehicle(let id): releaseOwn(id, unit)
        }
    }

    private func unit(of key: FeedUnitKey) -> FeedUnit {
        switch key {
        case .cell(let cell):
            return cellUnit(cell)
        case .zone(let zone):
            let number = zoneNumber(zone)
            if let unit = zones[Int(number)] { return unit }
            let unit = FeedUnit(key)
            zonesWatched += 1
            zones[Int(number)] = unit
            fill(unit) { $0.shown.zone == number }
            return unit
        case .city:
            if let city { return city }
            let unit = FeedUnit(key)
            city = unit
            fill(unit) { _ in true }
            return unit
        case .vehicle(let id):
            let number = withBytes(of: id) { intern($0, isWatched: true) }
            if let unit = own[number] { return unit }
            let unit = FeedUnit(key)
            own[number] = unit
            return unit
        }
    }

    func cellUnit(_ cell: CellID) -> FeedUnit {
        if let unit = cells[cell] { return unit }
        let unit = FeedUnit(.cell(cell))
        cells[cell] = unit
        return unit
    }

    func zoneNumber(_ zone: String) -> Int32 {
        if let number = zoneNumbers[zone] { return number }
        let number = Int32(zones.count)
        zoneNumbers[zone] = number
        zones.append(nil)
        return number
    }

    private func fill(_ unit: FeedUnit, where belongs: (borrowing FeedVehicle) -> Bool) {
        for number in vehicles.indices {
            guard vehicles[number].shown.isPresent, !vehicles[number].isWatched, belongs(vehicles[number]) else {
                continue
            }
            enter(UInt32(number), unit)
        }
    }

    private func empty(_ unit: FeedUnit) {
        for number in unit.members { vehicles[Int(number)][unit.seat] = -1 }
        unit.members = []
    }

    /// The vehicle is heard of no more.
    private func releaseOwn(_ id: String, _ unit: FeedUnit) {
        let number = withBytes(of: id) { find($0, in: watched).number }
        guard number != 0 else { return }
        own[number] = nil
        empty(unit)
        vehicles[Int(number)].live.isPresent = false
        vehicles[Int(number)].shown.isPresent = false
        retire(number)
    }

    func enter(_ number: UInt32, _ unit: FeedUnit) {
        vehicles[Int(number)][unit.seat] = Int32(unit.members.count)
        unit.members.append(number)
    }

    func leave(_ number: UInt32, _ unit: FeedUnit) {
        let place = Int(vehicles[Int(number)][unit.seat])
        guard place >= 0, place < unit.members.count, unit.members[place] == number else { return }
        vehicles[Int(number)][unit.seat] = -1
        let last = unit.members.removeLast()
        guard last != number else { return }
        unit.members[place] = last
        vehicles[Int(last)][unit.seat] = Int32(place)
    }
}
