import EventLoop
import Glibc
import Settings

/// The process that records: what `kerbside recorder` does.
public enum RecorderRun {
    /// Records until SIGTERM. Throws when it can't start; the supervisor starts it again.
    public static func run(name: String, data: String) throws {
        ChildProcess.endWithParent()
        // Rides come first.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        let loop = try EventLoop()
        let recorder = try Recorder(name: name, settings: try WorkerFiles.settings(of: data), loop: loop)
        // A file of settings that can't be read is told of by the supervisor.
        let hangup = try LoopSignal(loop, signal: SIGHUP) {
            if let fresh = try? WorkerFiles.settings(of: data) { recorder.reload(fresh) }
        }
        let ends = try [SIGTERM, SIGINT].map { try LoopSignal(loop, signal: $0) { loop.stop() } }
        recorder.start()
        loop.run()
        recorder.stop()
        withExtendedLifetime((hangup, ends)) {}
    }
}
