internal import Wire

/// Reading zones from GeoJSON (RFC 7946): a FeatureCollection of Polygons, MultiPolygons and GeometryCollections with them,
/// longitude first.
enum ZoneGeoJSON {
    private static let idProperties = ["id", "ID_NIL", "name"]
    private static let nameProperties = ["name", "NIL", "title"]

    /// The shapes in the order of the file, unchecked but for their JSON.
    static func shapes(_ bytes: [UInt8], options: ZoneOptions) throws(ZoneSetError) -> [ZoneShape] {
        let root = try parse(bytes)
        guard let features = root["features"]?.elements else {
            throw refusal(.notGeoJSON, nil, "it is no FeatureCollection: there is no list \"features\" in it")
        }
        var shapes: [ZoneShape] = []
        var problems: [ZoneProblem] = []
        for (index, feature) in features.enumerated() {
            do throws(ZoneSetError) {
                shapes.append(try shape(feature, label: "feature \(index + 1)", options: options))
            } catch {
                problems += error.problems
            }
        }
        guard problems.isEmpty else { throw ZoneSetError(problems) }
        return shapes
    }

    /// The rings of a file that holds one area: a geometry, a feature, or a collection of which all polygons are taken.
    static func polygons(_ bytes: [UInt8]) throws(ZoneSetError) -> [[[GeoPoint]]] {
        let root = try parse(bytes)
        if let features = root["features"]?.elements {
            var polygons: [[[GeoPoint]]] = []
            for (index, feature) in features.enumerated() {
                polygons += try geometry(feature["geometry"], label: "feature \(index + 1)")
            }
            return polygons
        }
        return try geometry(root["geometry"] ?? root, label: "the outline")
    }

    private static func parse(_ bytes: [UInt8]) throws(ZoneSetError) -> JSONValue {
        do throws(WireError) {
            return try JSONValue(parsing: bytes)
        } catch {
            throw refusal(.notGeoJSON, nil, "it is no JSON: \(error)")
        }
    }

    private static func shape(
        _ feature: JSONValue, label: String, options: ZoneOptions
    ) throws(ZoneSetError) -> ZoneShape {
        let properties = feature["properties"]
        let candidates: [JSONValue?]
        if let property = options.idProperty {
            candidates = [properties?[property]]
        } else {
            candidates = [feature["id"]] + idProperties.map { properties?[$0] }
        }
        guard let id = candidates.lazy.compactMap({ $0.flatMap(word) }).first else {
            let wanted =
                options.idProperty.map { "property \"\($0)\"" }
                ?? "\"id\" and none of the properties " + idProperties.joined(separator: ", ")
            throw refusal(.missingID, nil, "\(label) has no id: no \(wanted) with a text or a number")
        }
        // Ids stand in lists, one a line.
        guard !id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control || $0.isHidden }) else {
            throw refusal(
                .missingID, nil,
                "\(label) has an id with a line break or another control or hidden character; give it one without")
        }
        let names = options.nameProperty.map { [$0] } ?? nameProperties
        let name = names.lazy.compactMap { properties?[$0].flatMap(word)?.withoutHidden }.first { !$0.isEmpty }
        return ZoneShape(
            id: id, name: name, polygons: try geometry(feature["geometry"], label: label + " (\"\(id)\")"))
    }

    /// A text, or a number written without a needless fraction.
    private static func word(_ value: JSONValue) -> String? {
        if let text = value.text { return text.isEmpty ? nil : text }
        if let whole = value.integer { return "\(whole)" }
        return value.double.map { "\($0)" }
    }

    private static func geometry(_ geometry: JSONValue?, label: String) throws(ZoneSetError) -> [[[GeoPoint]]] {
        let kind = geometry?["type"]?.text
        if kind == "GeometryCollection" {
            guard let parts = geometry?["geometries"]?.elements, !parts.isEmpty else {
                throw refusal(.notGeoJSON, nil, "\(label): a GeometryCollection has a list \"geometries\"")
            }
            // What has no area, as an intersection of two drawings leaves it, is no part of a zone.
            let flat: Set = ["Point", "MultiPoint", "LineString", "MultiLineString"]
            var polygons: [[[GeoPoint]]] = []
            for part in parts where !(part["type"]?.text.map(flat.contains) ?? false) {
                polygons += try self.geometry(part, label: label)
            }
            guard !polygons.isEmpty else {
                throw refusal(.notGeoJSON, nil, "\(label) has no polygon in its GeometryCollection")
            }
            return polygons
        }
        guard let kind, let coordinates = geometry?["coordinates"] else {
            throw refusal(.notGeoJSON, nil, "\(label) has no geometry with \"type\" and \"coordinates\"")
        }
        switch kind {
        case "Polygon":
            return [try polygon(coordinates, label: label)]
        case "MultiPolygon":
            guard let parts = coordinates.elements else {
                throw refusal(.notGeoJSON, nil, "\(label): the coordinates of a MultiPolygon are a list of polygons")
            }
            var polygons: [[[GeoPoint]]] = []
            for part in parts { polygons.append(try polygon(part, label: label)) }
            return polygons
        default:
            throw refusal(
                .notGeoJSON, nil,
                "\(label) is a \(kind); a zone is a Polygon, a MultiPolygon or a GeometryCollection of them")
        }
    }

    private static func polygon(_ value: JSONValue, label: String) throws(ZoneSetError) -> [[GeoPoint]] {
        var rings: [[GeoPoint]] = []
        for ring in value.elements ?? [] {
            var points: [GeoPoint] = []
            for position in ring.elements ?? [] {
                guard let lon = position[0]?.double, let lat = position[1]?.double else {
                    throw refusal(.notGeoJSON, nil, "\(label): \(position) is no position [longitude, latitude]")
                }
                points.append(GeoPoint(lat: lat, lon: lon))
            }
            rings.append(points)
        }
        guard !rings.isEmpty else {
            throw refusal(.notGeoJSON, nil, "\(label): the coordinates of a polygon are a list of rings")
        }
        return rings
    }

    private static func refusal(_ kind: ZoneProblem.Kind, _ zone: String?, _ text: String) -> ZoneSetError {
        ZoneSetError([ZoneProblem(kind: kind, zone: zone, text: text, isRepairable: false)])
    }
}

extension ZoneSet {
    /// Reads a GeoJSON FeatureCollection. Throws all that is wrong with it, with line and column if it is no JSON.
    public convenience init(geoJSON bytes: [UInt8], options: ZoneOptions = ZoneOptions()) throws(ZoneSetError) {
        try self.init(ZoneGeoJSON.shapes(bytes, options: options), options: options)
    }
}
