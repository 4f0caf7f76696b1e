import Testing

@testable import Domain

/// Metres north and east of a place in the city.
private func at(_ north: Double, _ east: Double = 0) -> GeoPoint {
    GeoPoint(
        lat: 45 + north / GeoPoint.metresPerDegree,
        lon: 9 + east / LocalFrame(origin: GeoPoint(lat: 45, lon: 9)).metresPerLonDegree)
}

@Suite("M2, M9: the way that a minibus announces")
struct AnnouncedPathTests {
    private let way = AnnouncedPath([at(0), at(5000), at(5000, 3000)])!

    private func metres(_ fit: AnnouncedPath.Fit) -> Double {
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
        let round = AnnouncedPath([at(0), at(2000), at(2000, 2000), at(0, 2000), at(0)])!
        #expect(abs(metres(round.fit(from: at(0, 1000), to: at(0, 100), reach: 200)) - 900) < 5)
        #expect(abs(metres(round.fit(from: at(0, 2000), to: at(0), reach: 200)) - 2000) < 5)
        #expect(AnnouncedPath([at(0)]) == nil)
    }
}

@Suite("S7: the order of stops that is proposed")
struct MinibusStopsTests {
    private func names(_ stops: [MinibusStop]) -> [String] { stops.map { ($0.isPickup ? "+" : "-") + $0.booking } }

    @Test("along an announced way as they come")
    func alongTheWay() {
        let bookings = [
            BookingStops(booking: "a", pickup: at(3000), destination: at(6000)),
            BookingStops(booking: "b", pickup: nil, destination: at(2000)),
            BookingStops(booking: "c", pickup: at(1500), destination: at(1500)),
        ]
        let order = MinibusStops.order(bookings, from: at(0), way: AnnouncedPath([at(0), at(8000)]))
        #expect(names(order) == ["+c", "-c", "-b", "+a", "-a"])
    }

    @Test("without a way each where it lengthens the tour least, the pickup first")
    func shortest() {
        let bookings = [
            BookingStops(booking: "a", pickup: at(1000), destination: at(4000)),
            BookingStops(booking: "b", pickup: at(2000), destination: at(3000)),
            BookingStops(booking: "c", pickup: nil, destination: at(500)),
        ]
        #expect(names(MinibusStops.order(bookings, from: at(0), way: nil)) == ["-c", "+a", "+b", "-b", "-a"])
        #expect(MinibusStops.order([], from: nil, way: nil) == [])
        let backwards = [BookingStops(booking: "a", pickup: at(4000), destination: at(1000))]
        #expect(names(MinibusStops.order(backwards, from: at(0), way: nil)) == ["+a", "-a"])
    }

    private func bookings(_ count: Int, _ dice: inout Random, place: (inout Random) -> GeoPoint) -> [BookingStops] {
        (0..<count).map { number in
            let isAboard = dice.within(0, 1) < 0.2
            return BookingStops(booking: "\(number)", pickup: isAboard ? nil : place(&dice), destination: place(&dice))
        }
    }

    /// Every pair of places for each booking, the whole tour measured for each. Lengths that differ by less than `same` metres
    /// are one.
    private func exhaustive(_ bookings: [BookingStops], from vehicle: GeoPoint?, same: Double) -> [MinibusStop] {
        var tour: [MinibusStop] = []
        for booking in bookings {
            var best = (length: Double.infinity, tour: tour)
            let stops = booking.stops
            for first in 0...tour.count {
                for second in stops.count == 1 ? first...first : (first + 1)...(tour.count + 1) {
                    var trial = tour
                    trial.insert(stops[0], at: first)
                    if stops.count == 2 { trial.insert(stops[1], at: second) }
                    let places = (vehicle.map { [$0] } ?? []) + trial.map(\.place)
                    let length = zip(places, places.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
                    if length < best.length - same { best = (length, trial) }
                }
            }
            tour = best.tour
        }
        return tour
    }

    @Test("the same order as measuring the tour for each pair of places")
    func asExhaustive() {
        var dice = Random(seed: 7)
        for turn in 0..<400 {
            let start = turn % 3 == 0 ? nil : at(dice.within(0, 4000), dice.within(0, 4000))
            let anywhere = bookings(turn % 9, &dice) { at($0.within(0, 8000), $0.within(0, 8000)) }
            #expect(
                MinibusStops.order(anywhere, from: start, way: nil) == exhaustive(anywhere, from: start, same: 0),
                "turn \(turn)")
            // A few bus stops: many places are as good as each other, and the first counts.
            let atStops = bookings(turn % 9, &dice) {
                at(Double(Int.random(in: 0...2, using: &$0)) * 1000, Double(Int.random(in: 0...2, using: &$0)) * 1000)
            }
            #expect(
                MinibusStops.order(atStops, from: start, way: nil) == exhaustive(atStops, from: start, same: 0.001),
                "turn \(turn)")
        }
    }

    @Test("a full vehicle measures each pair of its stops about once")
    func fullVehicle() {
        var dice = Random(seed: 8)
        let bookings = bookings(99, &dice) { at($0.within(0, 8000), $0.within(0, 8000)) }
        var measured = 0
        let tour = MinibusStops.inserted(bookings, from: at(0)) {
            measured += 1
            return $0.distance(to: $1)
        }
        #expect(tour.count == bookings.flatMap(\.stops).count && measured < 20_000, "\(measured)")
    }
}
