/// An event of the catalogue (config/contract/events.yaml).
public struct EventKind: Sendable, Equatable {
    /// As `ride.requested`.
    public let name: String
    public let fields: [String]
    /// Those of its fields that need the scope `events:personal`.
    public let personal: [String]
    /// The others.
    public let common: [String]
}

/// The city's events: their names, and what is known of their fields. Any thread.
public enum EventCatalogue {
    /// In the order of their names.
    public static let all: [EventKind] = rows.split(separator: "\n").map { row in
        let words = row.split(separator: " ")
        let fields = words.dropFirst()
        return EventKind(
            name: String(words[0]), fields: fields.map { String($0.last == "!" ? $0.dropLast() : $0) },
            personal: fields.filter { $0.last == "!" }.map { String($0.dropLast()) },
            common: fields.filter { $0.last != "!" }.map(String.init))
    }

    private static let places = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1.name, $0) })

    /// Nil: the catalogue has no such event.
    public static func kind(_ name: String) -> EventKind? { places[name].map { all[$0] } }

    /// The fields by which a filter chooses.
    static func fields(of filter: EventFilter.Name) -> [String] { byFilter[filter] ?? [] }

    private static let byFilter: [EventFilter.Name: [String]] = Dictionary(
        uniqueKeysWithValues: filterRows.split(separator: "\n").compactMap { row in
            let words = row.split(separator: " ").map(String.init)
            return EventFilter.Name(rawValue: words[0]).map { ($0, Array(words.dropFirst())) }
        })

    /// The names, or for a pattern the patterns, that look most like one that is unknown, the best first: at most three. Of a
    /// long one only the beginning is compared.
    public static func nearest(_ name: String) -> [String] {
        let words = name.split(separator: ".", omittingEmptySubsequences: false)
        let patterns = Set(all.compactMap { pattern(words, $0.name) })
        return NearestNames.of(name, among: patterns.isEmpty ? all.map(\.name) : patterns.sorted())
    }

    /// A name written with the `*` and `>` of a pattern in their places; nil: it has too few words, or too many.
    private static func pattern(_ words: [Substring], _ name: String) -> String? {
        let its = name.split(separator: ".")
        guard words.last == ">" ? its.count >= words.count : its.count == words.count else { return nil }
        return zip(words, its).map { $0 == "*" || $0 == ">" ? $0 : $1 }.joined(separator: ".")
    }
}

/// Which of some names were probably meant.
enum NearestNames {
    private static let most = 3
    private static let longest = 40

    /// Those that take the fewest letters to be changed, left out or put in; of the same family before others that are as near.
    static func of(_ name: String, among names: [String]) -> [String] {
        let wanted = Array(name.utf8.prefix(longest))
        let family = wanted.prefix { $0 != UInt8(ascii: ".") }
        let rated = names.map { known in
            let bytes = Array(known.utf8)
            let isFamily = bytes.prefix { $0 != UInt8(ascii: ".") } == family
            return (known, distance(wanted, bytes), isFamily)
        }
        let ordered = rated.sorted { ($0.1, $0.2 ? 0 : 1, $0.0) < ($1.1, $1.2 ? 0 : 1, $1.0) }
        let near = ordered.filter { $0.1 <= max(2, wanted.count / 2) }
        return (near.isEmpty ? ordered : near).prefix(most).map(\.0)
    }

    /// How many bytes have to be changed, put in or left out (Levenshtein).
    static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        // One line of the table of both, and what stood above and to the left.
        var line = Array(0...other.count)
        for (row, byte) in one.enumerated() {
            var corner = line[0]
            line[0] = row + 1
            for column in other.indices {
                let above = line[column + 1]
                line[column + 1] = min(corner + (byte == other[column] ? 0 : 1), above + 1, line[column] + 1)
                corner = above
            }
        }
        return line[other.count]
    }
}
