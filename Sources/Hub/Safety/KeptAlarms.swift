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
    private var attempts = PutBackAttempts(most: mostAtOnce)
    /// Counts readings of the journal: what was begun for one ends with the next.
    private var reading = 0
    /// What Redis may have lost, the latest at the end, which rings first.
    private var unasked: [AlarmJournal.Alarm] = []
    /// The last failure of this reading that passes.
    private var trouble: RedisFailure?
    /// What Redis refused for good, by the opening. Of many the latest are known.
    private var refused = RecentlyUsed<String, Void>(most: mostKnown)
    /// The day on which old files were deleted last.
    private var tidied: Int64 = 0
    /// It was said that Redis takes none back.
    private var isRestoreTroubled = false

    private static let mostKnown = 1000
    /// Of one alarm: who presses on and on writes no more.
    private static let mostLines = 20
    /// Later ones ring first.
    private static let mostRestored = 500
    /// Of those so many are asked for at once.
    private static let mostAtOnce = 20

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

    /// Raises what Redis does not know any more, a piece when the last one is answered.
    func restore() {
        restoresAt = nil
        reading += 1
        let reading = self.reading
        journal.unclosed(keptDays: services.settings.safety.keptDays, loop) { alarms in
            guard reading == self.reading else { return }
            self.trouble = nil
            self.unasked = alarms.suffix(Self.mostRestored).filter {
                self.refused.use(Self.opening($0.id, $0.again)) == nil
            }
            self.restoreNext(reading)
        }
    }

    private func restoreNext(_ reading: Int) {
        let sent = Array(unasked.suffix(Self.mostAtOnce).reversed())
        guard !sent.isEmpty else { return restoreEnded() }
        unasked.removeLast(sent.count)
        var answers = 0
        for alarm in sent {
            restore(alarm) { result in
                guard reading == self.reading else { return }
                answers += 1
                switch result {
                case .success(let reply): self.restored(alarm, reply)
                case .failure(let failure) where PutBackAttempts.isLasting(failure): self.refuse(alarm, failure)
                case .failure(let failure): self.trouble = failure
                }
                guard answers == sent.count else { return }
                // What a function says of one alarm keeps no other one from ringing.
                switch self.trouble {
                case nil, .server?: self.restoreNext(reading)
                default: self.restoreEnded()
                }
            }
        }
    }

    private func restore(_ alarm: AlarmJournal.Alarm, _ then: @escaping RedisFunctions.Completion) {
        let arguments: FunctionArguments = [
            "role": RedisArgument(alarm.role), "subject": RedisArgument(alarm.subject), "id": RedisArgument(alarm.id),
            "ride": RedisArgument(alarm.ride), "text": RedisArgument(alarm.text),
            "lat": alarm.place.map { RedisArgument($0.lat) } ?? "",
            "lon": alarm.place.map { RedisArgument($0.lon) } ?? "", "at": RedisArgument(alarm.at),
            "again": alarm.again > 0 ? RedisArgument(alarm.again) : "",
        ]
        services.functions.call("sos_restore", arguments, then)
    }

    private func restored(_ alarm: AlarmJournal.Alarm, _ reply: RedisReply) {
        // Its sender has another one open, which is looked after.
        if reply.int == 2 { noteClosed(alarm.id, again: alarm.again) }
        guard reply.int == 1 else { return }
        log.warning("an alarm that Redis had lost rings again", metadata: ["sos": "\(alarm.id)"])
    }

    /// It stays in the journal, and is tried again by the next hub that starts.
    private func refuse(_ alarm: AlarmJournal.Alarm, _ failure: RedisFailure) {
        refused.keep((), as: Self.opening(alarm.id, alarm.again), size: 1)
        log.error(
            "Redis does not take an alarm, which is not tried again: see the journal",
            metadata: ["sos": "\(alarm.id)", "answer": "\(failure)"])
    }

    /// What has failed, or is left, is read again later, as some of it may be closed by then.
    private func restoreEnded() {
        unasked = []
        guard let trouble else {
            isRestoreTroubled = false
            return attempts.taken()
        }
        if case .server(let text) = trouble, !isRestoreTroubled {
            isRestoreTroubled = true
            log.error("sos_restore failed, and is tried again: \(text)")
        }
        restoresAt = loop.now + attempts.nextWaitMs()
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
