/// Checks the shapes of zones one after the other, puts them on the grid, and mends them where that is wanted.
struct ZoneSurvey {
    struct Surveyed {
        var shape: ZoneShape
        var polygons: [MapPolygon]
        /// Around each polygon, and around all of them.
        var boxes: [MapBounds]
        var box: MapBounds
    }

    let origin: MapOrigin
    let options: ZoneOptions
    private(set) var problems: [ZoneProblem] = []
    private(set) var repairs: [ZoneRepair] = []
    private(set) var zones: [Surveyed] = []
    /// Zones of which nobody knows what they enclose: a ring was refused, or crosses itself and is not to be mended. They are compared with
    /// no others.
    private var unclear: Set<String> = []
    private var overlaps = 0
    private var work: SurveyWork
    /// The zone that is being checked.
    private var current: String?

    /// Zones farther than this from where the city should be are somewhere else, metres.
    private static let farAway = 200_000.0
    /// Nobody reads more. Of zones that all lie on each other there would be a text for each pair.
    static let mostOverlaps = 1_000
    /// A ring that meets itself more often is not mended. Borders that are drawn cross themselves at some places by mistake. With so
    /// many nobody knows what the ring was to enclose, and each of the rings that it falls apart into is compared with all others.
    static let mostMeetings = 1_000
    /// Rounding to the grid moves an edge of 2 km over no more than this, m².
    private static let roundedArea = 10.0

    init(_ shapes: [ZoneShape], options: ZoneOptions, work: SurveyWork = SurveyWork()) {
        self.options = options
        self.work = work
        let first = shapes.lazy.flatMap(\.polygons).flatMap { $0 }.flatMap { $0 }.first { ZoneSurvey.isInRange($0) }
        origin = MapOrigin(near: first ?? GeoPoint(lat: 0, lon: 0))
        if shapes.isEmpty {
            problems.append(
                ZoneProblem(kind: .noZones, zone: nil, text: "there is no zone in it", isRepairable: false))
        }
        do throws(SurveyWork.Spent) {
            for shape in joinedByID(shapes) { try survey(shape) }
            checkExtent()
            checkPriority(shapes)
            try checkOverlaps()
        } catch {
            fault(
                .tooIntricate, current,
                "checking the zones takes too many comparisons of edges, and ends here: give fewer zones, or borders with fewer corners"
            )
        }
    }

    // MARK: - Notes

    private mutating func fault(
        _ kind: ZoneProblem.Kind, _ zone: String?, _ text: String, repair: String? = nil
    ) {
        if options.repair, let repair, let zone {
            repairs.append(ZoneRepair(zone: zone, text: text + "; " + repair))
        } else {
            problems.append(ZoneProblem(kind: kind, zone: zone, text: text, isRepairable: repair != nil))
            if repair == nil, let zone { unclear.insert(zone) }
        }
    }

    private func show(_ point: MapPoint) -> String { ZoneSurvey.show(origin.geo(point)) }
    private static func show(_ point: GeoPoint) -> String { "\(point.lat), \(point.lon)" }

    // MARK: - Zones

    /// Several features of one id become the parts of one zone.
    private mutating func joinedByID(_ shapes: [ZoneShape]) -> [ZoneShape] {
        var joined: [ZoneShape] = []
        var position: [String: Int] = [:]
        for shape in shapes {
            if let known = position[shape.id] {
                fault(
                    .duplicateID, shape.id, "the id occurs twice (\"\(joined[known].name)\" and \"\(shape.name)\")",
                    repair: "taken as parts of one zone")
                joined[known].polygons += shape.polygons
            } else {
                position[shape.id] = joined.count
                joined.append(shape)
            }
        }
        return joined
    }

    private mutating func survey(_ shape: ZoneShape) throws(SurveyWork.Spent) {
        current = shape.id
        let before = problems.count
        var polygons: [MapPolygon] = []
        for (index, rings) in shape.polygons.enumerated() {
            polygons += try survey(rings, of: shape, number: shape.polygons.count > 1 ? index + 1 : nil)
        }
        if polygons.isEmpty, problems.count == before {
            fault(.empty, shape.id, "encloses nothing")
        }
        let boxes = polygons.compactMap(\.bounds)
        guard var box = boxes.first else { return }
        for other in boxes { box.add(other) }
        zones.append(Surveyed(shape: shape, polygons: polygons, boxes: boxes, box: box))
    }

