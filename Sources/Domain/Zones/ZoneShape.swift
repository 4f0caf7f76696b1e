/// A zone as it was read: its rings in degrees, still unchecked.
public struct ZoneShape: Equatable, Sendable {
    public var id: String
    /// For people; the id when the source gives none.
    public var name: String
    /// Per polygon its rings, the outer one first; each ring ends with its first point again, as in GeoJSON.
    public var polygons: [[[GeoPoint]]]

    public init(id: String, name: String? = nil, polygons: [[[GeoPoint]]]) {
        self.id = id
        self.name = name ?? id
        self.polygons = polygons
    }
}

/// Something that makes a set of zones unfit, said so that its owner can find and mend it.
public struct ZoneProblem: Equatable, Sendable, CustomStringConvertible {
    public enum Kind: String, Sendable {
        case notGeoJSON, noZones, missingID, duplicateID, unknownPriority
        case notClosed, tooFewPoints, outOfRange, swapped, farAway, tooLarge
        case selfIntersection, misplacedHole, empty, overlap, tooIntricate
    }

    public var kind: Kind
    /// The zone's id; nil when the whole file is meant.
    public var zone: String?
    /// What is wrong, with coordinates as "lat, lon".
    public var text: String
    /// Loading with repair mends this.
    public var isRepairable: Bool

    public var description: String {
        let place = zone.map { "zone \"\($0)\": " } ?? ""
        return place + text + (isRepairable ? " (repair mends this)" : "")
    }
}

/// What a repairing load changed, zone by zone.
public struct ZoneRepair: Equatable, Sendable, CustomStringConvertible {
    public var zone: String
    public var text: String

    public var description: String { "zone \"\(zone)\": \(text)" }
}

/// A set of zones was refused: everything that is wrong with it.
public struct ZoneSetError: Error, Equatable, Sendable, CustomStringConvertible {
    public var problems: [ZoneProblem]

    public init(_ problems: [ZoneProblem]) { self.problems = problems }

    /// A line each for the first hundred, and how many more there are.
    public var description: String { lines.joined(separator: "\n") }

    public var lines: [String] { Self.lines(problems) }

    public static func lines(_ found: [some CustomStringConvertible]) -> [String] {
        let first = found.prefix(100)
        let more = found.count - first.count
        return first.map(\.description) + (more > 0 ? ["and \(more) more"] : [])
    }
}

/// How a set of zones is read, checked and repaired.
public struct ZoneOptions: Sendable {
    /// The property that holds a zone's id; nil: the feature's `id`, else `id`, `ID_NIL` or `name`.
    public var idProperty: String?
    /// The property that holds a zone's name; nil: `name`, `NIL`, `title`, else the id.
    public var nameProperty: String?
    /// Mend what can be mended, and tell it in `ZoneSet.repairs`, rather than refuse.
    public var repair = false
    /// Two zones may overlap by so much before it is a fault, square metres: drawn borders never fit to the centimetre.
    /// Such slivers belong to the zone that is first by order.
    public var overlapTolerance = 1000.0
    /// The ids of zones that take precedence where zones overlap, first one first; the others follow in the file's order.
    public var priority: [String] = []
    /// A point no zone claims, but this near to a border, metres, belongs to the nearest zone. Closes the hair-wide gaps
    /// of rounding, and makes the outer border part of the city. At most 100; 0 for borders
    /// as they are, of which the western and southern ones belong to the city.
    public var reach = 0.2
    /// Where the city should be; zones more than 200 km away are refused. Nil: not checked.
    public var near: GeoPoint?

    public init() {}
}
