/// One bus on its tour: where it is on its way, and how it gets on. The state of all forecasts for it.
public struct LineTour: Sendable {
    public private(set) var track: TourTrack
    public private(set) var pace: LivePace

    public init(track: TourTrack, pace: LivePace = LivePace()) {
        self.track = track
        self.pace = pace
    }

    /// Takes a fix that the position filter has accepted; `at` is its time, Unix ms. `eta` says what is usual here and now.
    public mutating func moved(to point: GeoPoint, at time: Int64, eta: LineETA) -> TourTrack.Step {
        let since = track.at
        let step = track.moved(to: point, at: time)
        switch step {
        case .moved(let start, let end):
            // How long it stood before its departure says nothing of the traffic.
            if let since, start >= eta.places.exit(0) {
                pace.moved(
                    elapsed: Double(time - since) / 1000, expected: eta.usualSeconds(from: start, to: end))
            }
        case .relocated: pace = LivePace()
        case .ignored, .beside, .reversed: break
        }
        return step
    }

    /// What a forecast needs to know; nil before the first fix on the way. Calls that lie behind don't matter.
    public func bus(calls: [LineETA.Call] = []) -> LineETA.Bus? {
        guard let distance = track.distance, let at = track.at else { return nil }
        return LineETA.Bus(distance: distance, at: at, pace: pace, calls: calls)
    }
}
