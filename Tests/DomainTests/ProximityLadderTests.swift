import Domain
import Testing

struct ProximityLadderTests {
    private let start: Int64 = 1_795_210_199_000
    private let pickup = GeoPoint(lat: 45.464211, lon: 9.191383)

    private func fix(
        _ s: Double, x: Double, y: Double = 0, accuracy: Double? = 5, speed: Double? = 8
    ) -> Fix {
        let point = LocalFrame(origin: pickup).point(PlanePoint(x: x, y: y))
        return Fix(point, at: start + Int64(s * 1000), accuracy: accuracy, speed: speed)
    }

    @Test("R9 C11: approaching tells 500 m once, then 20 m once, and nothing after")
    func eachRungOnce() throws {
        var ladder = ProximityLadder()
        var told: [ProximityEvent] = []
        for s in 0..<400 {
            // Drives up, 8 m/s, stands for a minute, drives off and comes by again.
            let x = s < 100 ? -800 + 8 * Double(s) : s < 160 ? 0 : s < 260 ? 8 * Double(s - 160) : 8 * Double(360 - s)
            let events = ladder.vehicleMoved(to: fix(Double(s), x: x), target: pickup)
            told += [events.near, events.arrived].compactMap { $0 }
        }
        #expect(told.map(\.rung) == [.near, .arrived])
        let near = try #require(told.first)
        #expect(near.distance <= 500 && near.isInterpolated && !near.isInitial && near.confidence == .high)
        #expect(abs(near.at - (start + 37_500)) < 50)
        #expect(abs(told[1].at - (start + 97_500)) < 50)
        #expect(ladder.notified == .arrived)
    }

    @Test("C8: a car parked at the 20 m border with 10 m of noise causes exactly one event")
    func parkedAtTheBorder() {
        var random = Random(seed: 8)
        for _ in 0..<200 {
            var ladder = ProximityLadder(restored: .near)
            var events = 0
            for s in 0..<120 {
                let noisy = fix(
                    Double(s), x: 20 + random.normal(sigma: 10), y: random.normal(sigma: 10), accuracy: 10, speed: 0)
                events += ladder.vehicleMoved(to: noisy, target: pickup).arrived == nil ? 0 : 1
            }
            #expect(events == 1)
        }
    }

    @Test("C9: high when accurate to 20 m, low up to 50 m, not at all beyond")
    func confidenceByAccuracy() {
        func arrival(_ accuracy: Double?, _ second: Double?) -> ProximityEvent? {
            var ladder = ProximityLadder(restored: .near)
            let first = ladder.vehicleMoved(to: fix(0, x: -60, accuracy: accuracy), target: pickup)
            #expect(first.isEmpty)
            return ladder.vehicleMoved(to: fix(5, x: 0, accuracy: second), target: pickup).arrived
        }
        #expect(arrival(20, 20)?.confidence == .high)
        #expect(arrival(nil, nil)?.confidence == .high, "unstated counts as 10 m")
        #expect(arrival(30, 10)?.confidence == .low, "both ends count")
        #expect(arrival(10, 50)?.confidence == .low)
        #expect(arrival(10, 51) == nil)
    }

    @Test("C9: standing for 10 s within 20 m + accuracy, at most 50 m, is an arrival of medium confidence")
    func dwell() {
        func arrivals(x: Double, accuracy: Double, speed: Double?, seconds: [Double]) -> [ProximityEvent] {
            var ladder = ProximityLadder(restored: .near)
            return seconds.compactMap {
                ladder.vehicleMoved(to: fix($0, x: x, accuracy: accuracy, speed: speed), target: pickup).arrived
            }
        }
        let told = arrivals(x: 44, accuracy: 25, speed: 0.5, seconds: [0, 5, 9, 10, 15])
        #expect(told.map(\.confidence) == [.medium])
        #expect(told.first?.at == start + 10_000)
        #expect(told.first.map { abs($0.distance - 44) < 0.1 } == true)
        #expect(arrivals(x: 46, accuracy: 25, speed: 0.5, seconds: [0, 5, 10, 15]).isEmpty, "farther than 20 + 25 m")
        #expect(arrivals(x: 52, accuracy: 45, speed: 0, seconds: [0, 5, 10, 15]).isEmpty, "at most 50 m")
        #expect(arrivals(x: 44, accuracy: 25, speed: 2.5, seconds: [0, 5, 10, 15]).isEmpty, "too fast")
        #expect(arrivals(x: 44, accuracy: 25, speed: nil, seconds: [0, 5, 10, 15]).count == 1, "speed from the fixes")
        #expect(arrivals(x: 44, accuracy: 25, speed: 0, seconds: [0, 200]).isEmpty, "silence is not standing")
    }

