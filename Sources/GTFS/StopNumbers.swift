/// The numbers of stops by their ids, as bytes: stop_times.txt asks for millions, and making a text of each to look it up
/// takes four times as long.
///
/// Open addressing; half of the places at most are taken.
struct StopNumbers {
    /// -1: free.
    private var places: [Int32]
    /// All ids, one behind the other, and where each ends.
    private var bytes: [UInt8] = []
    private var ends: [Int] = [0]

    /// `ids` are all different; the number of each is its index.
    init(_ ids: [String]) {
        var size = 16
        while size < ids.count * 2 { size *= 2 }
        places = [Int32](repeating: -1, count: size)
        for (number, id) in ids.enumerated() {
            let id = Array(id.utf8)
            places[place(of: id.span)] = Int32(number)
            bytes += id
            ends.append(bytes.count)
        }
    }

    subscript(id: Span<UInt8>) -> Int? {
        let number = places[place(of: id)]
        return number < 0 ? nil : Int(number)
    }

    /// Where the id is, or would be.
    private func place(of id: Span<UInt8>) -> Int {
        var place = Int(truncatingIfNeeded: Self.hash(id)) & (places.count - 1)
        while places[place] >= 0, !isSame(Int(places[place]), id) { place = (place + 1) & (places.count - 1) }
        return place
    }

    /// As FNV-1a, by eight bytes. Who makes a feed so that its ids collide only makes the own import slow.
    private static func hash(_ id: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        let words = id.count / 8
        for word in 0..<words {
            let value = id.bytes.unsafeLoadUnaligned(fromByteOffset: word * 8, as: UInt64.self)
            hash = (hash ^ value) &* 0x9e37_79b9_7f4a_7c15
            hash ^= hash >> 29
        }
        for index in (words * 8)..<id.count { hash = (hash ^ UInt64(id[index])) &* 0x100_0000_01b3 }
        hash &*= 0x9e37_79b9_7f4a_7c15
        return hash ^ hash >> 32
    }

    private func isSame(_ number: Int, _ id: Span<UInt8>) -> Bool {
        let start = ends[number]
        guard ends[number + 1] - start == id.count else { return false }
        for index in id.indices where bytes[start + index] != id[index] { return false }
        return true
    }
}
