import Domain
import EventLoop
import Glibc
import Logging
import Settings
import WebSocketServer

/// The worker process: what `kerbside worker` does.
public enum WorkerRun {
    /// Serves until SIGTERM. Throws when it can't start; the supervisor starts it again.
    public static func run(name: String, number: Int, data: String, port: Int) throws {
        // A reload that comes from here on is carried out when there is somebody for it.
        LoopSignal.hold(SIGHUP)
        // A worker without its supervisor would serve on with nobody to stop it.
        ChildProcess.endWithParent()
        raiseFileLimit()
        WebSocketServer.useOneHeap()
        let settings = try read(data, port)
        EventLoop.limitTurns()
        let loop = try EventLoop()
        let worker = try Worker(name: name, number: number, settings: settings, loop: loop)
        let reload = SettingsReload(
            loop: loop, log: worker.assumeIsolated { $0.log },
            read: {
                let settings = try read(data, port)
                return Reading(settings: settings, zones: try CityZones.load(settings))
            },
            take: { fresh in try worker.assumeIsolated { try $0.reload(fresh.settings, zones: fresh.zones) } })
        let hangup = try LoopSignal(loop, signal: SIGHUP) { reload.begin() }
        var ends: [LoopSignal] = []
        for signal in [SIGTERM, SIGINT] {
            ends.append(
                try LoopSignal(loop, signal: signal) { worker.assumeIsolated { $0.drain { loop.stop() } } })
        }
        try worker.assumeIsolated { try $0.start() }
        // By which the supervisor knows that it does something.
        let beats = try WorkerBeats(path: WorkerFiles.addresses(data))
        let pulse = LoopTimer(loop)
        pulse.start(afterMs: WorkerWatch.everyMs, repeatMs: WorkerWatch.everyMs) { beats.beat(row: number - 1) }
        // Not in the first turn of the loop: that one may have no end.
        beats.beat(row: number - 1)
        loop.run()
        withExtendedLifetime((hangup, ends, pulse)) {}
    }

    private struct Reading: Sendable {
        var settings: Settings
        var zones: ZoneSet
    }

    private static func read(_ data: String, _ port: Int) throws -> Settings {
        var settings = try WorkerFiles.ownSettings(of: data)
        settings.server.port = port
        return settings
    }

    /// Takes all the open files that are allowed: each connection is one.
    private static func raiseFileLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
