internal import CSV
internal import Domain
internal import Wire

/// Where: the agency's time zone, stops, areas of GTFS-Flex.
extension GTFSReader {
    func readAgency() throws(FeedRefusal) {
        var table = try requiredTable("agency.txt")
        try table.require("agency_timezone")
        let (id, zone) = (table.column("agency_id"), table.column("agency_timezone"))
        while try table.goOn() {
            agencies.insert(table.text(id))
            let name = table.text(zone)
            if timeZone.isEmpty {
                guard CityTime(zone: name, directory: options.zoneDirectory) != nil else {
                    throw FeedRefusal(
                        "agency.txt:\(table.line): agency_timezone \"\(name)\" is no time zone that this machine knows; write one such as Europe/Berlin"
                    )
                }
                timeZone = name
            } else if name != timeZone {
                throw FeedRefusal(
                    "agency.txt:\(table.line): agency_timezone is \(name), but \(timeZone) above; a feed has one")
            }
        }
        guard !timeZone.isEmpty else { throw FeedRefusal("agency.txt has no row; write one with agency_timezone") }
    }

    func readStops() throws(FeedRefusal) {
        var table = try requiredTable("stops.txt")
        try table.require("stop_id", "stop_lat", "stop_lon")
        let (id, name) = (table.column("stop_id"), table.column("stop_name"))
        let (lat, lon) = (table.column("stop_lat"), table.column("stop_lon"))
        let type = table.column("location_type")
        while try table.goOn() {
            let stopID = table.text(id)
            // Entrances, nodes and boarding areas are no places where a bus stops.
            if ["2", "3", "4"].contains(table.text(type)) { continue }
            guard !stopID.isEmpty else {
                report.add(.skipped, "stop id", table.name, table.line, "a stop without stop_id")
                continue
            }
            guard stopIndex[stopID] == nil else {
                report.add(.skipped, "stop twice", table.name, table.line, "stop \(stopID) stands there already")
                continue
            }
            guard let point = point(table, lat, lon) else {
                report.add(
                    .skipped, "stop place", table.name, table.line,
                    "stop \(stopID) has no place: stop_lat \"\(table.text(lat))\", stop_lon \"\(table.text(lon))\"")
                continue
            }
            let text = self.name(table, name)
            if text.isEmpty {
                report.add(.mended, "stop name", table.name, table.line, "stop \(stopID) has no name; its id is taken")
            }
            let usable = stopIDs.usable(stopID) { stopIndex[$0] != nil }
            if usable != stopID {
                report.add(
                    .mended, "stop id here", table.name, table.line,
                    "stop \"\(stopID)\" becomes \(usable): ids have up to 64 visible characters of ASCII")
            }
            stopIndex[stopID] = stops.count
            stops.append(
                FeedStop(
                    stop: Stop(
                        id: usable, feedID: usable == stopID ? nil : stopID,
                        name: text.isEmpty ? usableName(stopID, table.name, table.line) : text, point: point),
                    line: table.line))
        }
    }

    /// A text for people; mended where it is too long or has what no name has.
    func name(_ table: CSVTable, _ column: CSVTable.Column) -> String {
        usableName(table.text(column), table.name, table.line)
    }

    func usableName(_ written: String, _ file: String, _ line: Int?) -> String {
        guard !Catalog.isText(written) else { return written }
        let text = visible(written, file, line)
        guard !Catalog.isText(text) else { return text }
        var usable = ""
        for character in text {
            guard usable.utf8.count + character.utf8.count <= Catalog.textBytes else { break }
            usable.append(Catalog.isText(String(character)) ? character : " ")
        }
        report.add(
            .mended, "name", file, line,
            "a name of \(text.utf8.count) bytes becomes \"\(usable.prefix(40))…\": names have up to \(Catalog.textBytes) on one line"
        )
        return usable
    }

    /// A text for people without what they don't see in it.
    func visible(_ text: String, _ file: String, _ line: Int?) -> String {
        guard text.unicodeScalars.contains(where: \.isHidden) else { return text }
        var shown = text.withoutHidden
        while shown.first == " " { shown.removeFirst() }
        while shown.last == " " { shown.removeLast() }
        report.add(
            .mended, "hidden", file, line,
            "\"\(shown.prefix(40))\" has characters that are not seen, or turn the direction of others; left out")
        return shown
    }

    /// Degrees, to a tenth of a metre; nil when that is no place on earth.
    func point(_ table: CSVTable, _ lat: CSVTable.Column, _ lon: CSVTable.Column) -> GeoPoint? {
        guard let lat = table.double(lat), let lon = table.double(lon) else { return nil }
        let point = GeoPoint(lat: (lat * 1e6).rounded() / 1e6, lon: (lon * 1e6).rounded() / 1e6)
        return point.isUsable ? point : nil
    }

