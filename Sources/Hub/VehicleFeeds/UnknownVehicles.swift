import Wire

/// How many vehicles are followed at this worker of which Redis knows nothing. One may come on duty later, but an id may be invented, too, and
/// each costs this worker some 2 KB and Redis a place among those that are awaited. It counts for who followed it first, from then on, as
/// until it has been read nobody knows, and until it is known or left.
struct UnknownVehicles {
    /// Of one person, whichever of its connections here follows them: as many as a connection may follow at all.
    static let mostOfOne = WireLimits.feedChannels
    /// Of all guests of one network, each of whom may be a new one in a moment; and of an operator or a service, who speaks for many.
    static let mostTogether = 100
    /// Of all clients of a worker.
    static let mostInAll = 10_000

    private(set) var count = 0
    private var counts: [String: Int] = [:]

    /// Whether one more may turn out to be unknown.
    /// - Parameters:
    ///   - key: whose it would be, as of its ``Budget``.
    ///   - group: a guest's network.
    func hasRoom(for key: String, in group: String?) -> Bool {
        count < Self.mostInAll && counts[key, default: 0] < Self.most(of: key)
            && group.map { counts[$0, default: 0] < Self.mostTogether } ?? true
    }

    mutating func add(for key: String, in group: String?) {
        count += 1
        counts[key, default: 0] += 1
        if let group { counts[group, default: 0] += 1 }
    }

    /// Takes back one `add`.
    mutating func remove(for key: String, in group: String?) {
        count -= 1
        takeOne(of: key)
        if let group { takeOne(of: group) }
    }

    private mutating func takeOne(of key: String) {
        guard let known = counts[key] else { return }
        counts[key] = known > 1 ? known - 1 : nil
    }

    private static func most(of key: String) -> Int {
        let role = Role(rawValue: String(key.prefix { $0 != ":" }))
        return role == .operator || role == .service ? mostTogether : mostOfOne
    }
}
