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
    private let readings: SharedLookUps<LineForecast>
    private let turns = SubjectTurns(most: 1, mostOfSubject: 1)
    private final class Turn {}
    /// How many buses lines had when they were read last.
    private var counts: [String: Int] = [:]

    /// A page of a stop is kept as long: it is as of twice that at most.
    static let keptMs: UInt64 = 5_000
    /// Of a large line a forecast is half a megabyte.
    private static let mostKept = 64
    private static let mostCounts = 10_000
    /// JSON that is read in one turn, bytes, besides the last bus of it.
    private static let bytesOfTurn = 16_384

    init(_ services: WorkerServices, _ lines: LineBoards) {
        loop = services.loop
        self.lines = lines
        readings = SharedLookUps(services.loop, keptMs: Self.keptMs, most: Self.mostKept)
    }

    /// How many buses have to be read before the line's forecast can be told, as far as is known.
    func busesToRead(of line: String) -> Int { readings.isKnown(line) ? 0 : counts[line] ?? 0 }

    /// Calls `then` with the forecast of a line, at once or later; with nil when the line can't be read now.
    func look(_ line: String, _ then: @escaping (LineForecast?) -> Void) {
        readings.look(line, for: nil, canRead: true, read: { readInTurn(line, $0) }, then: then)
    }

    private func readInTurn(_ line: String, _ then: @escaping (LineForecast?) -> Void) {
        _ = turns.add(Turn()) { ended in
            self.read(line) { forecast in
                if let forecast { self.count(forecast, of: line) }
                then(forecast)
                // Not now: lines that can't be read would each end within the one before.
                self.loop.inNextTurn { ended() }
            }
            return true
        }
    }

    private func read(_ line: String, _ then: @escaping (LineForecast?) -> Void) {
        lines.withBoard(of: line) { board in
            guard let board else { return then(nil) }
            self.read(Array(board.buses.values), LineForecast(at: self.lines.now()), then)
        }
    }

    private func read(_ buses: [LineBoard.Bus], _ forecast: LineForecast, _ then: @escaping (LineForecast?) -> Void) {
        var (left, found, bytes) = (buses, forecast, 0)
        while bytes < Self.bytesOfTurn, let bus = left.popLast() {
            found.take(bus)
            bytes += bus.data.count
        }
        guard !left.isEmpty else { return then(found) }
        let (others, soFar) = (left, found)
        loop.inNextTurn { self.read(others, soFar, then) }
    }

    private func count(_ forecast: LineForecast, of line: String) {
        if counts.count >= Self.mostCounts { counts.removeAll(keepingCapacity: true) }
        counts[line] = forecast.buses.count
    }
}
