/// The ways that the city's vehicles go, each distinct one by a number: feeds that are watched with a destination are
/// decided by it (`FeedView.ways`).
///
/// A number stands for the same ways as long as the book is used, so whether they lead somewhere needs to be asked once.
/// Number 0 are vehicles of which nobody knows a way. Not safe across threads: one per worker, on its loop.
public final class WayBook {
    /// What a vehicle that announced its way goes, or any of what a route of the timetable goes: both directions, as a
    /// route's name says nothing of which.
    private var ways: [[MinibusWay]] = [[]]
    /// By what was announced, so that vehicles on one way share a number.
    private var announced: [String: UInt16] = [:]
    private var routes: [String: UInt16] = [:]
    private var vehicles: [String: UInt16] = [:]
    private let shapes: (String) -> [[GeoPoint]]

    /// `shapes` are those of a route; none when the timetable has no such route. Asked once for each.
    public init(shapes: @escaping (String) -> [[GeoPoint]]) { self.shapes = shapes }

    /// One more than the last number.
    public var count: Int { ways.count }
    /// The numbers have nearly run out, and most are no vehicle's any more: it is time for another book.
    public var isWorn: Bool { ways.count > 60_000 && ways.count > 2 * vehicles.count }

    /// What a vehicle has announced, `text` to tell it from others; nil when it has taken that back.
    public func set(_ way: MinibusWay?, as text: String, of vehicle: String) {
        guard let way else {
            vehicles[vehicle] = nil
            return
        }
        let number = announced[text] ?? add([way])
        announced[text] = number
        vehicles[vehicle] = number
    }

    /// The number of what a vehicle goes: what it has announced, or else its route.
    public func number(of vehicle: String, route: String?) -> UInt16 {
        if let number = vehicles[vehicle] { return number }
        guard let route else { return 0 }
        if let number = routes[route] { return number }
        let found = shapes(route).compactMap { MinibusWay($0) }
        let number = found.isEmpty ? 0 : add(found)
        routes[route] = number
        return number
    }

    /// Those of the numbers from `first` on that lead from one place to another, in this order, `reach` metres off at most.
    public func leading(
        from pickup: GeoPoint, to destination: GeoPoint, reach: Double, since first: Int = 0
    ) -> Set<UInt16> {
        var numbers: Set<UInt16> = []
        for number in first..<max(first, ways.count)
        where ways[number].contains(where: { $0.leads(from: pickup, to: destination, reach: reach) }) {
            numbers.insert(UInt16(number))
        }
        return numbers
    }

    private func add(_ new: [MinibusWay]) -> UInt16 {
        guard ways.count < Int(UInt16.max) else { return 0 }
        ways.append(new)
        return UInt16(ways.count - 1)
    }
}
