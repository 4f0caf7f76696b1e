import Wire

/// A cell's state is being read of Redis.
struct FeedReading {
    /// Records that came later than this are newer than what will be read.
    let since: Int
    /// Ids that the cell's channel said to be gone in the meantime.
    var left: Set<String> = []
}

/// Records come in: into `live`, until a tick shows them.
extension FeedBoard {
    /// Takes in a record from the channel of a cell. One that is older (heard, then at) than what is known is ignored.
    public func apply(_ record: FeedRecord, cell: CellID, zone: String?) {
        let zone = zone.map(zoneNumber) ?? -1
        FeedFields.with(record) { fields in
            take(fields, number: intern(fields.id, isWatched: false), cell: cell) { _ in zone }
        }
    }

    /// Takes in a whole payload of the channel of a cell. `zoneOf` is asked only while a zone is watched and for
    /// vehicles that moved. Gives back how many lines could not be read.
    ///
    /// For a vehicle that is known nothing is allocated.
    @discardableResult
    public func apply(lines: UnsafeRawBufferPointer, cell: CellID, zoneOf: (GeoPoint) -> String?) -> Int {
        FeedFields.read(lines) { line in
            switch line {
            case .vehicle(let fields):
                take(fields, number: intern(fields.id, isWatched: false), cell: cell) { zone(at: $0, zoneOf) }
            case .gone(let id): left(id, cell: cell)
            }
        }
    }

    /// `G`: a vehicle is gone from that cell, if it still is there.
    public func left(_ id: String, cell: CellID) { withBytes(of: id) { left($0, cell: cell) } }

    /// Takes in a record from the channel of one vehicle: for the scope of that vehicle only. Ignored if that is not
    /// retained.
    public func applyWatched(_ record: FeedRecord) {
        FeedFields.with(record) { fields in
            let number = find(fields.id, in: watched).number
            guard number != 0, own[number] != nil else { return }
            take(fields, number: number, cell: CellGrid.cell(of: record.point)) { _ in -1 }
        }
    }

    /// The same from a payload of lines. Gives back how many could not be read.
    @discardableResult
    public func applyWatched(lines: UnsafeRawBufferPointer) -> Int {
        FeedLine.read(lines) { line in
            if case .vehicle(let record) = line { applyWatched(record) }
        }
    }

    /// Finds the zones of all vehicles anew: after the first zone is watched, and after a change of the zones.
    public func rezone(_ zoneOf: (GeoPoint) -> String?) {
        for number in vehicles.indices where vehicles[number].live.isPresent && !vehicles[number].isWatched {
            let (lat5, lon5) = (vehicles[number].live.lat5, vehicles[number].live.lon5)
            let zone = zoneOf(GeoPoint(lat: Double(lat5) / 1e5, lon: Double(lon5) / 1e5)).map(zoneNumber) ?? -1
            guard zone != vehicles[number].live.zone else { continue }
            vehicles[number].live.zone = zone
            markDirty(UInt32(number))
        }
    }

    @inline(__always)
    func zone(at point: GeoPoint, _ zoneOf: (GeoPoint) -> String?) -> Int32 {
        zonesWatched > 0 ? zoneOf(point).map(zoneNumber) ?? -1 : -1
    }

    func left(_ id: UnsafeRawBufferPointer, cell: CellID) {
        if !readings.isEmpty { readings[cell]?.left.insert(String(decoding: id, as: UTF8.self)) }
        let number = find(id, in: followed).number
        guard number != 0, vehicles[Int(number)].live.isPresent, vehicles[Int(number)].live.cell == cell else { return }
        remove(number)
    }

    func remove(_ number: UInt32) {
        vehicles[Int(number)].live.isPresent = false
        markDirty(number)
    }

    /// The next tick looks at it.
    @inline(__always)
    func markDirty(_ number: UInt32) {
        guard !vehicles[Int(number)].isDirty else { return }
        vehicles[Int(number)].isDirty = true
        dirty.append(number)
    }

