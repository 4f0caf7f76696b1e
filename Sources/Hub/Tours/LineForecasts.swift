import DequeModule
import EventLoop

/// The forecasts of lines for those who have no token: of what the readers of the line are told anyway. Redis is asked
/// for a line when nobody here has read it for a while (``LineBoards``), and not for each of its stops.
///
/// A line is read once in seconds for all its stops and all who ask. One line is read at a time, and of its buses a few
/// in a turn of the loop: of a line with 150 stops each has some 15 KB of JSON.
///
/// Used on the worker's loop.
final class LineForecasts {
    private let loop: EventLoop
    private let lines: LineBoards
    /// Until when a forecast is told, ms of the loop.
    private var known: [String: (forecast: LineForecast, until: UInt64)] = [:]
    /// How many buses lines had when they were read last.
    private var counts: [String: Int] = [:]
    private var waiting: [String: [(LineForecast?) -> Void]] = [:]
    /// Lines that wait to be read, and whether one is.
    private var order: Deque<String> = []
    private var isReading = false

    /// A page of a stop is kept as long: it is as of twice that at most.
    static let keptMs: UInt64 = 5_000
    private static let mostCounts = 10_000
    /// JSON that is read in one turn, bytes, besides the last bus of it.
    private static let bytesOfTurn = 16_384

    init(_ services: WorkerServices, _ lines: LineBoards) {
        loop = services.loop
        self.lines = lines
    }

    /// How many buses have to be read before the line's forecast can be told, as far as is known.
    func busesToRead(of line: String) -> Int {
        if let seen = known[line], loop.now < seen.until { return 0 }
        return counts[line] ?? 0
    }

    /// Calls `then` with the forecast of a line, at once or later; with nil when the line can't be read now.
    func look(_ line: String, _ then: @escaping (LineForecast?) -> Void) {
        if let seen = known[line], loop.now < seen.until { return then(seen.forecast) }
        if waiting[line] == nil { order.append(line) }
        waiting[line, default: []].append(then)
        next()
    }

    private func next() {
        guard !isReading, let line = order.popFirst() else { return }
        isReading = true
        lines.withBoard(of: line) { board in
            guard let board else { return self.end(line, nil) }
            self.read(line, Array(board.buses.values), LineForecast(at: self.lines.now()))
        }
    }

    private func read(_ line: String, _ buses: [LineBoard.Bus], _ forecast: LineForecast) {
        var (left, found, bytes) = (buses, forecast, 0)
        while bytes < Self.bytesOfTurn, let bus = left.popLast() {
            found.take(bus)
            bytes += bus.data.count
        }
        guard !left.isEmpty else { return end(line, found) }
        let (others, soFar) = (left, found)
        loop.inNextTurn { self.read(line, others, soFar) }
    }

    private func end(_ line: String, _ forecast: LineForecast?) {
        if let forecast {
            // What is told no more is not kept: of a large line it is half a megabyte.
            known = known.filter { loop.now < $0.value.until }
            known[line] = (forecast, loop.now + Self.keptMs)
            if counts.count >= Self.mostCounts { counts.removeAll(keepingCapacity: true) }
            counts[line] = forecast.buses.count
        }
        isReading = false
        for then in waiting.removeValue(forKey: line) ?? [] { then(forecast) }
        // Not now: lines that can't be read would each end within the one before.
        if !order.isEmpty { loop.inNextTurn { self.next() } }
    }
}
