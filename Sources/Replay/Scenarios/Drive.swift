import ClientSupport
import Domain

/// A vehicle under way, sending a fix now and then; at the end it stays there.
struct Drive: Equatable {
    let way: TimedWay
    /// Hub ms since the scenario began, as are all times here.
    let startMs: Int64
    /// Between two fixes.
    let fixEveryMs: Int64
    /// Metres, of every fix.
    let accuracy: Double

    var arrivalMs: Int64 { startMs + way.lengthMs }
    var end: GeoPoint { way.end }

    /// The next fix after a time: at each step, and at the moment of arrival.
    func next(after offsetMs: Int64) -> PlannedFix {
        let step = max(0, offsetMs - startMs) / fixEveryMs + 1
        var at = offsetMs < startMs ? startMs : startMs + step * fixEveryMs
        if offsetMs < arrivalMs, at > arrivalMs { at = arrivalMs }
        return fix(at: at)
    }

    func fix(at offsetMs: Int64) -> PlannedFix {
        let driven = max(0, offsetMs - startMs)
        guard driven < way.lengthMs, let leg = way.places.firstIndex(where: { $0.afterMs > driven }), leg > 0 else {
            return parked(at: driven >= way.lengthMs ? end : way.places[0].point, offsetMs)
        }
        let (from, to) = (way.places[leg - 1], way.places[leg])
        let span = Double(to.afterMs - from.afterMs)
        let metres = from.point.distance(to: to.point)
        return PlannedFix(
            offsetMs: offsetMs, place: from.point.toward(to.point, share: Double(driven - from.afterMs) / span),
            speed: metres * 1000 / span, heading: metres > 1 ? from.point.bearing(to: to.point) : nil,
            accuracy: accuracy, isInterpolated: true)
    }

    private func parked(at place: GeoPoint, _ offsetMs: Int64) -> PlannedFix {
        PlannedFix(offsetMs: offsetMs, place: place, speed: 0, accuracy: accuracy, isInterpolated: true)
    }
}
