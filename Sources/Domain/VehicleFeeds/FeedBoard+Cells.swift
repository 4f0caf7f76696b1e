/// The state of whole cells.
extension FeedBoard {
    /// To be called when the state of a cell is asked of Redis: what the cell's channel tells from now on stands
    /// against the answer, which `replace` takes in.
    public func willRead(cell: CellID) { readings[cell] = FeedReading(since: touches) }

    /// Takes in the state of a cell as Redis had it: who is not in it is gone, but for what was told since `willRead`.
    public func replace(cell: CellID, with state: [(record: FeedRecord, zone: String?)]) {
        replace(cell) { take in
            for (record, zone) in state {
                let zone = zone.map(zoneNumber) ?? -1
                FeedFields.with(record) { take($0, zone) }
            }
        }
    }

    /// The same from lines as they are published. Gives back how many could not be read.
    @discardableResult
    public func replace(cell: CellID, lines: UnsafeRawBufferPointer, zoneOf: (GeoPoint) -> String?) -> Int {
        var skipped = 0
        replace(cell) { take in
            skipped = FeedFields.read(lines) { line in
                guard case .vehicle(let fields) = line else { return }
                take(fields, zone(at: GeoPoint(lat: fields.lat, lon: fields.lon), zoneOf))
            }
        }
        return skipped
    }

    /// To be called when cells are followed no more: their vehicles are unknown from now on. What has come in since the last tick is
    /// looked through once, however many cells they are.
    public func forget(_ forgotten: Set<CellID>) {
        for cell in forgotten {
            readings[cell] = nil
            for number in cells[cell]?.members ?? [] where isIn(number, cell) { remove(number) }
        }
        for number in dirty where isAnywhere(number) && forgotten.contains(vehicles[Int(number)].live.cell) {
            remove(number)
        }
    }

    /// To be called when the city is followed no more: only vehicles in cells that are followed stay known.
    public func forgetCells(where isUnknown: (CellID) -> Bool) {
        for number in vehicles.indices
        where vehicles[number].live.isPresent && !vehicles[number].isWatched && isUnknown(vehicles[number].live.cell) {
            remove(UInt32(number))
        }
    }

    private func replace(_ cell: CellID, _ records: ((FeedFields, Int32) -> Void) -> Void) {
        let reading = readings.removeValue(forKey: cell)
        stamp += 1
        let seen = stamp
        records { fields, zone in
            if let reading, reading.left.contains(String(decoding: fields.id, as: UTF8.self)) { return }
            let number = intern(fields.id, isWatched: false)
            marks[Int(number)] = seen
            // The channel has told of it since: that is newer, whatever its times say.
            if let reading, vehicles[Int(number)].touched > reading.since { return }
            take(fields, number: number, cell: cell) { _ in zone }
        }
        for number in inhabitants(of: cell) where marks[Int(number)] != seen {
            if let reading, vehicles[Int(number)].touched > reading.since { continue }
            remove(number)
        }
    }

    /// Vehicles whose live state is in a cell: those that are shown there, and those that the next tick will show.
    private func inhabitants(of cell: CellID) -> [UInt32] {
        let shown = cells[cell]?.members ?? []
        return shown.filter { isIn($0, cell) }
            + dirty.filter {
                isIn($0, cell) && !(vehicles[Int($0)].shown.isPresent && vehicles[Int($0)].shown.cell == cell)
            }
    }

    @inline(__always)
    private func isIn(_ number: UInt32, _ cell: CellID) -> Bool {
        vehicles[Int(number)].live.cell == cell && isAnywhere(number)
    }

    /// In some cell, as far as is known now.
    @inline(__always)
    private func isAnywhere(_ number: UInt32) -> Bool {
        vehicles[Int(number)].live.isPresent && !vehicles[Int(number)].isWatched
    }
}
