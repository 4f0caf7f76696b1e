import Testing

@testable import Domain

/// A file of zones is checked or refused within seconds, whatever is in it.
struct ZoneSurveyTests {
    private func survey(
        _ shapes: [ZoneShape], repair: Bool = false, work: SurveyWork = SurveyWork()
    ) -> ZoneSurvey {
        var options = ZoneOptions()
        options.repair = repair
        return ZoneSurvey(shapes, options: options, work: work)
    }

    /// A ring that goes up and down so many times, and comes back across each of these edges.
    private func comb(_ count: Int) -> ZoneShape {
        let teeth = (0...count).map { (9 + Double($0) * 1e-4, $0.isMultiple(of: 2) ? 45 : 45.01) }
        let back = [(9 + Double(count + 1) * 1e-4, 45.005), (9 - 1e-4, 45.005)]
        return ZoneShape(id: "comb", polygons: [[Square.ring(teeth + back)]])
    }

    @Test("A ring that meets itself at 1,000 places is mended, and at more it is refused")
    func mostMeetings() {
        let mended = survey([comb(ZoneSurvey.mostMeetings)], repair: true)
        #expect(mended.problems == [] && mended.repairs.count == 1)
        #expect(mended.repairs.first?.text.contains("split into") == true)
        let refused = survey([comb(ZoneSurvey.mostMeetings + 1)], repair: true)
        #expect(refused.problems.map(\.kind) == [.selfIntersection] && refused.repairs.isEmpty)
        #expect(refused.problems.allSatisfy { $0.text.contains("at more than 1000 places") && !$0.isRepairable })
    }

    @Test("A ring of 500 random points is refused with a place, whether it is to be mended or not")
    func ball() {
        var random = Random(seed: 1)
        let points = (0..<500).map { _ in (random.within(9, 9.05), random.within(45, 45.04)) }
        let shape = ZoneShape(id: "ball", polygons: [[Square.ring(points)]])
        let found = survey([shape]).problems
        #expect(found.map(\.kind) == [.selfIntersection] && found[0].isRepairable)
        #expect(found.allSatisfy { $0.text.contains("itself at 45.0") })
        let unmended = survey([shape], repair: true).problems
        #expect(unmended.map(\.kind) == [.selfIntersection] && !unmended[0].isRepairable)
    }

    @Test("What a refused ring would have enclosed overlaps nothing")
    func refusedRingsAreNotCompared() {
        let bow = Square.ring([(9, 45), (9.02, 45.02), (9.02, 45), (9, 45.02)])
        let square = Square.ring(south: 45, west: 9, north: 45.02, east: 9.02)
        let shapes = [Square.zone("a", south: 45, west: 9, north: 45.02, east: 9.02)]
        #expect(survey(shapes + [ZoneShape(id: "b", polygons: [[bow]])]).problems.map(\.kind) == [.selfIntersection])
        // Neither is a zone that lacks a hole, or a part.
        for polygons in [[[square, bow]], [[square], [bow]]] {
            let found = survey(shapes + [ZoneShape(id: "b", polygons: polygons)]).problems
            #expect(found.map(\.kind) == [.selfIntersection])
        }
    }

    @Test("When the comparisons are spent the file is refused, with the zone where that was")
    func spent() {
        let zones = (0..<20).map {
            Square.zone("z\($0)", south: 45, west: 9 + Double($0) / 50, north: 45.02, east: 9.02 + Double($0) / 50)
        }
        #expect(survey(zones, work: SurveyWork(most: 100_000)).problems == [])
        for most in [0, 100, 500] {
            let found = survey(zones, work: SurveyWork(most: most)).problems
            #expect(found.map(\.kind) == [.tooIntricate] && !found[0].isRepairable && found[0].zone != nil)
        }
        #expect(survey(zones, repair: true, work: SurveyWork(most: 100)).problems.map(\.kind) == [.tooIntricate])
    }

    @Test("2,000 corners in a row cost some steps each, not one for each other corner")
    func steps() throws {
        let corners = (0..<2_000).map { MapPoint(x: Int32($0 * 100), y: Int32($0 % 2 * 50)) }
        let ring = corners + [MapPoint(x: 200_000, y: 100_000), MapPoint(x: 0, y: 100_000)]
        let upright = ring.map { MapPoint(x: $0.y, y: $0.x) }
        for ring in [ring, upright] {
            var work = SurveyWork(most: 100_000)
            let place = try RingNoding.meeting(ring, work: &work)
            #expect(place == nil)
        }
    }

