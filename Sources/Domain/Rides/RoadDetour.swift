/// How long the way by road is, without a road network: straight distance × detour.
public struct RoadDetour: Sendable {
    public struct Settings: Sendable {
        /// Road distance over straight distance up to `nearMetres`, at `middleMetres`, and from `farMetres` on; linear in
        /// between. Short ways are the more crooked ones.
        public var detourNear = 1.5
        public var detourMiddle = 1.35
        public var detourFar = 1.25
        public var nearMetres = 1000.0
        public var middleMetres = 3000.0
        public var farMetres = 10_000.0

        public init() {}
    }

    public var settings: Settings

    public init(settings: Settings = Settings()) { self.settings = settings }

    /// Metres by road from one place to another.
    public func metres(from start: GeoPoint, to end: GeoPoint) -> Double {
        let straight = start.distance(to: end)
        return straight * factor(metres: straight)
    }

    /// Road over straight distance, for a straight distance in metres.
    public func factor(metres: Double) -> Double {
        func between(_ low: Double, _ high: Double, _ from: Double, _ to: Double) -> Double {
            from + (to - from) * (metres - low) / (high - low)
        }
        let (near, middle, far) = (settings.nearMetres, settings.middleMetres, settings.farMetres)
        if metres <= near { return settings.detourNear }
        if metres <= middle { return between(near, middle, settings.detourNear, settings.detourMiddle) }
        if metres <= far { return between(middle, far, settings.detourMiddle, settings.detourFar) }
        return settings.detourFar
    }
}
