/// One of the ways that a route's vehicles go: a pattern by its id.
public struct RoutePattern: Sendable {
    public let id: String
    public let shape: LineShape

    /// Nil when the shape has no length, or the id can't stand in a `PathProgress.text`.
    public init?(id: String, shape: [GeoPoint]) {
        guard Self.isPlain(id), let shape = LineShape(shape) else { return nil }
        self.id = id
        self.shape = shape
    }

    static func isPlain(_ id: String) -> Bool {
        !id.isEmpty
            && id.utf8.allSatisfy { byte in
                byte > UInt8(ascii: " ") && byte < 127 && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "@")
            }
    }
}

/// How far a minibus is along the way that it has announced, or along those of its route's patterns that it may be on. Which
/// of them, and so which direction, only its movement tells: the patterns that it moves forward along.
///
/// A way that crosses itself, or goes out and back on one street, is told apart by `TourTrack`. Whoever comes to the end of
/// its way begins anew: on the same way if that is a round, on another pattern that begins there.
public struct PathProgress: Sendable {
    /// A place is looked at anew after so many metres, or so many ms for one that stands.
    private static let stepMetres = 25.0
    private static let stepMs: Int64 = 10_000
    /// So far from the end, metres, a way is at its end.
    private static let endMetres = 50.0
    /// A vehicle is on its route within so many metres of a pattern's shape.
    private static let routeMetres = 150.0
    /// Metres forward, less those back: at most so many are remembered, and half of them decide.
    private static let evidence = 100.0
    /// Of more patterns than that nobody can say which it is on.
    private static let most = 8

    private struct Candidate {
        let id: String
        var track: TourTrack
        /// Metres along it as they were known before, until a fix lies on it.
        let known: Int?
        /// Metres forward less metres back or beside, −100…100.
        var forward = 0.0
    }

    private var candidates: [Candidate]
    private var last: (point: GeoPoint, at: Int64)?
    /// Where it is, as the workers tell one another: `metres` along an announced way; or `id@metres` of each pattern that it may
    /// be on, with commas between. Empty: nobody knows.
    public private(set) var text: String

    /// On an announced way, which it leaves by `reach` metres at most, as it is straight from point to point.
    ///
    /// - Parameter known: the text of an earlier one of this vehicle on this way.
    public init(way: LineShape, reach: Double, known: String = "") {
        text = known
        candidates = [Self.candidate("", way, reach: reach, expected: Int(known))]
    }

    /// On a route. Nil when it has no patterns.
    public init?(route: [RoutePattern], known: String = "") {
        guard !route.isEmpty else { return nil }
        text = known
        let parts = Self.parts(of: known)
        candidates = route.map { course in
            let part = parts.first { $0.id == course.id }
            var candidate = Self.candidate(course.id, course.shape, reach: Self.routeMetres, expected: part?.metres)
            if !parts.isEmpty { candidate.forward = part == nil ? -Self.evidence : Self.evidence / 2 }
            return candidate
        }
    }

    /// The patterns of a text with the metres along each.
    static func parts(of text: String) -> [(id: Substring, metres: Int)] {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return [] }
        return text.split(separator: ",").compactMap { part in
            let halves = part.split(separator: "@")
            guard halves.count == 2, let metres = Int(halves[1]) else { return nil }
            return (halves[0], metres)
        }
    }

    /// That a vehicle is so many metres along a pattern, as a bus on its tour knows. Empty where the id can't be told.
    public static func text(on pattern: String, metres: Double) -> String {
        RoutePattern.isPlain(pattern) ? "\(pattern)@\(Int(metres))" : ""
    }

    /// Takes a fix that the position filter has accepted; `at` is its time, Unix ms.
    public mutating func moved(to point: GeoPoint, at time: Int64) {
        let straight = last.map { $0.point.distance(to: point) } ?? 0
        if let last, straight < Self.stepMetres, time < last.at + Self.stepMs { return }
        // The device's clock was set back: `TourTrack` would wait until it shows the old time again.
        if let last, time <= last.at { begin(knowing: { $0.track.distance.map { Int($0) } ?? $0.known }) }
        let steps = candidates.indices.map { candidates[$0].track.moved(to: point, at: time) }
        if steps.allSatisfy({ $0 == .ignored }) { return }
        last = (point, time)
        let isOnRoute = steps.contains { if case .moved = $0 { true } else { false } }
        for (index, step) in steps.enumerated() {
            candidates[index].forward += forward(step, straight: straight, isOnRoute: isOnRoute)
            candidates[index].forward = min(Self.evidence, max(-Self.evidence, candidates[index].forward))
        }
        if candidates.contains(where: { $0.forward >= Self.evidence / 2 && Self.isAtEnd($0.track) }) {
            // What is behind says nothing of what comes.
            begin(knowing: { _ in nil })
            for index in candidates.indices {
                candidates[index].forward = 0
                _ = candidates[index].track.moved(to: point, at: time)
            }
        }
        describe()
    }

    private func forward(_ step: TourTrack.Step, straight: Double, isOnRoute: Bool) -> Double {
        switch step {
        case .moved(let from, let to): to - from
        case .reversed: -straight
        case .beside: isOnRoute ? -straight : 0
        case .ignored, .relocated: 0
        }
    }

    /// Other tracks in place of the present ones.
    private mutating func begin(knowing expected: (Candidate) -> Int?) {
        for (index, old) in candidates.enumerated() {
            candidates[index] = Self.candidate(
                old.id, old.track.shape, reach: old.track.settings.offRouteMetres, expected: expected(old))
            candidates[index].forward = old.forward
        }
    }

    private mutating func describe() {
        let isDecided = candidates.contains { $0.forward >= Self.evidence / 2 }
        var parts: [String] = []
        for candidate in candidates {
            guard let metres = candidate.track.distance.map({ Int($0) }) ?? candidate.known,
                candidate.id.isEmpty || candidate.forward >= Self.evidence / 2
                    || !isDecided && candidate.forward > -Self.evidence / 2
            else { continue }
            parts.append(candidate.id.isEmpty ? "\(metres)" : "\(candidate.id)@\(metres)")
        }
        text = parts.count <= Self.most ? parts.joined(separator: ",") : ""
    }

    private static func isAtEnd(_ track: TourTrack) -> Bool {
        track.distance.map { $0 >= track.shape.length - endMetres } ?? false
    }

    private static func candidate(_ id: String, _ shape: LineShape, reach: Double, expected: Int?) -> Candidate {
        var settings = TourTrack.Settings()
        settings.offRouteMetres = reach
        return Candidate(
            id: id,
            track: TourTrack(
                shape: shape, stops: StopPlaces([0, shape.length]), expected: expected.map { Double($0) },
                settings: settings), known: expected)
    }
}
