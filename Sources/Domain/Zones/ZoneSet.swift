/// In which zone a point lies. Unknown, because no zones are loaded, is never outside.
public enum ZoneLookup: Equatable, Sendable {
    /// An index into `ZoneSet.zones`.
    case zone(Int)
    case outside
    case unknown
}

/// One zone of a loaded set.
public struct Zone: Equatable, Sendable {
    public var id: String
    public var name: String
    /// Square metres.
    public var area: Double
}

/// The zones of a city, checked, with a look-up that gives every point exactly one zone, or none outside all of them.
///
/// Immutable: a new version is a new set, to be exchanged as a whole. Loading takes milliseconds, a look-up tens of
/// nanoseconds without allocation; either on any thread.
public final class ZoneSet: Sendable {
    /// In the order of the source. Zones are spoken of by their index here.
    public let zones: [Zone]
    /// What a repairing load changed; empty for a sound source.
    public let repairs: [ZoneRepair]
    /// The same for the same zones, another for others: to see whether a reload changed anything.
    public let version: UInt64
    public let bounds: GeoBounds

    let polygons: [[MapPolygon]]
    let origin: MapOrigin
    private let index: ZoneIndex
    private let indexByID: [String: Int]

    /// Checks the shapes and builds the look-up. Throws everything that is wrong at once.
    public init(_ shapes: [ZoneShape], options: ZoneOptions = ZoneOptions()) throws(ZoneSetError) {
        let survey = ZoneSurvey(shapes, options: options)
        guard survey.problems.isEmpty else { throw ZoneSetError(survey.problems) }
        let ordered = survey.order.flatMap { zone in
            survey.zones[zone].polygons.map { (zone: zone, polygon: $0) }
        }
        guard let index = ZoneIndexBuilder.build(ordered, reach: min(100, max(0, options.reach))) else {
            throw ZoneSetError([
                ZoneProblem(kind: .noZones, zone: nil, text: "there is no zone in it", isRepairable: false)
            ])
        }
        self.index = index
        origin = survey.origin
        let box = index.frame.bounds
        let low = origin.geo(MapPoint(x: box.minX, y: box.minY))
        let high = origin.geo(MapPoint(x: box.maxX, y: box.maxY))
        bounds = GeoBounds(south: low.lat, west: low.lon, north: high.lat, east: high.lon)
        repairs = survey.repairs
        polygons = survey.zones.map(\.polygons)
        zones = survey.zones.map { zone in
            Zone(id: zone.shape.id, name: zone.shape.name, area: zone.polygons.reduce(0) { $0 + $1.area })
        }
        indexByID = Dictionary(zones.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        version = ZoneSet.version(zones, polygons, origin)
    }

    /// The zone of a point: `.zone` or `.outside`; a point that isn't finite or in range is outside.
    public func lookup(_ point: GeoPoint) -> ZoneLookup {
        guard let mapped = mapped(point) else { return .outside }
        let zone = index.zone(at: mapped)
        return zone == ZoneIndex.outside ? .outside : .zone(Int(zone))
    }

    /// The index of the zone of that id.
    public func index(ofID id: String) -> Int? { indexByID[id] }

    /// The box around a zone.
    public func bounds(of zone: Int) -> GeoBounds {
        var box: MapBounds?
        for polygon in polygons[zone] {
            guard let bounds = polygon.bounds else { continue }
            if box == nil { box = bounds }
            box?.add(MapPoint(x: bounds.minX, y: bounds.minY))
            box?.add(MapPoint(x: bounds.maxX, y: bounds.maxY))
        }
        guard let box else { return bounds }
        let low = origin.geo(MapPoint(x: box.minX, y: box.minY))
        let high = origin.geo(MapPoint(x: box.maxX, y: box.maxY))
        return GeoBounds(south: low.lat, west: low.lon, north: high.lat, east: high.lon)
    }

    /// Metres from the point to the border of a zone, from inside or outside; nil when it is farther than `limit`.
    public func distanceToBorder(of zone: Int, from point: GeoPoint, within limit: Double) -> Double? {
        guard let mapped = mapped(point) else { return nil }
        return index.nearestBorder(to: mapped, of: Int32(zone), within: limit)?.metres
    }

    /// The zone whose border is nearest to the point; nil when none is within `limit` metres.
    public func nearestZone(to point: GeoPoint, within limit: Double) -> Int? {
        nearestBorder(to: point, within: limit)?.zone
    }

    /// The same, and how far its border is, metres.
    public func nearestBorder(to point: GeoPoint, within limit: Double) -> (zone: Int, metres: Double)? {
        guard let mapped = mapped(point) else { return nil }
        return index.nearestBorder(to: mapped, of: nil, within: limit).map { (Int($0.zone), $0.metres) }
    }

    private func mapped(_ point: GeoPoint) -> MapPoint? {
        guard abs(point.lat) <= 90, abs(point.lon) <= 180 else { return nil }
        return origin.map(point)
    }

    /// FNV-1a over ids and corners.
    private static func version(_ zones: [Zone], _ polygons: [[MapPolygon]], _ origin: MapOrigin) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func mix(_ value: UInt64) { hash = (hash ^ value) &* 0x100_0000_01b3 }
        for (zone, polygons) in zip(zones, polygons) {
            for byte in zone.id.utf8 { mix(UInt64(byte)) }
            mix(256)
            for point in polygons.lazy.flatMap(\.rings).flatMap({ $0 }) {
                mix(UInt64(bitPattern: origin.longitude(point)))
                mix(UInt64(bitPattern: Int64(point.y)))
            }
        }
        return hash
    }
}

extension Optional where Wrapped == ZoneSet {
    /// The zone of a point; `.unknown` as long as no set is loaded.
    public func lookup(_ point: GeoPoint) -> ZoneLookup { self?.lookup(point) ?? .unknown }
}
