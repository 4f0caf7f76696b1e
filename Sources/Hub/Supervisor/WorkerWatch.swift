import EventLoop
import Logging
import WebSocketServer

/// Kills workers that do nothing any more, stopped or in a loop without end: others take their place, and clients come back to them. Used on
/// the supervisor's loop.
final class WorkerWatch {
    /// How often a worker says that it turns, and how often somebody looks, ms.
    static let everyMs: UInt64 = 1_000

    private let workers: [WorkerProcess]
    private let beats: WorkerBeats
    private let log: Logger
    private let timer: LoopTimer
    /// By the worker's row; of the process that ran there at the last look.
    private var pulses: [Int: (pid: Int32, pulse: WorkerPulse)] = [:]

    /// - Parameter workers: in the order of their rows.
    init(_ workers: [WorkerProcess], data: String, loop: EventLoop, log: Logger) throws {
        self.workers = workers
        self.log = log
        beats = try WorkerBeats(path: WorkerFiles.addresses(data))
        timer = LoopTimer(loop)
        timer.start(afterMs: Self.everyMs, repeatMs: Self.everyMs) { [unowned self] in self.look() }
    }

    func close() { timer.close() }

    private func look() {
        for (row, worker) in workers.enumerated() {
            guard let pid = worker.pid else { continue }
            let count = beats.count(row: row)
            var pulse = pulses[row].flatMap { $0.pid == pid ? $0.pulse : nil } ?? WorkerPulse()
            let hasStopped = pulse.hasStopped(count)
            pulses[row] = (pid, pulse)
            // Whom a debugger holds goes on when it is let go.
            guard hasStopped, ProcessStanding(of: pid)?.isTraced != true else { continue }
            log.error(
                "worker \(row + 1) has done nothing for \(WorkerPulse.mostMissed) s, and is killed",
                metadata: ["pid": "\(pid)"])
            worker.kill()
        }
    }
}