    /// locations.geojson: the areas in which a bus comes on request.
    func readAreas() throws(FeedRefusal) {
        let name = "locations.geojson"
        guard let bytes = try files.read(name, limits: options.limits) else { return }
        let root: JSONValue
        do { root = try JSONValue(parsing: bytes) } catch {
            throw FeedRefusal("\(name) is no JSON: \(error)")
        }
        guard let features = root["features"]?.elements else {
            throw FeedRefusal("\(name) is no GeoJSON FeatureCollection: there is no list \"features\" in it")
        }
        for (index, feature) in features.enumerated() {
            guard let id = feature["id"]?.text ?? feature["id"]?.integer.map(String.init), !id.isEmpty else {
                report.add(.skipped, "area id", name, nil, "feature \(index + 1) has no id")
                continue
            }
            guard areas[id] == nil, stopIndex[id] == nil else {
                report.add(.skipped, "area twice", name, nil, "the id \(id) of feature \(index + 1) is taken already")
                continue
            }
            guard let polygons = polygons(feature["geometry"]), !polygons.isEmpty else {
                report.add(
                    .skipped, "area shape", name, nil, "the area \(id) is no Polygon or MultiPolygon with closed rings")
                continue
            }
            let title = feature["properties"]?["stop_name"]?.text ?? ""
            areas[id] = ServiceArea(
                id: id, name: usableName(title.isEmpty ? id : title, name, nil), polygons: polygons)
        }
    }

    private func polygons(_ geometry: JSONValue?) -> [[[GeoPoint]]]? {
        let coordinates = geometry?["coordinates"]
        let parts: [JSONValue]
        switch geometry?["type"]?.text {
        case "Polygon": parts = coordinates.map { [$0] } ?? []
        case "MultiPolygon": parts = coordinates?.elements ?? []
        default: return nil
        }
        var polygons: [[[GeoPoint]]] = []
        for part in parts {
            var rings: [[GeoPoint]] = []
            for ring in part.elements ?? [] {
                var points: [GeoPoint] = []
                for position in ring.elements ?? [] {
                    guard let lon = position[0]?.double, let lat = position[1]?.double else { return nil }
                    let point = GeoPoint(lat: (lat * 1e6).rounded() / 1e6, lon: (lon * 1e6).rounded() / 1e6)
                    guard point.isUsable else { return nil }
                    points.append(point)
                }
                guard points.count >= 4, points.first == points.last else { return nil }
                rings.append(points)
            }
            guard !rings.isEmpty else { return nil }
            polygons.append(rings)
        }
        return polygons
    }

    /// Stops that are served on request as one: location_group_stops.txt, or, as it was once, location_groups.txt.
    func readGroups() throws(FeedRefusal) {
        for (file, member) in [("location_groups.txt", "location_id"), ("location_group_stops.txt", "stop_id")] {
            guard var table = try table(file) else { continue }
            let (group, stop) = (table.column("location_group_id"), table.column(member))
            while try table.goOn() {
                let (groupID, stopID) = (table.text(group), table.text(stop))
                // location_groups.txt as it is now names groups only.
                if !stop.isThere || groupID.isEmpty { continue }
                guard stopIndex[stopID] != nil else {
                    report.add(
                        .skipped, "group stop", file, table.line,
                        "stop \(stopID) of the group \(groupID) is not in stops.txt")
                    continue
                }
                groups[groupID, default: []].append(stopID)
            }
        }
    }

    func readShapes() throws(FeedRefusal) {
        guard var table = try table("shapes.txt") else { return }
        try table.require("shape_id", "shape_pt_lat", "shape_pt_lon", "shape_pt_sequence")
        let (id, sequence) = (table.column("shape_id"), table.column("shape_pt_sequence"))
        let (lat, lon) = (table.column("shape_pt_lat"), table.column("shape_pt_lon"))
        let distance = table.column("shape_dist_traveled")
        let wanted = Set(trips.lazy.map(\.shape))
        var current = ""
        var bytes: [UInt8] = []
        var shape = FeedShape(line: 0)
        // Rows of one shape stand together as a rule.
        func put() { if !current.isEmpty, wanted.contains(current) { shapes[current] = shape } }
        while try table.goOn() {
            if current.isEmpty || !table.has(id, bytes) {
                put()
                bytes = Array(table.bytes(id))
                current = table.text(id)
                // Taken out, so that its points are not copied when more are added.
                shape = shapes.removeValue(forKey: current) ?? FeedShape(line: table.line)
            }
            guard wanted.contains(current) else { continue }
            guard let point = point(table, lat, lon),
                let sequence = table.integer(sequence).flatMap(Int32.init(exactly:))
            else {
                report.add(
                    .skipped, "shape point", table.name, table.line,
                    "a point of shape \(current) without a place or shape_pt_sequence")
                continue
            }
            shape.append(point, sequence: sequence, distance: table.double(distance))
        }
        put()
        for id in shapes.keys { shapes[id]?.sort() }
    }
}