    @Test("Pairs of edges are those whose boxes meet")
    func pairs() throws {
        for seed in 1...20 {
            var random = Random(seed: UInt64(seed))
            func edges() -> [BorderEdge] {
                let points = (0..<Int.random(in: 1...60, using: &random)).map { _ in
                    MapPoint(x: .random(in: 0...100, using: &random), y: .random(in: 0...100, using: &random))
                }
                return points.indices.map { BorderEdge(points[$0], points[($0 + 1) % points.count]) }
            }
            let (a, b) = (edges(), edges())
            func meet(_ one: BorderEdge, _ other: BorderEdge) -> Bool {
                max(one.minX, other.minX) <= min(one.maxX, other.maxX)
                    && max(one.low.y, other.low.y) <= min(one.high.y, other.high.y)
            }
            var work = SurveyWork()
            var own: [[Int]] = []
            try EdgeTree(a).forEachPair(work: &work) { i, j in
                own.append([min(i, j), max(i, j)])
                return true
            }
            let expected = a.indices.flatMap { i in
                a.indices.filter { i < $0 && meet(a[i], a[$0]) }.map { [i, $0] }
            }
            #expect(own.sorted { $0.lexicographicallyPrecedes($1) } == expected, "seed \(seed)")
            var both: [[Int]] = []
            try EdgeTree(a).forEachPair(with: EdgeTree(b), work: &work) { i, j in
                both.append([i, j])
                return both.count < 5
            }
            let all = a.indices.flatMap { i in b.indices.filter { meet(a[i], b[$0]) }.map { [i, $0] } }
            #expect(both.count == min(5, all.count) && both.allSatisfy { all.contains($0) }, "seed \(seed)")
        }
    }

    @Test("A polygon overlaps the cells of a grid over it, wide or tall, by its own area in all")
    func cells() throws {
        // At the equator, where a degree of longitude is as long in all of it.
        let side: Int32 = 840_000
        for seed in 1...20 {
            var random = Random(seed: UInt64(seed))
            let count = Int.random(in: 3...40, using: &random)
            // A star around the middle crosses itself nowhere.
            let ring = (0..<count).map { number in
                let angle = 2 * Double.pi * Double(number) / Double(count)
                let radius = random.within(0.05, 0.5) * Double(side)
                return MapPoint(
                    x: side / 2 + Int32(radius * cosine(angle)),
                    y: side / 2 + Int32(radius * cosine(angle - .pi / 2)))
            }
            let star = MapPolygon(rings: [ring])
            for (columns, rows) in [(1, 1), (1, 7), (7, 1), (3, 4), (12, 2)] as [(Int32, Int32)] {
                var work = SurveyWork()
                var sum = 0.0
                for column in 0..<columns {
                    for row in 0..<rows {
                        let (west, south) = (column * (side / columns), row * (side / rows))
                        let (east, north) = (west + side / columns, south + side / rows)
                        let cell = MapPolygon(rings: [
                            [
                                MapPoint(x: west, y: south), MapPoint(x: east, y: south), MapPoint(x: east, y: north),
                                MapPoint(x: west, y: north),
                            ]
                        ])
                        sum += try OverlapSweep(star, cell, work: &work).area
                    }
                }
                #expect(abs(sum / star.area - 1) < 1e-5, "seed \(seed), \(columns) × \(rows)")
            }
        }
    }

    /// What is west of the box that both have in common is not swept, only counted.
    @Test func `A border counts at its corners west of what is common, and where it leads through that`() throws {
        func polygon(_ corners: [(Int32, Int32)]) -> MapPolygon {
            MapPolygon(rings: [corners.map { MapPoint(x: $0.0 * 1_000, y: $0.1 * 1_000) }])
        }
        func overlap(_ a: MapPolygon, _ b: MapPolygon) throws -> Double {
            var work = SurveyWork()
            return try OverlapSweep(a, b, work: &work).area
        }
        let tower = polygon([(0, 0), (50, 0), (50, 80), (0, 80)])
        let lower = polygon([(0, 0), (50, 0), (50, 40), (0, 40)])
        // A corner half way up, where a line through it would go.
        let dented = polygon([(-100, 0), (300, 0), (300, 80), (-100, 80), (-90, 40)])
        #expect(try abs(overlap(dented, tower) / tower.area - 1) < 1e-6)
        let chair = polygon([(-100, 0), (300, 0), (300, 100), (200, 100), (200, 40), (-100, 40)])
        #expect(try abs(overlap(chair, tower) / lower.area - 1) < 1e-6)
    }
}
