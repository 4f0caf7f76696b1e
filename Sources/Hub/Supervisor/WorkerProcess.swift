import EventLoop
import Glibc
import Telemetry
import WebSocketServer

/// One worker, the recorder, or the sender of pushes, as its supervisor sees it: started, started again when it dies, stopped. Used on the
/// supervisor's loop.
final class WorkerProcess {
    enum Work {
        case worker(number: Int, port: Int)
        case recorder
        case pushSender
    }

    /// The first restart is at once; those that follow soon after wait, doubling up to this, ms.
    private static let longestWaitMs: UInt64 = 5_000
    /// A worker that has lived so long starts with no wait again, ms.
    private static let settledMs: UInt64 = 10_000

    private let work: Work
    private let loop: EventLoop
    private let data: String
    private let timer: LoopTimer
    private var process: ChildProcess?
    private var name = ""
    private var startedAt: UInt64 = 0
    private var waitMs: UInt64 = 0
    private var isWanted = true

    /// Called when the process has ended, with how.
    var onEnd: ((String) -> Void)?

    var isRunning: Bool { process != nil }
    /// Nil: it does not run.
    var pid: Int32? { process?.pid }

    init(_ work: Work, loop: EventLoop, data: String) {
        self.work = work
        self.loop = loop
        self.data = data
        timer = LoopTimer(loop)
    }

    func start() {
        guard isWanted else { return }
        name = prefix + String(UInt32.random(in: .min ... .max), radix: 36)
        startedAt = loop.now
        do {
            process = try ChildProcess.spawn(
                loop: loop, executable: "/proc/self/exe", arguments: arguments
            ) { status, signal in self.ended(signal != 0 ? "signal \(signal)" : "exit status \(status)") }
        } catch {
            ended("\(error)")
        }
    }

    private var prefix: String {
        switch work {
        case .worker(let number, _): "w\(number)-"
        case .recorder: "records-"
        case .pushSender: "pushes-"
        }
    }

    private var arguments: [String] {
        switch work {
        case .worker(let number, let port):
            ["worker", "--name", name, "--number", String(number), "--data", data, "--port", String(port)]
        case .recorder: ["recorder", "--name", name, "--data", data]
        case .pushSender: ["push-sender", "--name", name, "--data", data]
        }
    }

    /// What it runs with has changed. One that does not hold the signal yet would be ended by it. It has read nothing so
    /// far, and will read what there is now.
    func reload() {
        guard let process, ProcessStanding(of: process.pid)?.survives(SIGHUP) != false else { return }
        process.kill(SIGHUP)
    }

    /// Asks it to drain; kills it if it has not ended in time.
    func stop(killAfterMs: UInt64) {
        isWanted = false
        timer.stop()
        guard let process else { return }
        process.kill(SIGTERM)
        timer.start(afterMs: killAfterMs) { self.process?.kill(SIGKILL) }
    }

    /// Ends it now, with all that it has; another takes its place.
    func kill() { process?.kill(SIGKILL) }

    private func ended(_ description: String) {
        process = nil
        WorkerExpositions(directory: WorkerFiles.metrics(data)).remove(worker: name)
        // Its connections are gone, whether another takes its place or not, and one that does has not begun.
        if case .worker(let number, _) = work {
            _ = try? AddressCounts(path: WorkerFiles.addresses(data), row: number - 1)
            try? WorkerBeats(path: WorkerFiles.addresses(data)).clear(row: number - 1)
        }
        timer.stop()
        if isWanted {
            if loop.now - startedAt >= Self.settledMs { waitMs = 0 }
            timer.start(afterMs: waitMs) { self.start() }
            waitMs = min(Self.longestWaitMs, max(100, waitMs * 2))
        } else {
            timer.close()
        }
        onEnd?(description)
    }
}
