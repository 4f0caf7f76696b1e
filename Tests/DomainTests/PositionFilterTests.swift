import Domain
import Testing

struct PositionFilterTests {
    private let start: Int64 = 1_795_210_199_000
    private let home = GeoPoint(lat: 45.464211, lon: 9.191383)

    /// A fix so many metres east and north of home, `s` seconds after the start.
    private func fix(_ s: Double, x: Double = 0, y: Double = 0, accuracy: Double? = 5) -> Fix {
        let point = LocalFrame(origin: home).point(PlanePoint(x: x, y: y))
        return Fix(point, at: start + Int64(s * 1000), accuracy: accuracy)
    }

    private func accepted(_ verdict: PositionFilter.Verdict) -> PositionFilter.Accepted? {
        if case .accepted(let step) = verdict { step } else { nil }
    }

    @Test(
        "C1: not finite, out of range and (0, 0) are refused",
        arguments: [
            (Double.nan, 9.0), (45, .infinity), (90.0001, 9), (-91, 9), (45, 180.5), (45, -181), (0, 0),
        ])
    func unusablePositions(lat: Double, lon: Double) {
        var filter = PositionFilter()
        let verdict = filter.offer(Fix(GeoPoint(lat: lat, lon: lon), at: start), receivedAt: start)
        #expect(verdict == .refused(.unusablePosition))
        #expect(filter.position == nil)
    }

