import EventLoop
import Settings
import Testing

@testable import Hub

/// When a process tries again to take new settings.
@Suite struct SettingsReloadTests {
    private struct NoRoom: Error {}

    /// What the first tries of a reload that fails so often leave to wait for.
    private final class Tries {
        var (left, waits): (Int, [UInt64]) = (6, [])
        var reload: SettingsReload<Void>?
    }

    @Test("C66 A reload that fails waits twice as long each time, up to the longest wait, and goes on until it is done")
    func doubles() throws {
        let loop = try EventLoop()
        let tries = Tries()
        let reload = SettingsReload(
            loop: loop, log: HubLog.logger("test", Settings().log), firstMs: 1, longestMs: 8, read: {},
            take: { _ in
                tries.waits.append(tries.reload?.waitMs ?? 0)
                tries.left -= 1
                guard tries.left == 0 else { throw NoRoom() }
                loop.stop()
            })
        tries.reload = reload
        reload.begin()
        loop.run()
        #expect(tries.waits == [1, 2, 4, 8, 8, 8])
        tries.reload = nil
    }

    @Test("C66 Told to reload again it tries at once, with short waits, and the wait of before is over")
    func again() throws {
        let loop = try EventLoop()
        let tries = Tries()
        let hour: UInt64 = 3_600_000
        let reload = SettingsReload(
            loop: loop, log: HubLog.logger("test", Settings().log), firstMs: hour, longestMs: 4 * hour, read: {},
            take: { _ in
                tries.waits.append(tries.reload?.waitMs ?? 0)
                tries.left -= 1
                guard tries.left == 0 else {
                    loop.inNextTurn { tries.reload?.begin() }
                    throw NoRoom()
                }
                loop.stop()
            })
        tries.reload = reload
        reload.begin()
        loop.run()
        #expect(tries.waits == Array(repeating: hour, count: 6))
        #expect(reload.waitMs == hour, "the last one has succeeded")
        tries.reload = nil
    }
}
