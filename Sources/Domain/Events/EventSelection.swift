import Wire

/// What an event must name to be chosen: one of these zones, lines or vehicles.
public struct EventFilter: Hashable, Sendable {
    public enum Name: String, CaseIterable, Sendable {
        case zone, line, vehicle
    }

    public let name: Name
    public let ids: [String]
    /// The fields that are looked at.
    fileprivate let fields: [String]

    init(_ name: Name, _ ids: [String]) {
        self.name = name
        self.ids = ids
        fields = EventCatalogue.fields(of: name)
    }
}

/// Which events a reader wants: `ride.*`, `stop.>?line=52`, `offer.made?zone=14,15&vehicle=T345`. Any thread.
public struct EventSelection: Hashable, Sendable {
    public let pattern: EventPattern
    /// Each at most once; an event must pass all of them.
    public let filters: [EventFilter]

    /// Why a text chooses nothing.
    public struct Problem: Error, Equatable {
        /// The pattern that is well written, but means no event.
        private let unknown: String?
        private let text: String

        /// It is well written, but there is no such event.
        public var isUnknown: Bool { unknown != nil }
        /// A sentence that says what to write instead. Dear, where it must look for what is nearest.
        public var detail: String {
            guard let unknown else { return text }
            let near = EventCatalogue.nearest(unknown).joined(separator: ", ")
            return "there is no event \(unknown); the nearest are \(near)"
        }

        init(_ text: String) { (unknown, self.text) = (nil, text) }

        init(unknown pattern: String) { (unknown, text) = (pattern, "") }
    }

    /// - Parameter text: what stands behind `events:`.
    public init(_ text: String) throws(Problem) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let pattern = EventPattern(parts[0]) else {
            throw Problem(
                "expected names of events, as ride.requested, with * for one word and > at the end for all that follow")
        }
        var filters: [EventFilter] = []
        for part in parts.dropFirst().first?.split(separator: "&", omittingEmptySubsequences: false) ?? [] {
            let filter = try Self.filter(part)
            guard !filters.contains(where: { $0.name == filter.name }) else {
                throw Problem("\(filter.name.rawValue)= stands twice; write its ids with commas")
            }
            filters.append(filter)
        }
        let kinds = EventCatalogue.all.filter { pattern.matches($0.name) }
        guard !kinds.isEmpty else { throw Problem(unknown: pattern.description) }
        for filter in filters where !kinds.contains(where: { $0.fields.contains(where: filter.fields.contains) }) {
            throw Problem("no event \(pattern) says a \(filter.name.rawValue)")
        }
        self.pattern = pattern
        self.filters = filters
    }

    private static func filter(_ part: Substring) throws(Problem) -> EventFilter {
        let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, let name = EventFilter.Name(rawValue: String(sides[0])) else {
            let names = EventFilter.Name.allCases.map(\.rawValue)
            let near = NearestNames.of(String(sides[0]), among: names)[0]
            throw Problem(
                "expected filters as \(near)=<id>; they are \(names.joined(separator: ", ")), with & between them")
        }
        let ids = sides[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard !ids.contains("") else { throw Problem("\(name.rawValue)= needs an id") }
        return EventFilter(name, ids)
    }

    /// Whether an event of a type that matches passes the filters too. `data`: its JSON object.
    public func passes(_ data: UnsafeRawBufferPointer) -> Bool {
        filters.allSatisfy { filter in
            let texts = JSONMembers.texts(of: filter.fields, in: data)
            return texts.contains { filter.ids.contains($0) }
        }
    }
}
