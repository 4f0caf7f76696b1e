import ClientSupport
import Domain

/// An invented driver between rides: waits at its stand, and goes round a block from time to time.
struct CruiseScript: Equatable {
    let grid: StreetGrid
    let stands: [GeoPoint]
    /// m/s
    let speed: Double
    let fixEveryMs: Int64
    private var random: SeededRandom
    private var drive: Drive
    /// When the waiting at the end of the drive is over.
    private var leaveMs: Int64
    private var home: GeoPoint

    init(grid: StreetGrid, stands: [GeoPoint], start: GeoPoint, speed: Double, fixEveryMs: Int64, random: SeededRandom)
    {
        (self.grid, self.stands, self.speed, self.fixEveryMs, self.random) = (grid, stands, speed, fixEveryMs, random)
        home = start
        drive = Drive(way: TimedWay(path: [start], speed: speed), startMs: 0, fixEveryMs: fixEveryMs, accuracy: 6)
        // The first fixes of a fleet shall not come in one instant.
        leaveMs = self.random.milliseconds(10_000...90_000)
    }

    mutating func next(after offsetMs: Int64) -> PlannedFix {
        if offsetMs >= leaveMs, offsetMs >= drive.arrivalMs { roundTheBlock(at: offsetMs) }
        return drive.next(after: offsetMs)
    }

    /// After a ride: to the nearest stand.
    mutating func resume(at offsetMs: Int64, from here: GeoPoint) {
        home = stands.min { $0.distance(to: here) < $1.distance(to: here) } ?? here
        set(out: grid.route(from: here, to: home), at: offsetMs)
    }

    private mutating func roundTheBlock(at offsetMs: Int64) {
        let corner = grid.nearestCrossing(to: drive.end)
        let (north, east) = (random.chance(0.5) ? 1 : -1, random.chance(0.5) ? 1 : -1)
        let corners = [
            corner, grid.crossing(from: corner, north: north, east: 0),
            grid.crossing(from: corner, north: north, east: east), grid.crossing(from: corner, north: 0, east: east),
            corner,
        ]
        set(out: [drive.end] + corners + grid.route(from: corner, to: home).dropFirst(), at: offsetMs)
    }

    private mutating func set(out path: [GeoPoint], at offsetMs: Int64) {
        drive = Drive(
            way: TimedWay(path: path, speed: speed), startMs: offsetMs, fixEveryMs: fixEveryMs, accuracy: 6)
        leaveMs = drive.arrivalMs + random.milliseconds(20_000...90_000)
    }
}
