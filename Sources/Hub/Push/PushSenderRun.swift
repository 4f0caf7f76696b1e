import EventLoop
import Glibc
import Settings

/// The process that sends pushes: what `kerbside push-sender` does.
public enum PushSenderRun {
    /// Sends until SIGTERM. Throws when it can't start; the supervisor starts it again.
    public static func run(name: String, data: String) throws {
        ChildProcess.endWithParent()
        // Rides come first.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        let loop = try EventLoop()
        let sender = try PushSender(name: name, settings: try WorkerFiles.settings(of: data), loop: loop)
        // A file of settings that can't be read is told of by the supervisor.
        let hangup = try LoopSignal(loop, signal: SIGHUP) {
            if let fresh = try? WorkerFiles.settings(of: data) { sender.reload(fresh) }
        }
        let ends = try [SIGTERM, SIGINT].map { try LoopSignal(loop, signal: $0) { loop.stop() } }
        sender.start()
        loop.run()
        sender.stop()
        withExtendedLifetime((hangup, ends)) {}
    }
}