    @Test("C1: up to 50 m for fences, up to 100 m for the map, beyond for neither; none counts as 10 m")
    func accuracyClasses() {
        var filter = PositionFilter()
        #expect(accepted(filter.offer(fix(0, accuracy: 50), receivedAt: start))?.isForFences == true)
        #expect(accepted(filter.offer(fix(1, accuracy: 51), receivedAt: start + 1000))?.isForFences == false)
        #expect(accepted(filter.offer(fix(2, accuracy: 100), receivedAt: start + 2000))?.isForFences == false)
        #expect(
            filter.offer(fix(3, accuracy: 101), receivedAt: start + 3000) == .refused(.inaccurate(metres: 101)))
        #expect(accepted(filter.offer(fix(4, accuracy: nil), receivedAt: start + 4000))?.isForFences == true)
        guard case .refused(.inaccurate) = filter.offer(fix(5, accuracy: .nan), receivedAt: start + 5000) else {
            Issue.record("NaN as accuracy was taken")
            return
        }
    }

    @Test("C2: a jump is quarantined, a lone one forgotten")
    func loneJumpIsForgotten() {
        var filter = PositionFilter()
        _ = filter.offer(fix(0), receivedAt: start)
        #expect(filter.offer(fix(10, x: 3000), receivedAt: start + 10_000) == .quarantined)
        #expect(filter.position == home)
        let back = accepted(filter.offer(fix(20, x: 50), receivedAt: start + 20_000))
        #expect(back?.previous?.point == home)
        // The doubt doesn't linger: another jump to the same place starts from nothing.
        #expect(filter.offer(fix(30, x: 3000), receivedAt: start + 30_000) == .quarantined)
    }

    @Test(
        "C2: two fixes that agree are believed once a car can have come there, by an unknown way")
    func confirmedJump() throws {
        var filter = PositionFilter()
        _ = filter.offer(fix(0), receivedAt: start)
        for s in stride(from: 10.0, through: 200, by: 10) {
            #expect(filter.offer(fix(s / 10, x: 9100), receivedAt: start + Int64(s * 1000)) == .quarantined)
        }
        // (9,100 - 2 x 5) m at 45 m/s: 202 s by the hub's clock. The device's runs slower.
        let step = try #require(accepted(filter.offer(fix(20.3, x: 9100), receivedAt: start + 203_000)))
        #expect(step.previous == nil)
        #expect(filter.position?.distance(to: fix(0, x: 9100).point) ?? 1e9 < 1)
    }

    @Test("C2: by no times that a device makes up does a vehicle come further than a jump's time allows")
    func madeUpJumps() {
        var random = Random(seed: 5)
        for _ in 0..<200 {
            var filter = PositionFilter()
            _ = filter.offer(fix(0), receivedAt: start)
            let metres = random.within(500, 20_000)
            var now = 0.0
            while filter.position == home {
                now += random.within(0.05, 3)
                // Old or new, in any order, and never later than now: the worker sees to that.
                let said = random.within(now - 30, now)
                _ = filter.offer(fix(said, x: metres), receivedAt: start + Int64(now * 1000))
                if now > metres / 45 + 100 {
                    Issue.record("it is believed in the end")
                    return
                }
            }
            #expect(now >= (metres - 10) / 45 - 0.01, "\(metres) m after \(now) s")
        }
    }

    @Test("C2: a device that sets its clock back and forth goes no faster than one that leaves it, as far as it goes")
    func clockSetBackAndForth() {
        var random = Random(seed: 11)
        for _ in 0..<200 {
            var filter = PositionFilter()
            _ = filter.offer(fix(0), receivedAt: start)
            var (now, behind, way) = (0.0, 0.0, 0.0)
            for _ in 0..<400 {
                let passed = random.within(0.05, 12)
                now += passed
                // It loses or gains a little, or is set to any time before now; one fix in four is kept for a while.
                behind = max(0, behind + passed * random.within(-0.1, 0.1))
                if random.within(0, 1) < 0.1 { behind = random.within(0, 1) < 0.5 ? 0 : random.within(0, 3000) }
                let at = now - behind - (random.within(0, 1) < 0.25 ? random.within(0, 29) : 0)
                let metres = way + 45 * (random.within(0, 1) < 0.5 ? 0 : random.within(0, 300))
                let verdict = filter.offer(fix(at, x: metres, accuracy: 0), receivedAt: start + Int64(now * 1000))
                guard accepted(verdict) != nil else { continue }
                way = max(way, metres)
                #expect(way <= 45.3 * now + 1, "\(way) m after \(now) s")
            }
        }
    }

    @Test("C2: many fixes, each further by its radius of error, are a jump like one that is")
    func creep() {
        var random = Random(seed: 13)
        for accuracy in [5.0, 50, 100] {
            var filter = PositionFilter()
            _ = filter.offer(fix(0, accuracy: accuracy), receivedAt: start)
            var (now, way) = (0.0, 0.0)
            for n in 1...6_000 {
                now += random.within(0.02, 0.1)
                // Now and then its link is new: the worker says where it was.
                if n % 100 == 0 {
                    _ = filter.expect(fix(now - 0.01, x: way, accuracy: 100), atHubTime: start + Int64(now * 1000) - 10)
                }
                let metres = way + random.within(0, 2.2) * accuracy
                if accepted(
                    filter.offer(fix(now, x: metres, accuracy: accuracy), receivedAt: start + Int64(now * 1000))) != nil
                {
                    way = metres
                }
                // Each minute the radii count anew.
                #expect(way <= 45.3 * now + 2 * accuracy * (2 + now / 60), "\(way) m after \(now) s")
            }
        }
    }

    @Test("C2: a clock that is right again after it lost minutes gives no time for a jump, and the car is live at once")
    func clockCorrected() throws {
        var filter = PositionFilter()
        // It loses six seconds a minute, and nobody notices.
        for s in stride(from: 0.0, through: 3000, by: 10) {
            #expect(accepted(filter.offer(fix(s * 0.9), receivedAt: start + Int64(s * 1000)))?.isLive == true)
        }
        #expect(filter.offer(fix(3001, x: 5000), receivedAt: start + 3_001_000) == .quarantined)
        let next = try #require(accepted(filter.offer(fix(3010, x: 150), receivedAt: start + 3_010_000)))
        #expect(next.isLive)
    }

    @Test("C2: what was believed elsewhere meanwhile counts, what was believed before does not")
    func believedElsewhere() {
        var filter = PositionFilter()
        _ = filter.offer(fix(0), receivedAt: start)
        let (earlier, later) = (fix(0, x: 900), fix(40))
        let taken = [filter.expect(earlier, atHubTime: start), filter.expect(later, atHubTime: start + 40_000)]
        #expect(taken == [false, true])
        #expect(
            filter.offer(fix(41, x: 1700), receivedAt: start + 41_000) == .quarantined,
            "it was silent, its driver was not")
        #expect(accepted(filter.offer(fix(42, x: 60), receivedAt: start + 42_000)) != nil)
    }

    @Test("C2: without a bound on speed nothing is a jump")
    func anySpeed() {
        var (filter, limits) = (PositionFilter(), PositionFilter.Limits())
        limits.maximumSpeed = 0
        _ = filter.offer(fix(0), receivedAt: start, limits: limits)
        #expect(accepted(filter.offer(fix(1, x: 90_000), receivedAt: start + 1, limits: limits)) != nil)
    }

    @Test("C2: a phone that wakes after two minutes in a tunnel, 2 km on, has not jumped")
    func tunnelIsNoJump() {
        var filter = PositionFilter()
        _ = filter.offer(fix(0), receivedAt: start)
        let step = accepted(filter.offer(fix(120, x: 2000), receivedAt: start + 120_000))
        #expect(step?.isLive == true && step?.isForFences == true)
    }

    @Test("C2: jumps that disagree with each other stay quarantined, and none freezes the car for ever")
    func scatteredJumps() {
        var filter = PositionFilter()
        _ = filter.offer(fix(0), receivedAt: start)
        for n in 1...10 {
            let verdict = filter.offer(
                fix(Double(n) * 2, x: Double(n) * 5000, y: n % 2 == 0 ? 9000 : -9000),
                receivedAt: start + Int64(n) * 2000)
            #expect(verdict == .quarantined)
        }
        #expect(accepted(filter.offer(fix(60, x: 100), receivedAt: start + 60_000)) != nil)
    }

    @Test("C2: noise within the stated accuracy is no jump, at ten fixes a second either")
    func noiseIsNoJump() {
        var filter = PositionFilter()
        var random = Random(seed: 2)
        for n in 0..<300 {
            let noisy = fix(Double(n) / 10, x: random.within(-12, 12), y: random.within(-12, 12), accuracy: 15)
            #expect(accepted(filter.offer(noisy, receivedAt: noisy.at)) != nil)
        }
    }

    @Test("C2: 44 m/s is a fast car, 46 m/s over the error radii a jump")
    func speedLimit() {
        var filter = PositionFilter()
        _ = filter.offer(fix(0, accuracy: 0), receivedAt: start)
        #expect(accepted(filter.offer(fix(10, x: 440, accuracy: 0), receivedAt: start + 10_000)) != nil)
        #expect(filter.offer(fix(20, x: 900, accuracy: 0), receivedAt: start + 20_000) == .quarantined)
    }

    @Test("C3: a clock more than 60 s ahead is refused with the measured offset, and never becomes the last fix")
    func futureIsRefused() {
        var filter = PositionFilter()
        #expect(accepted(filter.offer(fix(60), receivedAt: start)) != nil)
        let verdict = filter.offer(fix(3600), receivedAt: start + 61_000)
        #expect(verdict == .refused(.clockAhead(offsetMs: 3_539_000)))
        #expect(accepted(filter.offer(fix(62), receivedAt: start + 62_000)) != nil)
        #expect(
            filter.offer(Fix(home, at: .max), receivedAt: start) == .refused(.unusableTime), "no overflow")
        #expect(filter.offer(Fix(home, at: .min), receivedAt: start) == .refused(.unusableTime))
    }

    @Test("C3: a time in seconds is refused")
    func timeInSeconds() {
        var filter = PositionFilter()
        let seconds = start / 1000
        #expect(filter.offer(Fix(home, at: seconds), receivedAt: start) == .refused(.timeInSeconds(seconds)))
        #expect(accepted(filter.offer(Fix(home, at: seconds * 1000), receivedAt: start)) != nil)
    }

    @Test("C3: older than the last fix is history")
    func olderIsLate() {
        var filter = PositionFilter()
        _ = filter.offer(fix(10), receivedAt: start + 10_000)
        #expect(filter.offer(fix(9, x: 10), receivedAt: start + 10_500) == .late)
        #expect(filter.position == home)
    }

    @Test("C4: the same fix again, accepted or doubted, has no effect")
    func duplicates() {
        var filter = PositionFilter()
        _ = filter.offer(fix(0), receivedAt: start)
        #expect(filter.offer(fix(0), receivedAt: start + 500) == .duplicate)
        #expect(filter.lastReceived == start, "a repetition doesn't make the position fresher")
        #expect(filter.offer(fix(0, x: 30), receivedAt: start + 600) == .duplicate)
        #expect(filter.position == home)
        let jump = fix(10, x: 4000)
        #expect(filter.offer(jump, receivedAt: start + 10_000) == .quarantined)
        #expect(filter.offer(jump, receivedAt: start + 11_000) == .duplicate, "a resend confirms nothing")
        #expect(filter.offer(jump, receivedAt: start + 12_000) == .duplicate)
        #expect(filter.position == home)
    }

    @Test("C5: a batch after a tunnel moves the vehicle silently, only its newest fixes are live")
    func batchAfterTunnel() throws {
        var filter = PositionFilter()
        #expect(accepted(filter.offer(fix(0), receivedAt: start + 300))?.isLive == true)
        let out = start + 300_300
        var live: [Double] = []
        for s in stride(from: 15.0, through: 300, by: 15) {
            let step = try #require(accepted(filter.offer(fix(s, x: s * 10), receivedAt: out)))
            if step.isLive { live.append(s) }
        }
        #expect(live == [270, 285, 300])
        #expect(accepted(filter.offer(fix(315, x: 3150), receivedAt: out + 15_000))?.isLive == true)
    }

    @Test("C5: a device whose clock is an hour behind is believed when it has shown that it lives on, and is live then")
    func clockBehindIsLive() {
        var filter = PositionFilter()
        for s in 0..<40 {
            let verdict = filter.offer(fix(Double(s)), receivedAt: start + 3_600_000 + Int64(s) * 1000)
            if s < 20 { #expect(verdict == .old) } else { #expect(accepted(verdict)?.isLive == true) }
        }
    }

    @Test("C3, C7: a first fix that was stored for more than five minutes is not used, whatever comes with it")
    func oldFirstFix() {
        var filter = PositionFilter()
        let now = start + 29 * 3_600_000
        for s in stride(from: 0.0, to: 600, by: 15) {
            #expect(filter.offer(fix(s), receivedAt: now + Int64(s) / 15) == .old)
        }
        #expect(accepted(filter.offer(Fix(home, at: now), receivedAt: now + 100))?.isLive == true)
        #expect(filter.offer(fix(0), receivedAt: now + 200) == .late)
    }

    @Test("C7: a first fix that was stored for less is a position of that time; the next one shows the device's clock")
    func storedFirstFix() throws {
        var filter = PositionFilter()
        let first = try #require(accepted(filter.offer(fix(0), receivedAt: start + 120_000)))
        #expect(!first.isLive && first.measuredAt == start)
        let next = try #require(accepted(filter.offer(fix(1), receivedAt: start + 121_000)))
        #expect(next.isLive && next.measuredAt == start + 121_000)
    }

    @Test("C7, C63: what another filter has learned of the device's clock is taken over")
    func knownClock() throws {
        var filter = PositionFilter()
        let isTaken = filter.expect(fix(-240), atHubTime: start)
        #expect(isTaken)
        #expect(filter.offer(fix(-241), receivedAt: start + 5_000) == .late)
        let first = try #require(accepted(filter.offer(fix(-230), receivedAt: start + 10_000)))
        #expect(first.isLive && first.measuredAt == start + 10_000)
    }

    /// A filter that goes on from where another one left the vehicle.
    private func resumed() -> PositionFilter {
        var filter = PositionFilter()
        _ = filter.expect(fix(0, accuracy: 100), atHubTime: start)
        return filter
    }

    @Test("C2: a first fix is held against another filter's place, and believed when the next one agrees")
    func knownPlace() throws {
        var filter = resumed()
        #expect(filter.offer(fix(1, x: 1700), receivedAt: start + 1000) == .quarantined)
        #expect(filter.offer(fix(2, x: 1700), receivedAt: start + 2000) == .quarantined, "no car came so far")
        // (1,700 - 100 - 5) m at 45 m/s: 35.4 s.
        #expect(filter.offer(fix(3, x: 1700), receivedAt: start + 35_000) == .quarantined)
        let second = try #require(accepted(filter.offer(fix(4, x: 1700), receivedAt: start + 36_000)))
        #expect(second.previous == nil)
        #expect(filter.offer(fix(5), receivedAt: start + 37_000) == .quarantined, "the earlier place is past")
    }

    @Test("C2: after a stale place the true one is believed at once")
    func staleFixAfterReconnecting() throws {
        var filter = resumed()
        #expect(filter.offer(fix(100, x: 300_000), receivedAt: start + 100_000) == .quarantined)
        let back = try #require(accepted(filter.offer(fix(101, x: 30), receivedAt: start + 101_000)))
        #expect(back.isLive && back.previous == nil, "the way from another filter's place is unknown")
    }

    @Test("C2: what a car can have driven in the time is believed, in one filter and from another's place")
    func longSilence() {
        for isEarlier in [true, false] {
            for (seconds, metres, isBelieved) in [
                (100.0, 4_400.0, true), (100, 300_000, false), (8000, 300_000, true),
            ] {
                var filter = PositionFilter()
                if isEarlier {
                    _ = filter.expect(fix(0), atHubTime: start)
                } else {
                    _ = filter.offer(fix(0), receivedAt: start)
                }
                let verdict = filter.offer(fix(seconds, x: metres), receivedAt: start + Int64(seconds) * 1000)
                #expect((accepted(verdict) != nil) == isBelieved)
            }
        }
    }

    @Test("C6: a device clock that was set back is noticed by its pace; a stored batch is not taken for one")
    func clockSetBack() {
        var filter = PositionFilter()
        _ = filter.offer(fix(3600), receivedAt: start + 3_600_000)
        for s in 0..<30 {
            let stored = filter.offer(fix(Double(s)), receivedAt: start + 3_601_000 + Int64(s))
            #expect(stored == .late)
        }
        var verdicts: [PositionFilter.Verdict] = []
        for s in stride(from: 100.0, through: 140, by: 10) {
            verdicts.append(filter.offer(fix(s), receivedAt: start + 3_700_000 + Int64(s * 1000)))
        }
        #expect(verdicts[0] == .late && verdicts[1] == .late)
        #expect(accepted(verdicts[2])?.previous == nil && accepted(verdicts[2]) != nil)
        #expect(accepted(verdicts[3])?.isLive == true)
    }

    @Test(
        "C6: the hub's clock is set back by an hour: what a right device sends is believed at once, on an old link or a new one"
    )
    func hubSetBack() {
        for isAnew in [false, true] {
            var filter = PositionFilter()
            for s in stride(from: 0.0, through: 60, by: 10) {
                _ = filter.offer(fix(s, x: s * 10), receivedAt: start + 3_600_000 + Int64(s * 1000))
            }
            if isAnew { filter = filter.anew() }
            for s in [70.0, 80] {
                let step = accepted(filter.offer(fix(s, x: s * 10), receivedAt: start + Int64(s * 1000)))
                #expect(step?.isLive == true)
            }
            // A few seconds are what clocks are adjusted by, and make no jump believed.
            #expect(filter.offer(fix(81, x: 9_000), receivedAt: start + 76_000) == .quarantined)
        }
    }
}
