import Testing

@testable import Domain

/// Expected requests by zone and hour, and where to wait by them.
@Suite struct WaitAdviceTests {
    // A Friday.
    private let today = ServiceDate(days: 20_783)

    private func demand(_ days: [(ago: Int, requested: Int)], hour: Int = 8, zone: String = "a") -> ZoneDemand {
        var demand = ZoneDemand()
        for day in days { demand.set(today + -day.ago, [(zone, hour, day.requested)]) }
        return demand
    }

    @Test("without figures nothing is expected")
    func nothing() {
        #expect(ZoneDemand().expected(hour: 8, on: today).isEmpty)
        #expect(demand([(1, 0)]).expected(hour: 8, on: today).isEmpty)
        #expect(ZoneOutlook(ZoneDemand(), local: 0).isEmpty)
    }

    @Test("the day itself does not count: it is not over")
    func today_() { #expect(demand([(0, 9)]).expected(hour: 8, on: today).isEmpty) }

    @Test(
        "Q10: little data does not shout: one busy hour of one day counts little in the hours beside it, and less than itself"
    )
    func shrinking() throws {
        var demand = ZoneDemand()
        demand.set(today + -1, [("a", 8, 12), ("b", 9, 12)])
        let eight = demand.expected(hour: 8, on: today)
        let a = try #require(eight["a"])
        let b = try #require(eight["b"])
        #expect(a < 12 && a > b && b > 0)
    }

    @Test("Q10: the same weekday counts more than other days, the more often it is known")
    func weekdays() throws {
        func expected(_ weeks: Int) throws -> Double {
            var demand = ZoneDemand()
            for day in 1...(weeks * 7) { demand.set(today + -day, [("a", 8, day % 7 == 0 ? 20 : 2)]) }
            return try #require(demand.expected(hour: 8, on: today)["a"])
        }
        let (one, four) = (try expected(1), try expected(4))
        #expect(one > 5 && four > one && four < 20)
    }

    @Test("what was read again replaces; what is too old is let go")
    func replacing() {
        var demand = demand([(7, 4)])
        demand.set(today + -7, [("a", 8, 6), ("a", 24, 9), ("a", -1, 9)])
        #expect(demand.dates == [today + -7])
        #expect(demand.expected(hour: 8, on: today)["a"] == 6)
        demand.keep([])
        #expect(demand.dates.isEmpty)
    }

    @Test("the next 60 minutes are a part of this hour and one of the next, over midnight too")
    func outlook() {
        var demand = ZoneDemand()
        for week in 1...4 {
            demand.set(today + (-7 * week), [("a", 23, 8)])
            demand.set(today + (1 - 7 * week), [("a", 0, 4)])
        }
        let midnight = Int64(today.days + 1) * 86_400
        let outlook = ZoneOutlook(demand, local: midnight - 1800)
        let full = ZoneOutlook(demand, local: midnight - 3600)["a"].now
        #expect(outlook["a"].now > full / 2 && outlook["a"].now < full)
        #expect(outlook["none"].now == 0)
    }

    @Test("until the third of a queue gets a ride: by this hour, then by the next, and at most two hours")
    func waiting() {
        #expect(WaitAdvice.wait(rank: 3, expected: 6, later: 0) == 1800)
        #expect(WaitAdvice.wait(rank: 0, expected: 6, later: 0) == 600)
        #expect(WaitAdvice.wait(rank: 3, expected: 2, later: 4) == 4500)
        #expect(WaitAdvice.wait(rank: 3, expected: 2, later: 0) == WaitAdvice.longest)
        #expect(WaitAdvice.wait(rank: 1, expected: 0, later: 0) == WaitAdvice.longest)
        #expect(WaitAdvice.wait(rank: 9, expected: 0, later: 1) == WaitAdvice.longest)
    }

    /// Zones a, b, c… 1,112 m apart.
    private func advice(_ zones: [(expected: Double, waiting: Int)], reach: Double = 5000) -> WaitAdvice {
        WaitAdvice(
            zones.enumerated().map { index, zone in
                WaitAdvice.Place(
                    zone: String("abcdef".dropFirst(index).prefix(1)), middle: point(index), expected: zone.expected,
                    later: zone.expected, waiting: zone.waiting)
            }, reach: reach, speed: 5)
    }

    private func point(_ index: Int) -> GeoPoint { GeoPoint(lat: 45 + 0.01 * Double(index), lon: 9) }

    @Test("Q10: the drive counts, and only zones within reach where anything is expected")
    func choices() {
        let advice = advice([(1, 4), (6, 0), (6, 0), (0, 0)])
        let found = advice.choices(from: point(0), except: "a")
        #expect(found.map(\.place.zone) == ["b", "c"])
        #expect(abs(found[0].seconds - (1112 / 5.0 + 600)) < 2)
        #expect(advice.choices(from: GeoPoint(lat: 50, lon: 9), except: nil).isEmpty)
    }

    private func drivers(_ count: Int) -> [WaitAdvice.Waiting] {
        (1...count).map { WaitAdvice.Waiting(driver: "T\($0)", zone: "a", rank: $0, point: point(0)) }
    }

    @Test("Q10: not all are sent to one zone, and who stands in front stays")
    func spreading() {
        var advice = advice([(2, 6), (6, 0), (6, 0), (6, 0)])
        let told = advice.advise(drivers(6), factor: 2)
        #expect(told.map(\.driver.driver) == ["T6", "T5", "T4", "T3", "T2"])
        #expect(Set(told.map(\.to.place.zone)) == ["b", "c", "d"])
        #expect(advice["b"]?.waiting == told.count { $0.to.place.zone == "b" })
    }

    @Test("who would gain little is left alone")
    func leastGain() {
        var near = advice([(4, 1), (7, 0)])
        #expect(near.advise(drivers(1), factor: 1).isEmpty, "15 minutes here, 12 there")
        var far = advice([(4, 1), (60, 0)])
        #expect(far.advise(drivers(1), factor: 4).isEmpty)
        #expect(far.advise(drivers(1), factor: 3).count == 1)
    }

    @Test("hours that were not seen are as the zones share the others, and as busy as the city was around them")
    func unseenHours() {
        var demand = ZoneDemand()
        demand.set(
            today + -7,
            [("a", 0, 3), ("b", 0, 1), ("a", 1, 500), ("b", 2, 500), ("c", 2, 9), ("a", 3, 9), ("b", 3, 3)])
        let unaware = demand.unaware(of: [1, 2])
        let day = today + 0
        // 4 in the hour before and 12 in the one after; 12 of 16 were of the first zone. A day ago counts as three.
        let hours = (0..<4).map { unaware.expected(hour: $0, on: day) }
        let whole = hours.map { ($0["a"] ?? 0) + ($0["b"] ?? 0) + ($0["c"] ?? 0) }
        #expect(hours.allSatisfy { ($0["c"] ?? 0) == 0 })
        #expect(hours.allSatisfy { abs(($0["a"] ?? 0) - 3 * ($0["b"] ?? 0)) < 2 })
        #expect(abs(whole[1] / whole[0] - 20.0 / 12) < 0.01 && abs(whole[2] / whole[0] - 28.0 / 12) < 0.01)
        #expect(demand.unaware(of: []).expected(hour: 1, on: day)["a"]! > 100_000)
        #expect(demand.unaware(of: Set(0..<24)).dates.isEmpty)
    }

    @Test("a trial counts a ride that went to who was not there before")
    func trial() {
        typealias Cab = WaitAdviceTrial.Cab
        func moment(_ at: Int, _ zone: Int) -> Cab.Moment { Cab.Moment(at: at, zone: zone, point: point(zone)) }
        var first = Cab()
        first.dropOffs = [moment(600, 0)]
        first.free = [(600, 3600, 0)]
        first.pickups = [moment(3600, 0)]
        // There before; its ride is its own.
        var second = Cab()
        second.free = [(0, 900, 0)]
        second.pickups = [moment(900, 0)]
        var third = Cab()
        third.free = [(1200, 2400, 0)]
        third.pickups = [moment(2400, 0)]
        // Rides in the other zone, for who comes.
        var fourth = Cab()
        fourth.free = [(1080, 1440, 1)]
        fourth.pickups = [moment(1440, 1)]
        var demand = ZoneDemand()
        demand.set(today + -7, [("0", 0, 1), ("1", 0, 60)])
        let score = WaitAdviceTrial(
            judge: [first, second, third, fourth], zones: [point(0), point(1)], demand: { _ in demand }, scale: 1,
            factor: 1.5, reach: 5000, speed: 5, local: { Int64($0 + today.days * 86_400) }
        ).score
        #expect(score.places == 1 && score.advised == 1)
        #expect(score.meanStay == 1800 && score.meanGo == 840 && score.meanReal == 3000)
    }
}
