/// How fast one vehicle got on in the last minutes, blended with what is expected of any. Begins anew with each ride:
/// how long a taxi stood at its rank says nothing of the traffic.
public struct RecentPace: Sendable {
    /// What is older counts for less than half: the sums shrink by this time constant, seconds.
    static let memory = 300.0
    /// The expected speed counts like so many seconds of driving.
    static let priorSeconds = 120.0
    /// Standing for longer than this, seconds, is no traffic light: the rest isn't counted.
    static let longestStop = 90.0
    static let standingSpeed = 0.5

    private var metres = 0.0
    private var seconds = 0.0
    private var stopped = 0.0

    public init() {}

    /// The vehicle moved on from one accepted fix to the next.
    public mutating func moved(metres way: Double, seconds time: Double) {
        guard time > 0, way.isFinite else { return }
        var counted = time
        if way / time < RecentPace.standingSpeed {
            counted = max(0, min(time, RecentPace.longestStop - stopped))
            stopped += time
        } else {
            stopped = 0
        }
        // 1 / (1 + x) for e^−x: as good here, and never negative.
        let kept = 1 / (1 + counted / RecentPace.memory)
        metres = metres * kept + way * counted / time
        seconds = seconds * kept + counted
    }

    /// Metres per second.
    public func speed(expected: Double) -> Double {
        (metres + expected * RecentPace.priorSeconds) / (seconds + RecentPace.priorSeconds)
    }
}
