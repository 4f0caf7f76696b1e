import Domain
import Testing

/// Metres north and east of a place in the city.
private func at(_ north: Double, _ east: Double = 0) -> GeoPoint {
    GeoPoint(
        lat: 45 + north / GeoPoint.metresPerDegree,
        lon: 9 + east / LocalFrame(origin: GeoPoint(lat: 45, lon: 9)).metresPerLonDegree)
}

@Suite("M2, M9: the way that a minibus announces")
struct MinibusWayTests {
    private let way = MinibusWay([at(0), at(5000), at(5000, 3000)])!

    private func metres(_ fit: MinibusWay.Fit) -> Double {
        if case .fits(let metres, _, _) = fit { metres } else { -1 }
    }

    @Test("on and off anywhere along it, beside it too")
    func fits() {
        #expect(abs(metres(way.fit(from: at(1000, 200), to: at(4000, -300), reach: 500)) - 3000) < 5)
        #expect(abs(metres(way.fit(from: at(4000), to: at(5200, 2000), reach: 500)) - 3000) < 5)
        #expect(abs(metres(way.fit(from: at(-100), to: at(5000, 3100), reach: 500)) - 8000) < 10)
    }

    @Test("how far after its start one gets on, and how much more it makes the vehicle drive")
    func asks() {
        guard case .fits(_, let from, let detour) = way.fit(from: at(1000, 200), to: at(4000, -300), reach: 500) else {
            Issue.record("does not fit")
            return
        }
        #expect(abs(from - 1000) < 5 && abs(detour - 1000) < 5)
    }

    @Test("too far from it, by how much; and the wrong way round")
    func refused() {
        guard case .pickupIsFar(let off) = way.fit(from: at(1000, -900), to: at(4000), reach: 500) else {
            Issue.record("not refused")
            return
        }
        #expect(abs(off - 900) < 5)
        guard case .destinationIsFar = way.fit(from: at(1000), to: at(5000, 4000), reach: 500) else {
            Issue.record("not refused")
            return
        }
        #expect(way.fit(from: at(4000), to: at(1000), reach: 500) == .isBackwards)
    }

    @Test("C52: a round that comes by twice can be ridden past its start")
    func round() {
        let round = MinibusWay([at(0), at(2000), at(2000, 2000), at(0, 2000), at(0)])!
        #expect(abs(metres(round.fit(from: at(0, 1000), to: at(0, 100), reach: 200)) - 900) < 5)
        #expect(abs(metres(round.fit(from: at(0, 2000), to: at(0), reach: 200)) - 2000) < 5)
        #expect(MinibusWay([at(0)]) == nil)
    }
}

@Suite("S7: the order of stops that is proposed")
struct MinibusStopsTests {
    private func names(_ stops: [MinibusStop]) -> [String] { stops.map { ($0.isPickup ? "+" : "-") + $0.booking } }

    @Test("along an announced way as they come")
    func alongTheWay() {
        let errands = [
            MinibusErrand(booking: "a", pickup: at(3000), destination: at(6000)),
            MinibusErrand(booking: "b", pickup: nil, destination: at(2000)),
            MinibusErrand(booking: "c", pickup: at(1500), destination: at(1500)),
        ]
        let order = MinibusStops.order(errands, from: at(0), way: MinibusWay([at(0), at(8000)]))
        #expect(names(order) == ["+c", "-c", "-b", "+a", "-a"])
    }

    @Test("without a way each where it lengthens the tour least, the pickup first")
    func shortest() {
        let errands = [
            MinibusErrand(booking: "a", pickup: at(1000), destination: at(4000)),
            MinibusErrand(booking: "b", pickup: at(2000), destination: at(3000)),
            MinibusErrand(booking: "c", pickup: nil, destination: at(500)),
        ]
        #expect(names(MinibusStops.order(errands, from: at(0), way: nil)) == ["-c", "+a", "+b", "-b", "-a"])
        #expect(MinibusStops.order([], from: nil, way: nil) == [])
        let backwards = [MinibusErrand(booking: "a", pickup: at(4000), destination: at(1000))]
        #expect(names(MinibusStops.order(backwards, from: at(0), way: nil)) == ["+a", "-a"])
    }
}