    /// Makes a record a vehicle's live state. Whatever becomes of it, a number that was given out for it is looked at
    /// by the next tick, which takes back the numbers of those who aren't there.
    @inline(__always)
    func take(_ fields: FeedFields, number: UInt32, cell: CellID, zone: (GeoPoint) -> Int32) {
        let silence = second &* 1000 &- fields.heard
        let freshness: Freshness? =
            silence > rules.expireAfterMs ? nil : silence > rules.staleAfterMs ? .stale : .live
        let (outcome, isYounger) = vehicles[Int(number)].take(fields, freshness, cell: cell, zone: zone)
        let isFarther = outcome != .refused && vehicles[Int(number)].take(along: fields.along)
        // One that comes back, as it was, still has the places of an earlier index, or none.
        let isElsewhere = outcome == .traits || isFarther || (outcome == .moved && isYounger)
        if isElsewhere, ways != nil, !vehicles[Int(number)].isWatched { renewPlaces(number) }
        if outcome == .refused {
            if !vehicles[Int(number)].live.isPresent { markDirty(number) }
            return
        }
        touches += 1
        vehicles[Int(number)].touched = touches
        if outcome != .same { markDirty(number) }
        if isYounger { schedule(number) }
    }
}

extension FeedVehicle {
    /// How far along its way a record has it. False: as before.
    @inline(__always)
    mutating func take(along: UnsafeRawBufferPointer) -> Bool {
        if Self.isSame(self.along, along) { return false }
        self.along = String(decoding: along, as: UTF8.self)
        return true
    }

    /// `moved`: only in place and time.
    enum Outcome { case refused, same, moved, traits }

    /// Makes a record the live state, if it is not older than that. `freshness` is nil when it has expired. Says what
    /// came of it, and whether the vehicle is to be put into the wheel anew.
    @inline(__always)
    mutating func take(
        _ fields: FeedFields, _ freshness: Freshness?, cell: CellID, zone: (GeoPoint) -> Int32
    ) -> (outcome: Outcome, isYounger: Bool) {
        let isOlder = fields.heard < live.heard || (fields.heard == live.heard && fields.at < live.at)
        guard let freshness, !isOlder else { return (.refused, false) }
        let (lat5, lon5) = (Self.units(fields.lat), Self.units(fields.lon))
        let heading = Self.heading(fields.heading)
        let isElsewhere = lat5 != live.lat5 || lon5 != live.lon5 || cell != live.cell || !live.isPresent
        let isYounger = !live.isPresent || (freshness == .live && live.traits.freshness == .stale)
        live.heard = fields.heard
        let hasSameTraits =
            fields.state == live.traits.state && fields.kind == live.traits.kind && fields.seats == live.traits.seats
            && freshness == live.traits.freshness && Self.isSame(live.traits.route, fields.route)
        if !isElsewhere, heading == live.heading, fields.at == live.at, hasSameTraits { return (.same, isYounger) }
        live.isPresent = true
        live.cell = cell
        live.lat5 = lat5
        live.lon5 = lon5
        live.heading = heading
        live.at = fields.at
        if isElsewhere { live.zone = zone(GeoPoint(lat: fields.lat, lon: fields.lon)) }
        if hasSameTraits { return (.moved, isYounger) }
        live.traits = FeedTraits(
            state: fields.state, kind: fields.kind, freshness: freshness, seats: fields.seats,
            route: fields.route.isEmpty ? nil : String(decoding: fields.route, as: UTF8.self))
        return (.traits, isYounger)
    }

    /// Degrees in units of 1e-5.
    @inline(__always)
    private static func units(_ degrees: Double) -> Int32 {
        Int32(truncatingIfNeeded: Int64((degrees * 1e5).rounded()))
    }

    /// Whole degrees 0…359, −1 for none.
    @inline(__always)
    private static func heading(_ degrees: Double?) -> Int16 {
        guard let degrees, degrees.isFinite else { return -1 }
        let whole = degrees.rounded().truncatingRemainder(dividingBy: 360)
        return Int16(whole < 0 ? whole + 360 : whole)
    }

    @inline(__always)
    private static func isSame(_ route: String?, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let route else { return bytes.isEmpty }
        return route.utf8.count == bytes.count && route.utf8.elementsEqual(bytes)
    }
}
