import ClientSupport
import Domain

/// A vehicle under way along a line at a steady speed, sending a fix now and then; at the end it stays there.
struct Drive: Equatable {
    let path: [GeoPoint]
    let startMs: Int64
    /// m/s
    let speed: Double
    /// Between two fixes.
    let fixEveryMs: Int64
    /// Metres, of every fix.
    let accuracy: Double
    private let reached: [Double]

    /// `path` has at least one point. All times are hub ms since the scenario began.
    init(path: [GeoPoint], startMs: Int64, speed: Double, fixEveryMs: Int64, accuracy: Double) {
        self.path = path
        self.startMs = startMs
        self.speed = speed
        self.fixEveryMs = fixEveryMs
        self.accuracy = accuracy
        var total = 0.0
        reached = path.indices.map { index in
            if index > 0 { total += path[index - 1].distance(to: path[index]) }
            return total
        }
    }

    var metres: Double { reached.last ?? 0 }
    var arrivalMs: Int64 { startMs + Int64((metres / speed * 1000).rounded(.up)) }
    var end: GeoPoint { path[path.count - 1] }

    /// The next fix after a time: at each step, and at the moment of arrival.
    func next(after offsetMs: Int64) -> PlannedFix {
        let step = max(0, offsetMs - startMs) / fixEveryMs + 1
        var at = offsetMs < startMs ? startMs : startMs + step * fixEveryMs
        if offsetMs < arrivalMs, at > arrivalMs { at = arrivalMs }
        return fix(at: at)
    }

    func fix(at offsetMs: Int64) -> PlannedFix {
        let driven = min(metres, max(0, Double(offsetMs - startMs) / 1000 * speed))
        guard let leg = reached.firstIndex(where: { $0 >= driven }), leg > 0 else {
            return parked(at: driven >= metres ? end : path[0], offsetMs)
        }
        if driven >= metres { return parked(at: end, offsetMs) }
        let length = reached[leg] - reached[leg - 1]
        let share = length > 0 ? (driven - reached[leg - 1]) / length : 1
        return PlannedFix(
            offsetMs: offsetMs, place: path[leg - 1].toward(path[leg], share: share), speed: speed,
            heading: path[leg - 1].bearing(to: path[leg]), accuracy: accuracy, isInterpolated: true)
    }

    private func parked(at place: GeoPoint, _ offsetMs: Int64) -> PlannedFix {
        PlannedFix(offsetMs: offsetMs, place: place, speed: 0, accuracy: accuracy, isInterpolated: true)
    }
}
