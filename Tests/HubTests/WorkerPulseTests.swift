import Foundation
import Testing
import WebSocketServer

@testable import Hub

/// When a worker is taken for one that does nothing any more.
@Suite struct WorkerPulseTests {
    private let most = WorkerPulse.mostMissed

    /// After these looks in a row, at which of them something is to be done.
    private func stops(_ pulse: inout WorkerPulse, _ looks: [UInt32]) -> [Int] {
        var found: [Int] = []
        for (index, beats) in looks.enumerated() where pulse.hasStopped(beats) { found.append(index) }
        return found
    }

    @Test func `who beats, even seldom, does something`() {
        var pulse = WorkerPulse()
        let seldom = (1...10).flatMap { [UInt32](repeating: $0, count: most) }
        let found = stops(&pulse, seldom)
        #expect(found.isEmpty)
    }

    @Test func `who beats no more is told once for each so many looks`() {
        var pulse = WorkerPulse()
        let found = stops(&pulse, [UInt32](repeating: 8, count: 2 * most + 1))
        #expect(found == [most, 2 * most])
        let again = stops(&pulse, [9] + [UInt32](repeating: 9, count: most))
        #expect(again == [most])
    }

    @Test func `who has not begun is let alone, and who stops after its first beat is not`() {
        var pulse = WorkerPulse()
        let before = stops(&pulse, [UInt32](repeating: 0, count: 10 * most))
        #expect(before.isEmpty)
        let after = stops(&pulse, [UInt32](repeating: 1, count: most + 1))
        #expect(after == [most])
    }

    @Test func `beats are shared by who has the file, each row by itself, and leave the addresses alone`() throws {
        let path = FileManager.default.temporaryDirectory.path + "/kerbside-beats-\(UUID().uuidString)"
        defer { unlink(path) }
        #expect(throws: (any Error).self) { try WorkerBeats(path: path) }
        try AddressCounts.create(path: path, rows: 256)
        let (worker, supervisor) = (try WorkerBeats(path: path), try WorkerBeats(path: path))
        worker.beat(row: 0)
        worker.beat(row: 255)
        worker.beat(row: 255)
        #expect([0, 1, 254, 255].map { supervisor.count(row: $0) } == [1, 0, 0, 2])
        // Another takes its row.
        _ = try AddressCounts(path: path, row: 255)
        #expect(supervisor.count(row: 255) == 2)
        supervisor.clear(row: 255)
        worker.beat(row: 255)
        #expect([0, 254, 255].map { supervisor.count(row: $0) } == [1, 0, 1])
    }
}
