import Domain
import RedisLink
import Settings

/// How long taxis take, learned from the ways that they have finished: to a pickup, and with a passenger. Redis keeps the latest
/// ways of the city; every worker learns from all of them, so all tell the same, also after a restart.
final class TravelLearning: Capability {
    let services: WorkerServices
    private var times = TravelTimes()
    /// The id of the last way in Redis that was learned from.
    private var last = "0-0"
    private var isReading = false
    private var secondsToRead = 0
    /// There is more to read.
    private var isBehind = true
    /// The clock by which the hours were learned.
    private var timeZone = ""

    /// Ways that are read in a slice of a tick, which takes this worker 1 ms; and how often new ones are looked for.
    private static let readAtOnce = 40
    private static let readEveryS = 60
    /// What is shorter says little.
    private static let leastMs: Int64 = 30_000
    private static let leastMetres = 100.0
    /// A driver teaches few ways that lead to the same square, metres.
    private static let square = 1_000.0

    init(_ services: WorkerServices) { self.services = services }

    /// What is expected of a vehicle that was seen at a place, in seconds from now: likely, and the bounds of eight in ten.
    struct Forecast {
        let seconds: Double
        let early: Double
        let late: Double

        /// `age`: seconds since it was seen there. It has moved on meanwhile, but nobody knows that it did.
        func after(_ age: Double) -> Forecast {
            func left(_ seconds: Double) -> Double { max(seconds - max(0, age), seconds / 3) }
            return Forecast(seconds: left(seconds), early: left(early), late: left(late))
        }
    }

    func forecast(from place: GeoPoint, to goal: GeoPoint, pace: RecentPace? = nil, measuredAt: Int64) -> Forecast {
        let now = now()
        let seconds = times.seconds(
            from: place, to: goal, hour: hourOfWeek(now), speed: settings.eta.speedKmh / 3.6, pace: pace)
        let bounds = times.bounds(seconds)
        return Forecast(seconds: seconds, early: bounds.early, late: bounds.late).after(Double(now - measuredAt) / 1000)
    }

    /// From one place to another by a vehicle that begins at `time`, Unix ms.
    func seconds(from place: GeoPoint, to goal: GeoPoint, at time: Int64) -> Double {
        times.seconds(from: place, to: goal, hour: hourOfWeek(time), speed: settings.eta.speedKmh / 3.6)
    }

    /// A way of a driver is over: others are told by it how long theirs takes, unless it says too little or its driver has taught
    /// too much already (`travel_learn`).
    func learn(from way: TravelledWay, of driver: String) {
        guard let first = way.places.first, let end = way.places.last, way.durationMs >= Self.leastMs,
            first.point.distance(to: end.point) >= Self.leastMetres, let squares = way.squares(of: Self.square)
        else { return }
        functions.call(
            "travel_learn",
            [
                "driver": RedisArgument(driver), "way": RedisArgument(way.text(endedAt: now())),
                "start": RedisArgument(squares.start), "end": RedisArgument(squares.end),
            ]
        ) { _ in }
    }

    // MARK: reading

    func slice(_ number: Int) {
        if isBehind { read() }
    }

    func second() {
        secondsToRead -= 1
        if secondsToRead <= 0 || timeZone != catalog.current.timeZone { isBehind = true }
    }

    private func read() {
        guard commands.isUp, !isReading else { return }
        isReading = true
        let zone = catalog.current.timeZone
        if timeZone != zone {
            // The hours were others.
            timeZone = zone
            times = TravelTimes()
            last = "0-0"
        }
        commands.send([
            "XRANGE", RedisArgument(keys.travelled), RedisArgument("(" + last), "+", "COUNT",
            RedisArgument(Self.readAtOnce),
        ]) { result in
            self.isReading = false
            self.secondsToRead = Self.readEveryS
            self.isBehind = false
            guard case .success(let reply) = result, let entries = reply.array, zone == self.timeZone else { return }
            for entry in entries { self.take(entry) }
            self.isBehind = entries.count == Self.readAtOnce
        }
    }

    private func take(_ entry: RedisReply) {
        guard let parts = entry.array, parts.count == 2, let id = parts[0].text else { return }
        last = id
        guard let fields = parts[1].array, fields.count == 2, let text = fields[1].bytes,
            let way = TravelledWay(text: text)
        else { return }
        times.learn(way, speed: settings.eta.speedKmh / 3.6, hour: hourOfWeek)
    }

    /// 0…167, from Monday 0:00 local time; `time` in Unix ms.
    private func hourOfWeek(_ time: Int64) -> Int {
        let local = time / 1000 + Int64(catalog.time.offset(at: time / 1000))
        // 1970 began on a Thursday.
        return Int((local / 3600 + 72) % 168)
    }
}
