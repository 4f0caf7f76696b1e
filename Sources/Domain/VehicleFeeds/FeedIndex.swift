import Glibc

/// Finds a vehicle's number by the bytes of its id, without a String: open addressing, linear probing.
struct FeedIndex {
    /// The upper half of the hash, and the number; 0 is free.
    private var slots: [(hash: UInt32, number: UInt32)] = Array(repeating: (0, 0), count: 64)
    private(set) var count = 0
    /// Ids come from tokens, and yet nobody should be able to make them meet in one slot.
    private let seed = UInt64.random(in: 1...UInt64.max) | 1

    @inline(__always)
    func hash(_ id: UnsafeRawBufferPointer) -> UInt32 {
        var hash = seed &+ UInt64(truncatingIfNeeded: id.count)
        var offset = 0
        while offset < id.count {
            var word: UInt64 = 0
            withUnsafeMutableBytes(of: &word) { target in
                let part = min(8, id.count - offset)
                target.copyMemory(from: UnsafeRawBufferPointer(rebasing: id[offset..<(offset + part)]))
            }
            let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            hash = product.high ^ product.low ^ seed
            offset += 8
        }
        return UInt32(truncatingIfNeeded: hash >> 32 ^ hash)
    }

    /// The number of the id, or 0.
    @inline(__always)
    func find(_ id: UnsafeRawBufferPointer, hash: UInt32, in vehicles: ContiguousArray<FeedVehicle>) -> UInt32 {
        let mask = slots.count - 1
        var slot = Int(hash) & mask
        while slots[slot].number != 0 {
            if slots[slot].hash == hash, Self.isSame(vehicles[Int(slots[slot].number)].id, id) {
                return slots[slot].number
            }
            slot = (slot + 1) & mask
        }
        return 0
    }

    /// Adds an id that is not in it.
    mutating func insert(hash: UInt32, number: UInt32) {
        if (count + 1) * 2 > slots.count {
            let old = slots
            slots = Array(repeating: (0, 0), count: old.count * 2)
            for entry in old where entry.number != 0 { place(entry) }
        }
        place((hash, number))
        count += 1
    }

    /// Takes a number out; what stands behind it moves up, so that no search ends too early.
    mutating func remove(hash: UInt32, number: UInt32) {
        let mask = slots.count - 1
        var hole = Int(hash) & mask
        while slots[hole].number != number {
            if slots[hole].number == 0 { return }
            hole = (hole + 1) & mask
        }
        count -= 1
        var next = (hole + 1) & mask
        while slots[next].number != 0 {
            let home = Int(slots[next].hash) & mask
            if (next - home) & mask >= (next - hole) & mask {
                slots[hole] = slots[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        slots[hole] = (0, 0)
    }

    private mutating func place(_ entry: (hash: UInt32, number: UInt32)) {
        let mask = slots.count - 1
        var slot = Int(entry.hash) & mask
        while slots[slot].number != 0 { slot = (slot + 1) & mask }
        slots[slot] = entry
    }

    @inline(__always)
    private static func isSame(_ known: [UInt8], _ id: UnsafeRawBufferPointer) -> Bool {
        guard known.count == id.count, let base = id.baseAddress else { return false }
        return known.withUnsafeBytes { memcmp($0.baseAddress!, base, id.count) == 0 }
    }
}