    /// One polygon becomes one, or more if its outer ring falls apart, or none.
    private mutating func survey(
        _ rings: [[GeoPoint]], of shape: ZoneShape, number: Int?
    ) throws(SurveyWork.Spent) -> [MapPolygon] {
        var kept: [[MapPoint]] = []
        var fellApart = false
        let before = problems.count
        for (index, points) in rings.enumerated() {
            let label =
                (index == 0 ? "the outer ring" : "hole \(index)") + (number.map { " of polygon \($0)" } ?? "")
            guard let ring = closedRing(points, shape.id, label),
                let loops = try simpleLoops(ring, shape.id, label)
            else {
                if index == 0 { return [] }
                continue
            }
            if loops.isEmpty {
                fault(.empty, shape.id, "\(label) encloses nothing", repair: "left out")
                if index == 0 { return [] }
            }
            if index == 0, loops.count > 1 { fellApart = true }
            if index > 0 { try checkHole(loops, in: kept, shape.id, label) }
            kept += loops
        }
        if fellApart || kept.count > rings.count {
            try work.take(LoopNesting.steps(kept))
            return LoopNesting.polygons(kept)
        }
        guard !kept.isEmpty else { return [] }
        let polygon = MapPolygon(rings: LoopNesting.oriented(kept))
        if problems.count == before, kept.count > 1, polygon.area < ZoneSurvey.roundedArea {
            fault(.empty, shape.id, "the holes leave nothing of the outer ring")
        }
        return [polygon]
    }

    /// The ring on the grid, without its closing point and without repeated points; nil when it can't be used.
    private mutating func closedRing(_ points: [GeoPoint], _ zone: String, _ label: String) -> [MapPoint]? {
        for (index, point) in points.enumerated() where !ZoneSurvey.isInRange(point) {
            let place = "\(label), point \(index + 1): \(ZoneSurvey.show(point))"
            if ZoneSurvey.isInRange(GeoPoint(lat: point.lon, lon: point.lat)) {
                fault(
                    .swapped, zone,
                    "\(place) is out of range, but not with latitude and longitude swapped (GeoJSON gives longitude first)"
                )
            } else {
                fault(.outOfRange, zone, "\(place) is out of range")
            }
            return nil
        }
        if let near = options.near, let first = points.first, !isNear(first, near, zone, label) { return nil }
        if let first = points.first, let last = points.last, first != last {
            fault(
                .notClosed, zone,
                "\(label) is not closed: it begins at \(ZoneSurvey.show(first)) and ends at \(ZoneSurvey.show(last))",
                repair: "closed")
        }
        var ring: [MapPoint] = []
        for point in points {
            let mapped = origin.map(point)
            if ring.last != mapped { ring.append(mapped) }
        }
        if ring.count > 1, ring.first == ring.last { ring.removeLast() }
        if ring.count < 3 {
            let place = points.first.map { " at \(ZoneSurvey.show($0))" } ?? ""
            fault(
                .tooFewPoints, zone,
                "\(label)\(place) has \(points.count) points, of which \(ring.count) differ: a ring needs 4, the last like the first",
                repair: "left out")
            return nil
        }
        return ring
    }

    private mutating func isNear(_ point: GeoPoint, _ near: GeoPoint, _ zone: String, _ label: String) -> Bool {
        guard point.distance(to: near) > ZoneSurvey.farAway else { return true }
        let swapped = GeoPoint(lat: point.lon, lon: point.lat)
        let text = "\(label) begins at \(ZoneSurvey.show(point)), far from \(ZoneSurvey.show(near))"
        if ZoneSurvey.isInRange(swapped), swapped.distance(to: near) <= ZoneSurvey.farAway {
            fault(
                .swapped, zone,
                text + ", but near it with latitude and longitude swapped (GeoJSON gives longitude first)")
        } else {
            fault(.farAway, zone, text)
        }
        return false
    }

    /// The ring itself if it nowhere meets itself, else the loops that it falls apart into; nil when it is refused for that.
    private mutating func simpleLoops(
        _ ring: [MapPoint], _ zone: String, _ label: String
    ) throws(SurveyWork.Spent) -> [[MapPoint]]? {
        guard let place = try RingNoding.meeting(ring, work: &work) else {
            return MapRing.signedArea(ring) == 0 ? [] : [ring]
        }
        let text = "\(label) crosses or touches itself at \(show(place))"
        guard options.repair else {
            fault(.selfIntersection, zone, text, repair: "split there")
            unclear.insert(zone)
            return nil
        }
        guard let noded = try RingNoding.noded(ring, most: Self.mostMeetings, work: &work) else {
            fault(.selfIntersection, zone, text + ", and at more than \(Self.mostMeetings) places: it can't be mended")
            return nil
        }
        let loops = RingNoding.loops(noded)
        fault(
            .selfIntersection, zone, text,
            repair: loops.count == 1 ? "what had no area was left out" : "split into \(loops.count) rings")
        return loops
    }

