internal import DequeModule

/// The connections of each address in the order in which they came, as long as nobody knows whose they are.
///
/// Who has left, or is known by now, is dropped when it comes to the front, or when a line has doubled: each costs the same, however many there are.
struct NewcomerLines {
    private struct Line {
        var ids = Deque<ConnectionID>()
        var sweepAt = Self.least
        static let least = 32
    }

    /// How many of a line are looked at for one that may leave.
    private static let looks = 8

    private var lines: [PeerAddress: Line] = [:]

    /// Of all lines.
    var kept: Int { lines.values.reduce(0) { $0 + $1.ids.count } }

    mutating func append(_ id: ConnectionID, of address: PeerAddress, isNewcomer: (ConnectionID) -> Bool) {
        let key = address.limitKeys[0].key
        var line = lines.removeValue(forKey: key) ?? Line()
        if line.ids.count >= line.sweepAt {
            line.ids.removeAll { !isNewcomer($0) }
            line.sweepAt = max(Line.least, 2 * line.ids.count)
        }
        line.ids.append(id)
        lines[key] = line
    }

    /// One of the address has left.
    mutating func trim(_ address: PeerAddress, isNewcomer: (ConnectionID) -> Bool) {
        let key = address.limitKeys[0].key
        while let first = lines[key]?.ids.first, !isNewcomer(first) { lines[key]?.ids.removeFirst() }
        if lines[key]?.ids.isEmpty == true { lines[key] = nil }
    }

    /// The first of the address that may leave, and is in the line no more; those that are passed over come to its end.
    mutating func next(
        of address: PeerAddress, isNewcomer: (ConnectionID) -> Bool, mayLeave: (ConnectionID) -> Bool
    ) -> ConnectionID? {
        trim(address, isNewcomer: isNewcomer)
        let key = address.limitKeys[0].key
        for _ in 0..<Self.looks {
            guard let id = lines[key]?.ids.popFirst() else { return nil }
            if mayLeave(id) { return id }
            if isNewcomer(id) { lines[key]?.ids.append(id) }
        }
        return nil
    }
}
