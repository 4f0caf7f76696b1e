/// Numbers: given out, found, and taken back.
extension FeedBoard {
    /// Vehicles that are present now, by cells or by themselves.
    public var count: Int { vehicles.reduce(0) { $0 + ($1.live.isPresent ? 1 : 0) } }

    @inline(__always)
    func withBytes<Result>(of id: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var id = id
        return id.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    /// The number of an id, or 0, and its hash.
    @inline(__always)
    func find(_ id: UnsafeRawBufferPointer, in index: FeedIndex) -> (number: UInt32, hash: UInt32) {
        let hash = index.hash(id)
        return (index.find(id, hash: hash, in: vehicles), hash)
    }

    /// The number of an id, given to it now if it has none.
    @inline(__always)
    func intern(_ id: UnsafeRawBufferPointer, isWatched: Bool) -> UInt32 {
        let (number, hash) = isWatched ? find(id, in: watched) : find(id, in: followed)
        return number != 0 ? number : add(id, hash: hash, isWatched: isWatched)
    }

    private func add(_ id: UnsafeRawBufferPointer, hash: UInt32, isWatched: Bool) -> UInt32 {
        var quoted: [UInt8] = []
        quoted.appendQuoted(String(decoding: id, as: UTF8.self))
        let vehicle = FeedVehicle(id: [UInt8](id), quotedID: quoted, isWatched: isWatched)
        let number: UInt32
        if let last = free.popLast() {
            number = last
            vehicles[Int(number)] = vehicle
        } else {
            number = UInt32(vehicles.count)
            vehicles.append(vehicle)
            marks.append(0)
            firsts.append(0)
        }
        if isWatched {
            watched.insert(hash: hash, number: number)
        } else {
            followed.insert(hash: hash, number: number)
        }
        return number
    }

    /// Lets the number be another's when all logs have forgotten it, unless the vehicle comes back before.
    func retire(_ number: UInt32) {
        vehicles[Int(number)].retiredTick = tick
        retired.append((number, tick))
    }

    /// Frees the numbers of those who have been away for longer than any log goes back.
    func reclaim() {
        while retiredHead < retired.count, retired[retiredHead].tick < tick - rules.logTicks {
            let (number, since) = retired[retiredHead]
            retiredHead += 1
            let index = Int(number)
            guard !vehicles[index].isFree, !vehicles[index].live.isPresent, !vehicles[index].shown.isPresent,
                !vehicles[index].isDirty, vehicles[index].retiredTick == since, own[number] == nil
            else { continue }
            let isWatched = vehicles[index].isWatched
            let hash = vehicles[index].id.withUnsafeBytes { isWatched ? watched.hash($0) : followed.hash($0) }
            if isWatched {
                watched.remove(hash: hash, number: number)
            } else {
                followed.remove(hash: hash, number: number)
            }
            vehicles[index] = FeedVehicle(id: [], quotedID: [], isWatched: false)
            vehicles[index].isFree = true
            free.append(number)
        }
        if retiredHead > 64, retiredHead * 2 > retired.count {
            retired.removeFirst(retiredHead)
            retiredHead = 0
        }
    }
}