    /// A hole lies wholly in what is left of the outer ring, so that a point is enclosed by it or not, and the area is
    /// right. It may touch the outer ring or another hole.
    private mutating func checkHole(
        _ loops: [[MapPoint]], in kept: [[MapPoint]], _ zone: String, _ label: String
    ) throws(SurveyWork.Spent) {
        for loop in loops {
            // What one of both encloses, but not both, has nothing in common with a hole that lies within.
            let stray = try OverlapSweep(MapPolygon(rings: [loop]), MapPolygon(rings: kept + [loop]), work: &work)
            guard stray.area > ZoneSurvey.roundedArea, let place = stray.place else { continue }
            fault(
                .misplacedHole, zone,
                "\(label) leaves the ring that it lies in, or meets another hole, near \(show(place))")
            return
        }
    }

    // MARK: - The set

    private mutating func checkExtent() {
        var bounds: MapBounds?
        for zone in zones {
            if bounds == nil { bounds = zone.box } else { bounds?.add(zone.box) }
        }
        guard let bounds else { return }
        let width = Int64(bounds.maxX) - Int64(bounds.minX)
        let height = Int64(bounds.maxY) - Int64(bounds.minY)
        guard max(width, height) > MapPoint.maximumSpan else { return }
        fault(.tooLarge, nil, "the zones span more than 90 degrees: one hub serves one city")
    }

    private mutating func checkPriority(_ shapes: [ZoneShape]) {
        let known = Set(shapes.map(\.id))
        for id in options.priority where !known.contains(id) {
            fault(.unknownPriority, nil, "the order of precedence names \"\(id)\", which is no zone")
        }
    }

    /// Zones in the order in which a point is asked for.
    var order: [Int] {
        var rank: [String: Int] = [:]
        for (index, id) in options.priority.enumerated() where rank[id] == nil { rank[id] = index }
        return zones.indices.sorted {
            (rank[zones[$0].shape.id] ?? .max, $0) < (rank[zones[$1].shape.id] ?? .max, $1)
        }
    }

    private mutating func checkOverlaps() throws(SurveyWork.Spent) {
        // A span too large would overflow.
        guard !problems.contains(where: { $0.kind == .tooLarge }) else { return }
        let order = self.order.filter { !unclear.contains(zones[$0].shape.id) }
        let boxes = order.map { zones[$0].box }
        for (position, first) in order.enumerated() {
            current = zones[first].shape.id
            try work.take(order.count - position)
            for other in position..<order.count where boxes[position].meets(boxes[other]) {
                let second = order[other]
                guard overlaps < Self.mostOverlaps else { return leaveOff(zones[second].shape.id) }
                try checkOverlap(first, second)
            }
        }
    }

    /// Said first, as it counts for all that follows. What overlaps belongs to the zone that comes first, compared or not.
    private mutating func leaveOff(_ zone: String) {
        let text = "\(overlaps) overlaps were found before it was compared with all others: the rest was left off"
        if options.repair {
            repairs.insert(ZoneRepair(zone: zone, text: text), at: 0)
        } else {
            problems.insert(ZoneProblem(kind: .overlap, zone: zone, text: text, isRepairable: true), at: 0)
        }
    }

    private mutating func checkOverlap(_ first: Int, _ second: Int) throws(SurveyWork.Spent) {
        var area = 0.0
        var largest = 0.0
        var place: MapPoint?
        let (ours, theirs) = (zones[first], zones[second])
        try work.take(ours.polygons.count * theirs.polygons.count)
        for i in ours.polygons.indices {
            for j in theirs.polygons.indices where first != second || i < j {
                guard ours.boxes[i].meets(theirs.boxes[j]) else { continue }
                let sweep = try OverlapSweep(ours.polygons[i], theirs.polygons[j], work: &work)
                area += sweep.area
                guard sweep.area > largest else { continue }
                largest = sweep.area
                place = sweep.place
            }
        }
        guard area > options.overlapTolerance, let place else { return }
        overlaps += 1
        let id = zones[second].shape.id
        let amount = "\(Int(area.rounded())) m², near \(show(place))"
        if first == second {
            fault(.overlap, id, "its own polygons overlap by \(amount)", repair: "counted once")
        } else {
            let other = zones[first].shape.id
            fault(
                .overlap, id, "overlaps zone \"\(other)\" by \(amount)",
                repair: "that part belongs to \"\(other)\", which comes first")
        }
    }

    private static func isInRange(_ point: GeoPoint) -> Bool {
        point.lat.isFinite && point.lon.isFinite && abs(point.lat) <= 90 && abs(point.lon) <= 180
    }
}
