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

    /// Takes in a record from the channel of one vehicle: for the unit of that vehicle only. Ignored if that is not
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
            soil(UInt32(number))
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
        soil(number)
    }

    /// The next tick looks at it.
    @inline(__always)
    func soil(_ number: UInt32) {
        guard !vehicles[Int(number)].isDirty else { return }
        vehicles[Int(number)].isDirty = true
        dirty.append(number)
    }

    /// Makes a record a vehicle's live state. Whatever becomes of it, a number that was given out for it is looked at
    /// by the next tick, which takes back the numbers of those who aren't there.
    @inline(__always)
    func take(_ fields: FeedFields, number: UInt32, cell: CellID, zone: (GeoPoint) -> Int32) {
        let index = Int(number)
        let old = vehicles[index].live
        let silence = second &* 1000 &- fields.heard
        let isOlder = fields.heard < old.heard || (fields.heard == old.heard && fields.at < old.at)
        guard !isOlder, silence <= rules.expireAfterMs else {
            if !old.isPresent { soil(number) }
            return
        }
        touches += 1
        vehicles[index].touched = touches
        let (lat5, lon5) = (Self.units(fields.lat), Self.units(fields.lon))
        let heading = Self.heading(fields.heading)
        let freshness: Freshness = silence > rules.staleAfterMs ? .stale : .live
        let isElsewhere = lat5 != old.lat5 || lon5 != old.lon5 || cell != old.cell || !old.isPresent
        let isSame =
            !isElsewhere && heading == old.heading && fields.at == old.at && fields.state == old.traits.state
            && fields.kind == old.traits.kind && fields.seats == old.traits.seats && freshness == old.traits.freshness
            && Self.isSame(old.traits.route, fields.route)
        vehicles[index].live.heard = fields.heard
        if isSame { return }
        soil(number)
        vehicles[index].live.isPresent = true
        vehicles[index].live.cell = cell
        vehicles[index].live.lat5 = lat5
        vehicles[index].live.lon5 = lon5
        vehicles[index].live.heading = heading
        vehicles[index].live.at = fields.at
        vehicles[index].live.traits.state = fields.state
        vehicles[index].live.traits.kind = fields.kind
        vehicles[index].live.traits.seats = fields.seats
        vehicles[index].live.traits.freshness = freshness
        if !Self.isSame(old.traits.route, fields.route) {
            vehicles[index].live.traits.route =
                fields.route.isEmpty ? nil : String(decoding: fields.route, as: UTF8.self)
        }
        if isElsewhere { vehicles[index].live.zone = zone(GeoPoint(lat: fields.lat, lon: fields.lon)) }
        if !old.isPresent || (freshness == .live && old.traits.freshness == .stale) { schedule(number) }
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
