import EventLoop
import Glibc
import Settings

/// What a hub does in a process of its own, beside its workers. Used on its loop's thread.
protocol SideTask {
    /// Its name in the log.
    static var label: String { get }
    init(name: String, settings: Settings, loop: EventLoop) throws
    func start()
    /// Changes nothing where it throws.
    func reload(_ fresh: Settings) throws
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
        let settings = try WorkerFiles.ownSettings(of: data)
        let task = try kind.init(name: name, settings: settings, loop: loop)
        let reload = SettingsReload(
            loop: loop, log: HubLog.logger(kind.label, settings.log), read: { try WorkerFiles.ownSettings(of: data) },
            take: { try task.reload($0) })
        let hangup = try LoopSignal(loop, signal: SIGHUP) { reload.begin() }
        let ends = try [SIGTERM, SIGINT].map { try LoopSignal(loop, signal: $0) { loop.stop() } }
        task.start()
        loop.run()
        task.stop()
        withExtendedLifetime((hangup, ends)) {}
    }
}
