internal import Wire

extension ZoneGeoJSON {
    /// A zone to be written.
    struct Written {
        var id: String
        var name: String
        var polygons: [MapPolygon]
        /// Square metres.
        var area: Double

        func shape(_ origin: MapOrigin) -> ZoneShape {
            let rings = polygons.map { $0.rings.map { ($0 + $0.prefix(1)).map(origin.geo) } }
            return ZoneShape(id: id, name: name, polygons: rings)
        }
    }

    /// A FeatureCollection as RFC 7946 wants it: outer rings counter-clockwise, longitude first, a zone to a line.
    static func collection(_ zones: [Written], origin: MapOrigin) -> [UInt8] {
        var bytes = Array("{\"type\":\"FeatureCollection\",\"features\":[".utf8)
        for (index, zone) in zones.enumerated() {
            bytes += index == 0 ? Array("\n".utf8) : Array(",\n".utf8)
            bytes += feature(zone, origin)
        }
        bytes += Array("\n]}\n".utf8)
        return bytes
    }

    private static func feature(_ zone: Written, _ origin: MapOrigin) -> [UInt8] {
        var writer = JSONWriter(capacity: 4096)
        writer.beginObject()
        writer.key("type")
        writer.string("Feature")
        writer.key("id")
        writer.string(zone.id)
        writer.key("properties")
        writer.beginObject()
        writer.key("name")
        writer.string(zone.name)
        writer.key("area_km2")
        writer.decimal(zone.area / 1e6, places: 2)
        writer.endObject()
        writer.key("geometry")
        writer.beginObject()
        writer.key("type")
        writer.string(zone.polygons.count == 1 ? "Polygon" : "MultiPolygon")
        writer.key("coordinates")
        if zone.polygons.count > 1 { writer.beginArray() }
        for polygon in zone.polygons { write(polygon, origin, to: &writer) }
        if zone.polygons.count > 1 { writer.endArray() }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ polygon: MapPolygon, _ origin: MapOrigin, to writer: inout JSONWriter) {
        writer.beginArray()
        for ring in polygon.rings {
            writer.beginArray()
            for point in ring + ring.prefix(1) {
                let place = origin.geo(point)
                writer.beginArray()
                writer.double(place.lon)
                writer.double(place.lat)
                writer.endArray()
            }
            writer.endArray()
        }
        writer.endArray()
    }
}

extension ZoneSet {
    /// The zones as loaded, after what was repaired, as a GeoJSON FeatureCollection: for maps, and to keep a repair.
    public func geoJSON() -> [UInt8] {
        let written = zip(zones, polygons).map {
            ZoneGeoJSON.Written(id: $0.id, name: $0.name, polygons: $1, area: $0.area)
        }
        return ZoneGeoJSON.collection(written, origin: origin)
    }
}
