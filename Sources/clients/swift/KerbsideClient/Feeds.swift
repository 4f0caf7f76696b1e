/// A vehicle that a feed shows.
public struct Vehicle: Sendable, Hashable, Identifiable {
    public enum State: String, Sendable { case available, busy, unavailable }
    public enum Kind: String, Sendable { case taxi, minibus, bus }

    public let id: String
    public internal(set) var lat: Double
    public internal(set) var lon: Double
    /// Degrees from north.
    public internal(set) var heading: Double?
    public let state: State
    /// Free ones.
    public let seats: Int?
    /// When the fix was taken, Unix ms.
    public internal(set) var at: Int
    /// Whether its fix is too old to go by.
    public let isStale: Bool
    public let kind: Kind
    public let route: String?

    /// A whole row: id, lat, lon, heading, state, seats, at, freshness, kind, route. Nil if it is none.
    init?(_ row: [JSON]) {
        guard row.count > 6, let id = row[0].string, let lat = row[1].double, let lon = row[2].double,
            let state = State(rawValue: row[4].string ?? ""), let at = row[6].int
        else { return nil }
        self.id = id
        self.lat = lat
        self.lon = lon
        heading = row[3].double
        self.state = state
        seats = row[5].int
        self.at = at
        isStale = row.count > 7 && row[7].string == "stale"
        kind = row.count > 8 ? Kind(rawValue: row[8].string ?? "") ?? .taxi : .taxi
        route = row.count > 9 ? row[9].string : nil
    }
}

/// Whether a channel shows vehicles.
func isFeed(_ channel: String) -> Bool {
    channel == "near" || channel == "city" || channel.hasPrefix("zone:") || channel.hasPrefix("vehicle:")
}

/// Feeds of vehicles, each by the rules of the contract, merged into one map. Pure. Rules in brackets are those of
/// ../../behaviour.md.
struct Vehicles {
    /// id → vehicle, of all feeds together.
    private(set) var all: [String: Vehicle] = [:]
    /// channel → id → vehicle
    private var feeds: [String: [String: Vehicle]] = [:]

    /// Those that show something.
    var channels: [String] { Array(feeds.keys) }

    /// Applies a `snapshot` or `positions`. The ids that have changed or gone.
    mutating func apply(_ message: Message) -> [String] {
        let channel = message.channel
        var changed: Set<String> = []
        if message.type == "snapshot" {
            changed.formUnion(feeds[channel, default: [:]].keys)
            feeds[channel] = [:]
        } else if feeds[channel] == nil {
            // Nothing can be made of changes to what is not known [F2].
            return []
        }
        for id in message.gone {
            feeds[channel]?[id] = nil
            changed.insert(id)
        }
        for row in message.data.array ?? [] {
            if let id = apply(row.array ?? [], of: message) { changed.insert(id) }
        }
        return merge(changed)
    }

    /// The vehicle of a row, if something can be made of it.
    private mutating func apply(_ row: [JSON], of message: Message) -> String? {
        if row.count > 5 {
            guard let vehicle = Vehicle(row) else { return nil }
            feeds[message.channel]?[vehicle.id] = vehicle
            return vehicle.id
        }
        guard row.count == 5, let id = row[0].string, var vehicle = feeds[message.channel]?[id],
            let lat = row[1].double, let lon = row[2].double, let age = row[4].int
        else { return nil }
        vehicle.lat = lat
        vehicle.lon = lon
        vehicle.heading = row[3].double
        vehicle.at = message.time - age
        feeds[message.channel]?[id] = vehicle
        return id
    }

    /// A feed is not followed any more.
    mutating func leave(_ channel: String) -> [String] {
        merge(Set(feeds.removeValue(forKey: channel, default: [:]).keys))
    }

    /// Of several feeds the newest row counts [F4].
    private mutating func merge(_ ids: Set<String>) -> [String] {
        for id in ids {
            all[id] = feeds.values.compactMap { $0[id] }.max { $0.at < $1.at }
        }
        return Array(ids)
    }
}

extension Dictionary {
    fileprivate mutating func removeValue(forKey key: Key, default other: Value) -> Value {
        removeValue(forKey: key) ?? other
    }
}
