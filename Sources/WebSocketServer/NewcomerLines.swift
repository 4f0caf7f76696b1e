internal import DequeModule

/// The connections of each address, of each network of IPv6 that has a limit, and of all, in the order in which they came, as long as nobody
/// knows whose they are; or those of guests, from their welcome on.
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

    /// nil: of all.
    private var lines: [PeerAddress?: Line] = [:]

    private static func keys(of address: PeerAddress) -> [PeerAddress?] {
        address.limitKeys.map { Optional($0.key) } + [nil]
    }

    /// Of all lines.
    var kept: Int { lines.values.reduce(0) { $0 + $1.ids.count } }

    mutating func append(_ id: ConnectionID, of address: PeerAddress, isNewcomer: (ConnectionID) -> Bool) {
        for key in Self.keys(of: address) {
            var line = lines.removeValue(forKey: key) ?? Line()
            if line.ids.count >= line.sweepAt {
                line.ids.removeAll { !isNewcomer($0) }
                line.sweepAt = max(Line.least, 2 * line.ids.count)
            }
            line.ids.append(id)
            lines[key] = line
        }
    }

    /// One of the address has left.
    mutating func trim(_ address: PeerAddress, isNewcomer: (ConnectionID) -> Bool) {
        for key in Self.keys(of: address) { trim(lineOf: key, isNewcomer) }
    }

    private mutating func trim(lineOf key: PeerAddress?, _ isNewcomer: (ConnectionID) -> Bool) {
        while let first = lines[key]?.ids.first, !isNewcomer(first) { lines[key]?.ids.removeFirst() }
        if lines[key]?.ids.isEmpty == true { lines[key] = nil }
    }

    /// The first that may leave of one of `limitKeys`, or of all (nil); if none may of those that are looked at, the one of them that weighs
    /// most, if any weighs something. It is in its line no more; those that are passed over come to its end.
    mutating func next(
        of key: PeerAddress?, isNewcomer: (ConnectionID) -> Bool, mayLeave: (ConnectionID) -> Bool = { _ in false },
        weight: (ConnectionID) -> Int = { _ in 0 }
    ) -> ConnectionID? {
        var heaviest: (id: ConnectionID?, weight: Int) = (nil, 0)
        for _ in 0..<Self.looks {
            // Those who left for room elsewhere in the network stand between others.
            trim(lineOf: key, isNewcomer)
            guard let id = lines[key]?.ids.popFirst() else { break }
            if mayLeave(id) { return id }
            let its = weight(id)
            if its > heaviest.weight { heaviest = (id, its) }
            lines[key]?.ids.append(id)
        }
        guard let id = heaviest.id, let place = lines[key]?.ids.lastIndex(of: id) else { return nil }
        lines[key]?.ids.remove(at: place)
        return id
    }

    /// One that `next` has given stays.
    mutating func putBack(_ id: ConnectionID, in key: PeerAddress?) { lines[key, default: Line()].ids.append(id) }
}
