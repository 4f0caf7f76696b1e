import Domain
import Testing

struct ETATests {
    private let times = TravelTimes()
    private let here = GeoPoint(lat: 45.46, lon: 9.18)

    private func north(_ metres: Double) -> GeoPoint {
        GeoPoint(lat: here.lat + metres / GeoPoint.metresPerDegree, lon: here.lon)
    }

    @Test("M15: by road 1.5 times the straight line to 1 km, 1.35 at 3 km, 1.25 from 10 km on, without a step")
    func detour() {
        let detour = RoadDetour()
        #expect(detour.factor(metres: 200) == 1.5)
        #expect(abs(detour.factor(metres: 3000) - 1.35) < 1e-12)
        #expect(detour.factor(metres: 25_000) == 1.25)
        #expect(abs(detour.metres(from: here, to: north(3000)) - 4050) < 1)
        var last = 0.0
        for metres in stride(from: 0.0, through: 15_000, by: 10) {
            let road = metres * detour.factor(metres: metres)
            #expect(road >= last, "farther is never nearer")
            last = road
        }
    }

    @Test("Without anything learned the distance says it: farther is never sooner, and there is no step")
    func law() {
        func seconds(_ metres: Double) -> Double { times.seconds(from: here, to: north(metres), hour: 8) }
        #expect(seconds(0) == 0)
        #expect(abs(seconds(1_000) - 230) < 1 && abs(seconds(8_000) - 780) < 1)
        var last = 0.0
        for metres in stride(from: 0.0, through: 60_000, by: 10) {
            let now = seconds(metres)
            #expect(now >= last && now - last < 10)
            last = now
        }
        let fast = times.seconds(from: here, to: north(1_000), hour: 8, speed: TravelTimes.usualSpeed * 2)
        #expect(abs(fast - seconds(1_000) / 2) < 1e-9)
    }

    @Test("The vehicle's own last minutes move the estimate a little")
    func pace() {
        func after(_ speed: Double, minutes: Int) -> Double {
            var pace = RecentPace()
            for _ in 0..<minutes * 6 { pace.moved(metres: speed * 10, seconds: 10) }
            return times.seconds(from: here, to: north(5000), hour: 8, pace: pace)
        }
        let usual = times.seconds(from: here, to: north(5000), hour: 8)
        #expect(abs(after(25 / 3.6, minutes: 10) - usual) < 1e-6)
        #expect(after(3, minutes: 1) > usual && after(3, minutes: 5) > after(3, minutes: 1))
        #expect(after(0.6, minutes: 60) < usual * 1.4 && after(60, minutes: 60) > usual * 0.7)
    }

    @Test("A long stop counts as traffic for 90 s only")
    func longStop() {
        func after(stop: Int) -> Double {
            var pace = RecentPace()
            for _ in 0..<30 { pace.moved(metres: 70, seconds: 10) }
            for _ in 0..<stop / 10 { pace.moved(metres: 1, seconds: 10) }
            return times.seconds(from: here, to: north(5000), hour: 8, pace: pace)
        }
        #expect(after(stop: 60) > after(stop: 0))
        #expect(abs(after(stop: 1800) - after(stop: 90)) < 20)
    }

    @Test("R8: a vehicle that jumps to and fro is told once a second, as it is then")
    func jumping() {
        var reporter = ETAReporter()
        let start: Int64 = 1_795_210_199_000
        let told = (0..<30).compactMap {
            reporter.report(seconds: $0 % 2 == 0 ? 300 : 900, at: start + Int64($0) * 100)
        }
        #expect(told.count <= 3 && told.first == 300)
        #expect(reporter.report(seconds: 77, at: start + 4_000) == 77)
    }

    @Test("R8: told at once, then on a change of more than 10 s against the countdown, and at least every 90 s")
    func reporter() {
        var reporter = ETAReporter()
        let start: Int64 = 1_795_210_199_000
        #expect(reporter.due == nil)
        #expect(reporter.report(seconds: 300.4, at: start) == 300)
        #expect(reporter.due == start + 90_000)
        #expect(reporter.believed(at: start + 20_000) == 280)
        #expect(reporter.report(seconds: 280, at: start + 20_000) == nil, "as the countdown says")
        #expect(reporter.report(seconds: 290, at: start + 20_000) == nil)
        #expect(reporter.report(seconds: 290.1, at: start + 20_000) == 290)
        #expect(reporter.report(seconds: 255, at: start + 40_000) == 255, "sooner counts too")
        #expect(reporter.report(seconds: 165.5, at: start + 129_999) == nil)
        #expect(reporter.report(seconds: 165, at: start + 130_000) == 165, "90 s passed")
        #expect(reporter.report(seconds: .nan, at: start + 300_000) == nil)
        #expect(reporter.report(seconds: -5, at: start + 300_000) == 0)
        #expect(reporter.believed(at: start + 400_000) == 0)
    }

    @Test func tokenBucket() {
        var bucket = TokenBucket(capacity: 5, perSecond: 2)
        let taken = (0..<8).filter { _ in bucket.take(at: 1000) }.count
        #expect(taken == 5)
        #expect(bucket.wait(at: 1000) == 500)
        let after = [1499, 1500, 1500].map { bucket.take(at: $0) }
        #expect(after == [false, true, false])
        #expect(bucket.take(at: 0) == false, "a clock that goes back gives nothing")
        #expect(bucket.take(5, at: 100_000) == true, "full again, and no fuller")
        #expect(bucket.take(at: 100_000) == false)
    }

    @Test func `who owes much for one thing owes it still when another is charged that may not be owed for as long`() {
        var bucket = TokenBucket(capacity: 5, perSecond: 1)
        bucket.charge(1_000, at: 1000, most: 30)
        bucket.charge(1_000, at: 1000, most: 5)
        #expect(bucket.wait(at: 1000) == 151_000)
    }
}
