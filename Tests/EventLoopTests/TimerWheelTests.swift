import EventLoop
import Testing

@Suite struct TimerWheelTests {
    @Test func `due ids come by deadline, and by order of scheduling within a tick`() {
        var wheel = TimerWheel(slots: 4)
        wheel.schedule(1, at: 3)
        wheel.schedule(2, at: 2)
        wheel.schedule(3, at: 3)
        wheel.schedule(4, at: 11)
        #expect(wheel.advance(to: 1).isEmpty)
        #expect(wheel.advance(to: 3) == [2, 1, 3])
        #expect(wheel.advance(to: 10).isEmpty)
        #expect(wheel.deadline(of: 4) == 11)
        #expect(wheel.advance(to: 11) == [4])
        #expect(wheel.count == 0)
    }

    @Test func `rescheduling replaces, cancelling removes, the past means the next tick`() {
        var wheel = TimerWheel(slots: 8, startingAt: 100)
        wheel.schedule(1, at: 105)
        wheel.schedule(1, at: 103)
        wheel.schedule(2, at: 103)
        wheel.cancel(2)
        wheel.cancel(99)
        wheel.schedule(3, at: 5)
        #expect(wheel.deadline(of: 3) == 101)
        #expect(wheel.advance(to: 101) == [3])
        #expect(wheel.advance(to: 50).isEmpty)
        #expect(wheel.advance(to: 1_000_000) == [1])
        #expect(wheel.advance(to: 1_000_001).isEmpty)
    }

    /// Against a plain dictionary that is searched whole.
    @Test(arguments: [UInt64(1), 2, 3, 4, 5]) func `agrees with a simple model over random histories`(seed: UInt64) {
        var random = SplitMix(state: seed)
        var wheel = TimerWheel(slots: Int.random(in: 1...32, using: &random))
        var model: [UInt64: (tick: UInt64, order: Int)] = [:]
        var now: UInt64 = 0
        for order in 0..<20_000 {
            let id = UInt64.random(in: 0..<200, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let tick = now + UInt64.random(in: 0..<100, using: &random)
                wheel.schedule(id, at: tick)
                model[id] = (max(tick, now + 1), order)
            case 5..<8:
                wheel.cancel(id)
                model[id] = nil
            default:
                now += UInt64.random(in: 0..<(id == 0 ? 1_000 : 6), using: &random)
                let due = model.filter { $0.value.tick <= now }
                    .sorted { ($0.value.tick, $0.value.order) < ($1.value.tick, $1.value.order) }.map(\.key)
                for id in due { model[id] = nil }
                #expect(wheel.advance(to: now) == due)
            }
            #expect(wheel.count == model.count)
            #expect(wheel.deadline(of: id) == model[id]?.tick)
        }
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
