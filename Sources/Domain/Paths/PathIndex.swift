/// Where a vehicle is on one of the ways that it may go, as far as a view needs it (`FeedView.ways`).
public struct PathPlace: Hashable, Sendable {
    /// The way's number in the index.
    public var way: UInt16
    /// How far along it, in steps of `PathIndex.stepMetres`.
    public var step: UInt16

    public init(way: UInt16, step: UInt16) {
        self.way = way
        self.step = step
    }
}

/// The ways that the city's vehicles go, each distinct one by a number: feeds that are watched with a destination are
/// decided by how far along it a vehicle is (`FeedView.ways`).
///
/// A number stands for the same way as long as the index is used, so up to where it is of use to somebody needs to be asked
/// once. There is no way 0. Not safe across threads: one per worker, on its loop.
public final class PathIndex {
    /// A vehicle's place is looked at anew after so many metres.
    public static let stepMetres = 25.0
    /// So far behind a passenger, metres, a vehicle may still be standing there.
    static let passedMetres = 50.0
    /// A way that has gone away from a place by so many metres and comes back passes it once more …
    static let passMetres = 100.0
    /// … if it does not pass farther off than this beyond the nearest pass that leads on, metres.
    static let fartherMetres = 250.0
    /// An index is used until so many ways were announced at least: each is some kilobytes here and an entry with every reader
    /// whom it leads where it wants to go.
    static let wornWays = 2_000

    private struct Way {
        let shape: LineShape
        /// No point is farther from the first one than this, metres.
        let radius: Double
    }

    private var ways: [Way?] = [nil]
    /// By what was announced, so that vehicles on one way share a number.
    private var announced: [String: UInt16] = [:]
    /// Those of a route, by the ids of its patterns.
    private var routes: [String: [(id: String, way: UInt16)]] = [:]
    private var vehicles: [String: UInt16] = [:]
    private let routePatterns: (String) -> [RoutePattern]

    /// `routePatterns` are the patterns of a route; none when the timetable has no such route. Asked once for each.
    public init(routePatterns: @escaping (String) -> [RoutePattern]) { self.routePatterns = routePatterns }

    /// One more than the last number.
    public var count: Int { ways.count }
    /// Most of the ways that were announced are no vehicle's any more, and they are many or the numbers have nearly run out: it is
    /// time for another index. Those of the timetable would be in that one too, and don't count.
    public var isWorn: Bool {
        announced.count > max(Self.wornWays, 4 * vehicles.count)
            || (ways.count > 60_000 && announced.count > 2 * vehicles.count)
    }

    /// What a vehicle has announced, `text` to tell it from others; nil when it has taken that back.
    public func set(_ way: LineShape?, as text: String, of vehicle: String) {
        guard let way else {
            vehicles[vehicle] = nil
            return
        }
        let number = announced[text] ?? add(way)
        announced[text] = number
        vehicles[vehicle] = number
    }

    /// Where a vehicle is on what it goes: the way that it has announced, or else those of its route's patterns that it may
    /// be on. Empty when nobody knows a way of it.
    ///
    /// - Parameter along: how far it is, as `PathProgress.text`. What it does not say of a way counts as its beginning, and
    ///   where it names no pattern the vehicle may be on any.
    public func places(of vehicle: String, route: String?, along: String) -> [PathPlace] {
        if let number = vehicles[vehicle] { return [PathPlace(way: number, step: Self.step(Int(along) ?? 0))] }
        guard let route else { return [] }
        let patterns = patterns(of: route)
        var places: [PathPlace] = []
        for (id, metres) in PathProgress.parts(of: along) {
            guard let pattern = patterns.first(where: { $0.id == id }) else { continue }
            places.append(PathPlace(way: pattern.way, step: Self.step(metres)))
        }
        return places.isEmpty ? patterns.map { PathPlace(way: $0.way, step: 0) } : places
    }

    /// Those of the numbers from `first` on that lead from one place to another, in this order, `reach` metres off at most;
    /// each with the last step at which a vehicle has not passed the first place for good.
    public func leading(
        from pickup: GeoPoint, to destination: GeoPoint, reach: Double, since first: Int = 0
    ) -> [UInt16: UInt16] {
        var leading: [UInt16: UInt16] = [:]
        for number in first..<max(first, ways.count) {
            guard let way = ways[number],
                let metres = Self.lastUse(of: way, from: pickup, to: destination, reach: reach)
            else { continue }
            leading[UInt16(number)] = Self.step(Int(metres + Self.passedMetres))
        }
        return leading
    }

    /// Metres along it where it passes the first place for the last time before it passes the second.
    private static func lastUse(
        of way: Way, from pickup: GeoPoint, to destination: GeoPoint, reach: Double
    ) -> Double? {
        // Most ways are far from either.
        let start = way.shape.points[0]
        guard pickup.distance(to: start) <= way.radius + reach, destination.distance(to: start) <= way.radius + reach
        else { return nil }
        let last = way.shape.matches(of: destination, within: reach, separation: passMetres).last
        guard let last else { return nil }
        let passes = way.shape.matches(of: pickup, within: reach, separation: passMetres)
            .filter { $0.distance < last.distance }
        guard let nearest = passes.map(\.offset).min() else { return nil }
        return passes.last { $0.offset <= nearest + fartherMetres }?.distance
    }

    private static func step(_ metres: Int) -> UInt16 { UInt16(clamping: Int(Double(metres) / stepMetres)) }

    private func patterns(of route: String) -> [(id: String, way: UInt16)] {
        if let known = routes[route] { return known }
        let found = routePatterns(route).map { ($0.id, add($0.shape)) }.filter { $0.1 > 0 }
        routes[route] = found
        return found
    }

    private func add(_ shape: LineShape) -> UInt16 {
        guard ways.count < Int(UInt16.max) else { return 0 }
        let radius = shape.points.reduce(0) { max($0, $1.distance(to: shape.points[0])) }
        ways.append(Way(shape: shape, radius: radius))
        return UInt16(ways.count - 1)
    }
}
