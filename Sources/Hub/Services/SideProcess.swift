import EventLoop
import Glibc
import Settings

/// What a hub does in a process of its own, beside its workers. Used on its loop's thread.
protocol SideTask {
    init(name: String, settings: Settings, loop: EventLoop) throws
    func start()
    func reload(_ fresh: Settings)
    func stop()
}

/// A process beside the workers.
enum SideProcess {
    /// Runs until SIGTERM. Throws when it can't start; the supervisor starts it again.
    static func run(_ kind: any SideTask.Type, name: String, data: String) throws {
        LoopSignal.hold(SIGHUP)
        ChildProcess.endWithParent()
        // Rides come first.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        let loop = try EventLoop()
        let task = try kind.init(name: name, settings: try WorkerFiles.settings(of: data), loop: loop)
        // A file of settings that can't be read is told of by the supervisor.
        let hangup = try LoopSignal(loop, signal: SIGHUP) {
            if let fresh = try? WorkerFiles.settings(of: data) { task.reload(fresh) }
        }
        let ends = try [SIGTERM, SIGINT].map { try LoopSignal(loop, signal: $0) { loop.stop() } }
        task.start()
        loop.run()
        task.stop()
        withExtendedLifetime((hangup, ends)) {}
    }
}
