internal import Domain

/// What trips have alike that share a pattern. By numbers, as there are many trips: by the stops' ids it takes four times as
/// long.
private struct FeedWay: Hashable {
    let route, direction: Int
    let headsign: String
    let shape: String
    /// Indices in the stops.
    let stops: [Int32]

    func hash(into hasher: inout Hasher) {
        hasher.combine(route)
        hasher.combine(direction)
        hasher.combine(headsign)
        hasher.combine(shape)
        stops.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

/// What was read becomes a catalog.
extension GTFSReader {
    func catalog() throws(FeedRefusal) -> Catalog {
        var builders = routes.map { route in
            LineBuilder(
                Line(
                    id: route.line, feedID: route.line == route.id ? nil : route.id, name: route.name,
                    longName: route.longName, color: route.color, kind: route.kind),
                farStop: options.limits.farStopToShape, tooFar: options.limits.maxStopToShape)
        }
        var ways: [FeedWay: Int] = [:]
        for trip in trips where !trip.isSkipped && trip.calls.count >= 2 {
            add(trip, to: &builders[trip.route], &ways)
        }
        var onDemand: [[FeedTrip]] = Array(repeating: [], count: routes.count)
        for trip in trips where !trip.isSkipped && !trip.places.isEmpty { onDemand[trip.route].append(trip) }
        var catalog = Catalog(timeZone: timeZone)
        for (index, builder) in builders.enumerated() {
            var line = builder.finish()
            addOnDemand(onDemand[index], to: &line)
            guard !line.trips.isEmpty || !line.onDemand.isEmpty else {
                report.add(
                    .skipped, "empty line", "routes.txt", nil, "route \(routes[index].id) has no trip that can be used")
                continue
            }
            if line.trips.isEmpty { line.kind = .flex }
            catalog.lines[line.id] = line
        }
        try refuseIfTooLittleIsLeft(catalog)
        let placeOfStop = Dictionary(uniqueKeysWithValues: stops.enumerated().map { ($1.stop.id, $0) })
        for line in catalog.lines.values {
            for service in line.trips.lazy.map(\.service) { catalog.services[service] = services[service] }
            for service in line.onDemand.lazy.map(\.service) { catalog.services[service] = services[service] }
            for id in line.patterns.lazy.flatMap(\.stops).map(\.stop) + line.onDemand.flatMap(\.places).flatMap(\.stops)
            {
                if catalog.stops[id] == nil, let index = placeOfStop[id] { catalog.stops[id] = stops[index].stop }
            }
        }
        let unused = stops.count - catalog.stops.count
        if unused > 0 {
            report.add(.noted, "unused stops", "stops.txt", nil, "\(unused) stops that no trip serves are left out")
        }
        noteLastDay(of: catalog.services.values)
        noteIdleLines(of: catalog)
        return catalog
    }

    private func refuseIfTooLittleIsLeft(_ catalog: Catalog) throws(FeedRefusal) {
        // Trips of routes that are no buses do not count.
        let wanted = trips.lazy.filter { $0.route >= 0 }.count
        let skipped = trips.lazy.filter { $0.route >= 0 && $0.isSkipped }.count
        guard !catalog.lines.isEmpty else {
            throw FeedRefusal("no trip is left that could be used\(firstReason)")
        }
        guard Double(skipped) <= Double(wanted) * options.limits.maxSkippedShare else {
            throw FeedRefusal(
                "\(skipped) of \(wanted) trips can't be used, more than \(Int(options.limits.maxSkippedShare * 100)) %\(firstReason). Mend the feed, or allow it with --max-skipped"
            )
        }
    }

    private var firstReason: String {
        report.findings.first { $0.effect == .skipped }.map { "; the first reason: \($0)" } ?? ""
    }

    private func add(_ trip: FeedTrip, to builder: inout LineBuilder, _ ways: inout [FeedWay: Int]) {
        let shape = shapes[trip.shape]
        let calls = calls[trip.calls]
        let way = FeedWay(
            route: trip.route, direction: trip.direction, headsign: trip.headsign,
            shape: shape == nil ? "" : trip.shape,
            stops: calls.map { Int32($0.stop) })
        var mends: [LineBuilder.Mend] = []
        let pattern: Int
        if let known = ways[way] {
            pattern = known
        } else {
            let distances = Self.metres(calls, shape)
            let places = calls.indices.map { index in
                LineBuilder.Place(stop: stops[calls[index].stop].stop, distance: distances?[index])
            }
            pattern = builder.pattern(
                direction: trip.direction, headsign: trip.headsign, places: places, shapeID: way.shape,
                shape: shape?.points ?? [], &mends)
            ways[way] = pattern
        }
        let times = calls.map { call in
            call.arrival.flatMap { arrival in call.departure.map { StopTime(arrival: arrival, departure: $0) } }
        }
        builder.add(
            id: trip.name, feedID: trip.name == trip.id ? nil : trip.id, service: trip.service, pattern: pattern,
            times: times, frequencies: trip.frequencies, sequences: calls.map(\.sequence))
        if shape == nil, !trip.shape.isEmpty {
            report.add(
                .mended, "shape missing", "trips.txt", trip.line,
                "trip \(trip.id): shape \(trip.shape) is not in shapes.txt; the straight way between the stops is taken"
            )
        }
        for mend in mends { tell(mend, trip, shape) }
    }

    private func tell(_ mend: LineBuilder.Mend, _ trip: FeedTrip, _ shape: FeedShape?) {
        let (file, line) = ("shapes.txt", shape?.line)
        switch mend {
        case .turned:
            report.add(
                .mended, "shape turned", file, line,
                "shape \(trip.shape) runs against the stops of trip \(trip.id); turned")
        case .dropped(let metres):
            let why =
                metres.map { "passes a stop of trip \(trip.id) only at \(Int($0)) m" }
                ?? "does not pass the stops of trip \(trip.id) in their order"
            report.add(
                .mended, "shape dropped", file, line,
                "shape \(trip.shape) \(why); the straight way between the stops is taken")
        case .unplaced(let stops):
            report.add(
                .mended, "stop unplaced", file, line,
                "shape \(trip.shape) does not pass stop \(stops.joined(separator: ", ")) of trip \(trip.id) in its turn; put between its neighbours"
            )
        case .far(let stop, let metres):
            report.add(
                .noted, "far stop", file, line,
                "shape \(trip.shape) passes stop \(stop) of trip \(trip.id) at \(Int(metres)) m")
        }
    }

    /// Where the feed itself says that the calls lie along the shape: its own unit brought to metres. Nil unless it says so
    /// for all of them and for the whole shape.
    private static func metres(_ calls: [FeedCall], _ shape: FeedShape?) -> [Double]? {
        guard let points = shape?.points, let told = shape?.distances, points.count >= 2 else { return nil }
        let wanted = calls.compactMap(\.distance)
        guard told.count == points.count, wanted.count == calls.count,
            zip(told, told.dropFirst()).allSatisfy({ $0 <= $1 }),
            zip(wanted, wanted.dropFirst()).allSatisfy({ $0 <= $1 })
        else { return nil }
        let lengths = StopAlignment.lengths(points)
        var metres: [Double] = []
        var next = 1
        for distance in wanted {
            while next < told.count - 1, told[next] < distance { next += 1 }
            let step = told[next] - told[next - 1]
            let part = step > 0 ? min(1, max(0, (distance - told[next - 1]) / step)) : 0
            metres.append(lengths[next - 1] + (lengths[next] - lengths[next - 1]) * part)
        }
        return metres
    }

    private func addOnDemand(_ trips: [FeedTrip], to line: inout Line) {
        var areaIndex: [String: Int] = [:]
        var ruleIndex: [String: Int] = [:]
        for trip in trips {
            var run = OnDemandRun(id: trip.name, service: trip.service, places: [])
            for place in trip.places {
                if let area = place.area, areaIndex[area] == nil, let found = areas[area] {
                    areaIndex[area] = line.areas.count
                    line.areas.append(found)
                }
                if let rule = place.rule, ruleIndex[rule] == nil, let found = rules[rule] {
                    ruleIndex[rule] = line.rules.count
                    line.rules.append(found)
                }
                run.places.append(
                    OnDemandPlace(
                        area: place.area.flatMap { areaIndex[$0] },
                        stops: place.stops.map { id in stopIndex[id].map { stops[$0].stop.id } ?? id },
                        opens: place.opens,
                        closes: place.closes, canBoard: place.canBoard, canAlight: place.canAlight,
                        rule: place.rule.flatMap { ruleIndex[$0] }))
            }
            line.onDemand.append(run)
        }
        line.onDemand.sort { $0.id < $1.id }
    }
}
