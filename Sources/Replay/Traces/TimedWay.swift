import Domain

/// A way from one place to another, and when a vehicle is where on it.
struct TimedWay: Equatable {
    struct Place: Equatable {
        var point: GeoPoint
        /// Since it set out.
        var afterMs: Int64
    }

    /// At least one; the first at 0.
    private(set) var places: [Place]
    /// Somebody drove it so; else it is straight, or follows an invented grid, at a steady speed.
    private(set) var isRecorded = false

    /// `path` has at least one point; `speed` in m/s.
    init(path: [GeoPoint], speed: Double) {
        var metres = 0.0
        places = path.indices.map { index in
            if index > 0 { metres += path[index - 1].distance(to: path[index]) }
            return Place(point: path[index], afterMs: Int64((metres / speed * 1000).rounded(.up)))
        }
    }

    /// As it was driven.
    init(recorded places: [Place]) {
        self.places = places
        isRecorded = true
    }

    var lengthMs: Int64 { places[places.count - 1].afterMs }
    var end: GeoPoint { places[places.count - 1].point }
}
