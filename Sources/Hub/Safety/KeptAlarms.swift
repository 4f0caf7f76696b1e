import EventLoop
import Logging
import PMTiles
import RedisLink
import Settings
import Wire

/// Alarms that outlive a Redis that has lost some: written to the journal before their senders hear that they were taken, and raised again where
/// Redis does not know them any more. Used on the worker's loop.
final class KeptAlarms {
    private let services: WorkerServices
    private let journal: AlarmJournal
    /// How many lines this worker has written of each alarm, anew each time that it was opened again. Of many the latest are known.
    private var written = RecentlyUsed<String, Int>(most: mostKnown)
    private let waits: DiskWaits
    /// Alarms whose end was written here. Of many the latest are known.
    private var closed = RecentlyUsed<String, Void>(most: mostKnown)
    /// When Redis is to be asked for what it may have lost, ms of the loop; nil: it was.
    private var restoresAt: UInt64?
    private var restoreWaitMs = shortestWaitMs
    /// The day on which old files were deleted last.
    private var tidied: Int64 = 0
    /// It was said that Redis takes none back.
    private var isRestoreTroubled = false

    private static let mostKnown = 1000
    /// Of one alarm: who presses on and on writes no more.
    private static let mostLines = 20
    /// Later ones ring first.
    private static let mostRestored = 500
    private static let shortestWaitMs: UInt64 = 1000
    private static let longestWaitMs: UInt64 = 60_000

    init(_ services: WorkerServices) {
        self.services = services
        waits = DiskWaits(
            services.loop, services.log,
            trouble: "alarms can't be written to \(services.settings.data.dir)/alarms, and are in Redis only")
        journal = AlarmJournal(data: services.settings.data.dir, city: services.settings.city.id)
    }

    private var loop: EventLoop { services.loop }
    private var log: Logger { services.log }

    private static func opening(_ sos: String, _ again: Int64) -> String { again > 0 ? "\(sos) \(again)" : sos }

    /// Whether what its sender has said is not written yet. again: how often it was opened again; text: as it came with this press.
    func isToKeep(_ sos: String, again: Int64, _ text: String?) -> Bool {
        guard again <= AlarmJournal.mostOpenings else { return false }
        guard let lines = written.use(Self.opening(sos, again)) else { return true }
        return text != nil && lines < Self.mostLines
    }

    /// Calls `tell` once: when it is on the disk, when it can't be, or when that takes too long (it rings already).
    func keep(_ alarm: AlarmJournal.Alarm, _ tell: @escaping () -> Void) {
        let wait = waits.begin(tell)
        let opening = Self.opening(alarm.id, alarm.again)
        let lines = written.use(opening) ?? 0
        written.keep(lines + 1, as: opening, size: 1)
        journal.keep(alarm, loop) { isKept in
            if !isKept { self.written.remove(opening) }
            self.waits.end(wait, isKept: isKept)
        }
    }

    /// It need not ring again. A close that is said again and again is written once, as alarms wait for the disk meanwhile.
    func noteClosed(_ sos: String, again: Int64) {
        let opening = Self.opening(sos, again)
        guard again < AlarmJournal.mostOpenings, closed.use(opening) == nil else { return }
        closed.keep((), as: opening, size: 1)
        journal.noteClosed(sos, again: again, loop) { isKept in
            if !isKept { self.closed.remove(opening) }
            self.waits.end(nil, isKept: isKept)
        }
    }

    /// Raises what Redis does not know any more.
    func restore() {
        restoresAt = nil
        journal.unclosed(keptDays: services.settings.safety.keptDays, loop) { alarms in
            for alarm in alarms.suffix(Self.mostRestored).reversed() { self.restore(alarm) }
        }
    }

    private func restore(_ alarm: AlarmJournal.Alarm) {
        let arguments: FunctionArguments = [
            "role": RedisArgument(alarm.role), "subject": RedisArgument(alarm.subject), "id": RedisArgument(alarm.id),
            "ride": RedisArgument(alarm.ride), "text": RedisArgument(alarm.text),
            "lat": alarm.place.map { RedisArgument($0.lat) } ?? "",
            "lon": alarm.place.map { RedisArgument($0.lon) } ?? "", "at": RedisArgument(alarm.at),
            "again": alarm.again > 0 ? RedisArgument(alarm.again) : "",
        ]
        services.functions.call("sos_restore", arguments) { result in
            guard case .success(let reply) = result else { return self.restoreFailed(result) }
            self.isRestoreTroubled = false
            self.restoreWaitMs = Self.shortestWaitMs
            // Its sender has another one open, which is looked after.
            if reply.int == 2 { self.noteClosed(alarm.id, again: alarm.again) }
            guard reply.int == 1 else { return }
            self.log.warning("an alarm that Redis had lost rings again", metadata: ["sos": "\(alarm.id)"])
        }
    }

    private func restoreFailed(_ result: Result<RedisReply, RedisFailure>) {
        if case .failure(.server(let text)) = result, !isRestoreTroubled {
            isRestoreTroubled = true
            log.error("sos_restore failed, and is tried again: \(text)")
        }
        guard restoresAt == nil else { return }
        restoresAt = loop.now + restoreWaitMs
        restoreWaitMs = min(2 * restoreWaitMs, Self.longestWaitMs)
    }

    /// Each second of the machine's clock.
    func second() {
        if let restoresAt, services.commands.isUp, loop.now >= restoresAt { restore() }
        waits.second()
        let today = EventLoop.wallClock() / 86_400_000
        if today != tidied {
            tidied = today
            journal.forgetOld(keptDays: services.settings.safety.keptDays)
        }
    }
}
