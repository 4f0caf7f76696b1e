/// The rows of stop_times.txt at stops, of all trips: millions, so each takes 24 bytes, 32 where the feed has distances.
///
/// They stand in the order of the file, and each says where the next of its trip is: a feed may have a trip's rows anywhere.
/// In pieces, so that what is there is not copied as more comes, with both copies in memory.
struct FeedCalls {
    /// Those of one trip.
    struct List {
        fileprivate var first: Int32 = -1
        fileprivate var last: Int32 = -1
        private(set) var count = 0

        var isEmpty: Bool { count == 0 }

        fileprivate mutating func append(_ place: Int32) {
            if first < 0 { first = place }
            last = place
            count += 1
        }
    }

    private struct Row {
        let sequence, stop, line: Int32
        /// -1: none.
        let arrival, departure: Int32
        var next: Int32 = -1
    }

    private static let pieceSize = 1 << 16
    /// Of `pieceSize` each, but for the last.
    private var rows: [[Row]] = []
    /// Likewise; NaN where there is none. Empty unless the feed has the column.
    private var distances: [[Double]] = []
    private let hasDistances: Bool
    private var count = 0

    init(hasDistances: Bool) { self.hasDistances = hasDistances }

    mutating func append(_ call: FeedCall, to list: inout List) {
        let place = Int32(count)
        if count % Self.pieceSize == 0 {
            rows.append([])
            rows[rows.count - 1].reserveCapacity(Self.pieceSize)
            if hasDistances {
                distances.append([])
                distances[distances.count - 1].reserveCapacity(Self.pieceSize)
            }
        }
        if list.last >= 0 { rows[Int(list.last) / Self.pieceSize][Int(list.last) % Self.pieceSize].next = place }
        list.append(place)
        rows[rows.count - 1].append(
            Row(
                sequence: Int32(call.sequence), stop: Int32(call.stop), line: Int32(call.line),
                arrival: Int32(call.arrival ?? -1), departure: Int32(call.departure ?? -1)))
        if hasDistances { distances[distances.count - 1].append(call.distance ?? .nan) }
        count += 1
    }

    /// A trip's calls in the order of their sequence.
    subscript(list: List) -> [FeedCall] {
        var calls: [FeedCall] = []
        calls.reserveCapacity(list.count)
        var place = Int(list.first)
        var isSorted = true
        while place >= 0 {
            let (piece, index) = (place / Self.pieceSize, place % Self.pieceSize)
            let row = rows[piece][index]
            let distance = hasDistances ? distances[piece][index] : .nan
            if let last = calls.last, last.sequence > Int(row.sequence) { isSorted = false }
            calls.append(
                FeedCall(
                    sequence: Int(row.sequence), stop: Int(row.stop), line: Int(row.line),
                    arrival: row.arrival < 0 ? nil : Int(row.arrival),
                    departure: row.departure < 0 ? nil : Int(row.departure), distance: distance.isNaN ? nil : distance))
            place = Int(row.next)
        }
        if !isSorted { calls.sort { $0.sequence < $1.sequence } }
        return calls
    }
}

/// A row of stop_times.txt at a stop, by schedule.
struct FeedCall {
    /// Up to the largest of 32 bits, as all its numbers.
    let sequence: Int
    /// Index in the stops.
    let stop: Int
    let line: Int
    /// Seconds; nil between stops at which the bus keeps its time.
    let arrival: Int?
    let departure: Int?
    /// In the feed's own unit.
    let distance: Double?
}
