import Domain
import WebSocketServer

/// What one connection reads of a channel that many may read: a topic, a line, the city's events.
protocol SharedReading: AnyObject {
    var session: Session { get }
    /// What it was sent; nil: nobody knows yet. Of a live reading that of all the live counts.
    var position: StreamPosition? { get }
    /// Commands that are answered when its place is known.
    var asks: [Int64] { get set }
    /// Its place in ``LiveReadings``, which alone changes it.
    var index: Int { get set }
}

/// Live readings that get the same bytes. Used on the worker's loop.
struct LiveReadings<Reading: SharedReading> {
    /// Side by side: sending walks these and touches nothing else.
    private(set) var connections: [ConnectionID] = []
    private(set) var readings: [Reading] = []

    mutating func add(_ reading: Reading) {
        reading.index = readings.count
        readings.append(reading)
        connections.append(reading.session.connection)
    }

    mutating func remove(_ reading: Reading) {
        let last = readings.count - 1
        readings[last].index = reading.index
        readings.swapAt(reading.index, last)
        connections.swapAt(reading.index, last)
        readings.removeLast()
        connections.removeLast()
    }
}

extension Array where Element: SharedReading {
    /// Takes out those of the readings that are ahead of the live ones whose position is such.
    mutating func takeOut(_ isSuch: (StreamPosition) -> Bool) -> [Element] {
        guard !isEmpty else { return [] }
        let taken = filter { $0.position.map(isSuch) ?? false }
        removeAll { reading in taken.contains { $0 === reading } }
        return taken
    }
}

/// What each connection reads. Counts it to the channels of its session. Used on the worker's loop.
struct SessionReadings<Reading: SharedReading> {
    private var byConnection: [ConnectionID: [Reading]] = [:]

    subscript(session: Session) -> [Reading] { byConnection[session.connection] ?? [] }

    mutating func add(_ reading: Reading) {
        byConnection[reading.session.connection, default: []].append(reading)
        reading.session.channels += 1
    }

    /// Twice is as good as once.
    mutating func remove(_ reading: Reading) {
        let session = reading.session
        guard let index = byConnection[session.connection]?.firstIndex(where: { $0 === reading }) else { return }
        byConnection[session.connection]?.remove(at: index)
        session.channels -= 1
        if byConnection[session.connection]?.isEmpty == true { byConnection[session.connection] = nil }
    }
}
