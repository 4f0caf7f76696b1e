import DequeModule

/// Vehicles that are watched by themselves: which of them are read next.
///
/// Those that have never been read wait for no others: of each kind one call is under way. Redis has to be told in time that a vehicle is
/// still watched: each has a second of its own for that in a period, so that they come evenly and not in one heap.
struct VehicleReadings {
    typealias Vehicle = (id: String, following: Following)

    /// `first`: what a new reader waits for. `again`: what it was shown already.
    enum Kind: Int, CaseIterable { case first, again }

    /// How often a vehicle is read again, s.
    static let periodS = 30
    /// Vehicles read in one call: Redis serves nobody else meanwhile, some 9 µs each.
    static let perCall = 80

    private struct Line {
        var waiting: Deque<Vehicle> = []
        var isUnderWay = false
    }

    private var lines = [Line](repeating: Line(), count: Kind.allCases.count)
    /// All vehicles by the second in which their turn comes. One that was left goes out with its turn.
    private var seconds = [[Vehicle]](repeating: [], count: periodS)
    private var second = 0

    /// A vehicle is followed from now on: its turn comes in the second that has the fewest.
    mutating func add(_ vehicle: Vehicle) {
        let emptiest = seconds.indices.min { seconds[$0].count < seconds[$1].count } ?? 0
        seconds[emptiest].append(vehicle)
    }

    /// It is read when it can be, once.
    mutating func want(_ vehicle: Vehicle) {
        let following = vehicle.following
        guard !following.isQueued, !following.isReading else { return }
        following.isQueued = true
        lines[(following.wasRead ? Kind.again : .first).rawValue].waiting.append(vehicle)
    }

    /// Another second begins: those whose turn comes in it are wanted.
    mutating func advance() {
        second = (second + 1) % Self.periodS
        seconds[second].removeAll { $0.following.isLeft }
        for vehicle in seconds[second] where vehicle.following.isSubscribed { want(vehicle) }
    }

    /// What the next call of this kind reads, until it has `ended`; empty: none is to be made now.
    mutating func next(_ kind: Kind) -> [Vehicle] {
        guard !lines[kind.rawValue].isUnderWay else { return [] }
        var vehicles: [Vehicle] = []
        while vehicles.count < Self.perCall, let vehicle = lines[kind.rawValue].waiting.popFirst() {
            vehicle.following.isQueued = false
            if !vehicle.following.isLeft { vehicles.append(vehicle) }
        }
        lines[kind.rawValue].isUnderWay = !vehicles.isEmpty
        return vehicles
    }

    mutating func ended(_ kind: Kind) { lines[kind.rawValue].isUnderWay = false }
}