    @Test("C10: with 75 m between fixes, all that passes within 20 m is told, and nothing that doesn't")
    func driveThrough() {
        var random = Random(seed: 10)
        var passed = 0
        var told = 0
        for _ in 0..<4000 {
            let offset = random.within(-40, 40)
            let phase = random.within(0, 75)
            let angle = random.within(0, 2 * .pi)
            var ladder = ProximityLadder(restored: .near)
            var event: ProximityEvent?
            for n in 0..<12 {
                let along = -450 + phase + 75 * Double(n)
                let x = along * cosine(angle) - offset * sine(angle)
                let y = along * sine(angle) + offset * cosine(angle)
                let events = ladder.vehicleMoved(to: fix(Double(n) * 5, x: x, y: y, speed: 15), target: pickup)
                event = event ?? events.arrived
            }
            // The grid of the calculation is good to a centimetre here.
            if abs(offset) < 19.99 { passed += 1 }
            if abs(offset) < 19.99 && event != nil { told += 1 }
            if abs(offset) > 20.01 { #expect(event == nil) }
            if let event { #expect(event.distance > abs(offset) - 0.05 && event.distance <= 20) }
        }
        #expect(told == passed && passed > 1500)
    }

    @Test("C10: no segment where the way is unknown: 120 s, 1 km, or a jump")
    func unknownWay() {
        func passes(seconds: Double, reach: Double, isContinuous: Bool = true) -> Bool {
            var ladder = ProximityLadder(restored: .near)
            _ = ladder.vehicleMoved(to: fix(0, x: -reach), target: pickup)
            let events = ladder.vehicleMoved(to: fix(seconds, x: reach), target: pickup, isContinuous: isContinuous)
            return events.arrived != nil
        }
        #expect(passes(seconds: 120, reach: 200))
        #expect(!passes(seconds: 121, reach: 200))
        #expect(passes(seconds: 60, reach: 499))
        #expect(!passes(seconds: 60, reach: 501))
        #expect(!passes(seconds: 60, reach: 200, isContinuous: false))
    }

    @Test("C10: a pickup that moves across the car is no arrival; the way of the car counts against where it is now")
    func pickupMoves() {
        var ladder = ProximityLadder(restored: .near)
        _ = ladder.vehicleMoved(to: fix(0, x: 100), target: pickup)
        let moved = LocalFrame(origin: pickup).point(PlanePoint(x: 200, y: 0))
        #expect(ladder.vehicleMoved(to: fix(5, x: 97), target: moved).isEmpty)
        #expect(ladder.vehicleMoved(to: fix(15, x: 260), target: moved).arrived?.isInterpolated == true)
    }

    @Test("C10: a fix worse than 50 m is no end of a segment")
    func inaccurateFixIsSkipped() {
        var ladder = ProximityLadder(restored: .near)
        _ = ladder.vehicleMoved(to: fix(0, x: -60), target: pickup)
        #expect(ladder.vehicleMoved(to: fix(5, x: 0, accuracy: 80), target: pickup).isEmpty)
        let event = ladder.vehicleMoved(to: fix(10, x: 60), target: pickup).arrived
        #expect(event?.confidence == .high && event?.isInterpolated == true)
    }

    @Test("C11: 20 m implies 500 m; both are told, the wider first")
    func bothAtOnce() throws {
        var ladder = ProximityLadder()
        _ = ladder.vehicleMoved(to: fix(0, x: -600), target: pickup)
        let events = ladder.vehicleMoved(to: fix(60, x: 10), target: pickup)
        let near = try #require(events.near)
        let arrived = try #require(events.arrived)
        #expect(near.at < arrived.at && near.isInterpolated && arrived.isInterpolated)
        #expect(ladder.notified.rawValue == 20)
    }

    @Test("C11: the state survives as a number, a new ride begins anew")
    func restored() {
        var kept = ProximityLadder()
        _ = kept.vehicleMoved(to: fix(0, x: -600), target: pickup)
        _ = kept.vehicleMoved(to: fix(10, x: -400), target: pickup)
        #expect(kept.notified.rawValue == 500)
        var other = ProximityLadder(restored: ProximityRung(rawValue: kept.notified.rawValue) ?? .none)
        #expect(other.vehicleMoved(to: fix(20, x: -300), target: pickup).isEmpty)
        let arrived = other.vehicleMoved(to: fix(30, x: 0), target: pickup)
        #expect(arrived.near == nil && arrived.arrived?.isInitial == false)
        var done = ProximityLadder(restored: .arrived)
        #expect(done.vehicleMoved(to: fix(0, x: 0), target: pickup).isEmpty)
        var next = ProximityLadder()
        #expect(next.vehicleMoved(to: fix(40, x: 0), target: pickup).arrived?.isInitial == true)
    }

    @Test("C13: inside already at assignment is told at once and flagged")
    func initial() {
        var ladder = ProximityLadder()
        let events = ladder.vehicleMoved(to: fix(0, x: 300), target: pickup)
        #expect(events.near?.isInitial == true && events.near?.isInterpolated == false && events.arrived == nil)
        #expect(ladder.vehicleMoved(to: fix(10, x: 220), target: pickup).isEmpty)
        #expect(ladder.vehicleMoved(to: fix(30, x: 0), target: pickup).arrived?.isInitial == false)
    }

    @Test("C3 C4: fixes that are not newer are ignored")
    func oldFixes() {
        var ladder = ProximityLadder()
        _ = ladder.vehicleMoved(to: fix(10, x: -600), target: pickup)
        #expect(ladder.vehicleMoved(to: fix(10, x: 0), target: pickup).isEmpty)
        #expect(ladder.vehicleMoved(to: fix(9, x: 0), target: pickup).isEmpty)
        #expect(ladder.notified == .none)
    }
}
