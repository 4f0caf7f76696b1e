import EventLoop
import Glibc
import Logging
import Records
import RedisLink
import Settings

/// Takes the city's event log from Redis into the database. It has a process of its own, so it may wait for the database:
/// nobody else does. Used on its loop's thread.
///
/// An entry and the place in the log go into the database in one transaction, so each counts once, whatever dies in between.
final class Recorder: SideTask {
    /// Entries at once: a tenth of a millisecond of Redis' time, in which nobody else is served.
    private static let atOnce = 100
    /// They are recorded together, so many or those of so long, ms: each transaction writes whole pages of the disk that Redis writes to, too.
    private static let mostHeld = 1_000
    private static let holdMs: Int64 = 1_000
    /// How often it looks, and how soon again while there is more, ms.
    private static let everyMs: UInt64 = 250
    private static let nextMs: UInt64 = 4
    /// Behind by more than this, it does not wait for a time at which nobody else wants the processor, ms.
    private static let patientMs: Int64 = 5_000
    /// SCHED_IDLE of Linux, which Swift is not shown.
    private static let schedIdle: Int32 = 5
    /// After a failure of the database the next attempt waits, doubling up to this, ms.
    private static let longestWaitMs: Int64 = 8_000
    /// Tables of a later version, or another recorder, don't go away that soon, ms.
    private static let standbyMs: Int64 = 5_000
    /// So long an entry may wait in a Redis that writes its file once a second, and be lost with it when it is killed, ms.
    private static let settleMs: Int64 = 3_000
    /// An id that is ahead of Redis' clock by more than this says that the clock was set back, ms.
    private static let aheadMs: Int64 = 1_000
    private static let pingEveryMs: Int64 = 5_000
    private static let forgetEveryMs: Int64 = 3_600_000
    private static let callersDays: Int64 = 30
    /// Where somebody reads for long, it waits some seconds in vain.
    private static let shortenEveryMs: Int64 = 30_000

    static let label = "records"

    private var settings: Settings
    private let location: StoreLocation
    private let connection: RedisConnection
    private let stream: String
    private let timer: LoopTimer
    private let nextRead: LoopTimer
    private let log: Logger
    private let meter: RecordsMeter
    private let settleMs: Int64

    private var store: RecordStore?
    /// How far the log is recorded, as was known last.
    private var cursor: RecordStore.Cursor?
    /// What has been read after it, to be recorded.
    private var held: HeldEntries?
    /// So many entries that follow are recorded each by itself, as the database refused one of them.
    private var oneByOne = 0
    private var isAnew = false
    private var sightings = LogSightings()
    private var isAhead = false
    /// The one that records while this one waits.
    private var other = OtherRecorder()
    private var isReading = false
    /// What keeps the database from recording; nil while nothing does.
    private var trouble: DatabaseFailure?
    private var waitMs: Int64 = 0
    /// Ms of the loop: the machine's clock may be set back.
    private var tryAt: Int64 = 0
    private var pingAt: Int64 = 0
    /// Not at the start: a machine's clock may be far ahead until it is set.
    private var forgetAt = Recorder.steady + forgetEveryMs
    private var shortenAt: Int64 = 0
    private var isTooFarBehind = false
    private var isPatient = false

    init(name: String, settings: Settings, loop: EventLoop) throws {
        self.settings = settings
        location = StoreLocation(url: settings.store.url, data: settings.data.dir)
        connection = RedisConnection(
            loop: loop, endpoint: try RedisLocation(settings).endpoint, limits: RedisLimits(settings))
        stream = Keys(city: settings.city.id).events
        timer = LoopTimer(loop)
        nextRead = LoopTimer(loop)
        log = HubLog.logger(Self.label, settings.log)
        meter = RecordsMeter(name: name, data: settings.data.dir)
        // Such a Redis has written an entry before anybody reads it.
        settleMs = settings.redis.isEmbedded && settings.redis.fsync == .always ? 0 : Self.settleMs
    }

    func start() {
        connection.start()
        timer.start(afterMs: 0, repeatMs: Self.everyMs) { [unowned self] in look() }
    }

    func reload(_ fresh: Settings) { settings = settings.reloaded(from: fresh) }

    func stop() {
        timer.close()
        nextRead.close()
        connection.close()
        store?.close()
    }

    private func look() {
        openStore()
        read()
        meter.publish()
    }

    // MARK: the database

    private static var steady: Int64 { Int64(EventLoop.currentTime()) }

    private func openStore() {
        let now = Self.steady
        guard store == nil, now >= tryAt else { return }
        do throws(DatabaseFailure) {
            let closed = try RecordsFile.close(location)
            if !closed.isEmpty {
                log.warning(
                    "the records were open to other users of this machine, and are closed now",
                    metadata: ["files": "\(closed.joined(separator: ", "))"])
            }
            store = try RecordStore.recorder(location, city: settings.city.id, nowMs: EventLoop.wallClock())
            cursor = try store?.cursor()
            if store == nil { standBy() } else if meter.isStandby { meter.stands(.starting) }
            tryAt = now + Self.standbyMs
        } catch {
            failed(error)
        }
    }

    /// Another hub records this city. One with the same Redis has taken what it recorded last from the log that this one reads, too, and takes
    /// what follows. One with another Redis will never record this log.
    private func standBy() {
        if !meter.isStandby {
            log.notice("standby: another hub records this city", metadata: ["store": "\(location.name)"])
            meter.stands(.standby)
            other = OtherRecorder()
        }
        // Its tables may be older than this program.
        guard let reader = try? RecordStore.reader(location, city: settings.city.id) else { return }
        defer { reader.close() }
        guard connection.isUp, !isReading, case .success(let recorded) = Result(catching: reader.cursor) else { return }
        readLog(from: recorded.map { "\($0.id)" } ?? "-") { [weak self] reading in
            guard let self, let reading, meter.isStandby else { return }
            let (standing, behindMs) = other.look(reading, recorded: recorded, now: Self.steady)
            if standing != meter.standing, let trouble = standing.trouble {
                log.error("\(trouble)", metadata: ["store": "\(location.name)"])
            }
            meter.stands(standing)
            guard standing != .foreign else { return }
            meter.behind(entries: reading.added - (recorded?.place ?? 0), ms: behindMs)
        }
    }

    /// It records, or there is nothing to record: only now a disk is known to have room.
    private func works() {
        guard meter.standing != .recording else { return }
        log.notice(
            trouble == nil ? "recording" : "recording goes on",
            metadata: ["store": "\(location.name)", "after": "\(cursor?.id ?? .zero)"])
        meter.stands(.recording)
        trouble = nil
        waitMs = 0
    }

    /// Where there is nothing to record, a database that has died would not be noticed; nor another recorder.
    private func ping(_ store: RecordStore) {
        let now = Self.steady
        guard now >= pingAt else { return }
        pingAt = now + Self.pingEveryMs
        do throws(DatabaseFailure) {
            guard try store.cursor() == cursor else {
                throw DatabaseFailure(.overtaken, "another recorder has gone on with these records")
            }
        } catch {
            failed(error)
        }
    }

    /// Nothing is lost: the event log has it until the database is back.
    private func failed(_ failure: DatabaseFailure) {
        store?.close()
        store = nil
        held = nil
        meter.failed()
        // A server that goes away is told of by the connection that it cut, and then by each attempt: that is one fact.
        if trouble?.kind != failure.kind {
            log.error("nothing is recorded for now: \(failure)", metadata: ["store": "\(location.name)"])
        } else if trouble != failure {
            log.notice("still nothing is recorded: \(failure)", metadata: ["store": "\(location.name)"])
        }
        trouble = failure
        waitMs = min(Self.longestWaitMs, max(500, waitMs * 2))
        tryAt = Self.steady + (failure.kind == .unavailable ? waitMs : Self.standbyMs)
    }

    // MARK: the log

    private func read() {
        guard connection.isUp, !isReading, !meter.isStandby else { return }
        readLog(from: held.map { "\($0.to.id)" } ?? (isAnew ? "-" : cursor.map { "\($0.id)" } ?? "-")) {
            [weak self] reading in
            guard let self else { return }
            guard var reading else {
                // What was seen may be lost with this Redis.
                sightings = LogSightings()
                return
            }
            sightings.see(
                last: reading.last, recorded: isAnew ? .zero : cursor?.id ?? .zero, now: Self.steady)
            reading.sightings = sightings
            notice(aheadMs: reading.aheadMs)
            take(reading)
        }
    }

    /// Calls `then` with the log as it is, and its entries from an id on; nil: Redis does not say.
    private func readLog(from: String, then: @escaping (LogReading?) -> Void) {
        isReading = true
        connection.readLog(stream, from: from, count: Self.atOnce + 2) { [weak self] reading in
            self?.isReading = false
            then(reading)
        }
    }

    private func take(_ reading: LogReading) {
        let most = oneByOne > 0 ? 1 : Self.atOnce
        let plan = reading.plan(
            after: held?.to ?? cursor, isAnew: isAnew && held == nil, settleMs: settleMs, most: most)
        if plan.mustRestart {
            if let store, !record(in: store) { return }
            isAnew = true
            return read()
        }
        if let store { take(plan, into: store) }
        guard store != nil else {
            let behind = reading.added - (cursor?.place ?? 0)
            meter.behind(entries: behind, ms: reading.oldest(cursor))
            return warn(behind)
        }
        let behind = plan.leftEntries + Int64(held?.count ?? 0)
        meter.behind(entries: behind, ms: held.map { reading.age(of: $0.first) } ?? plan.leftMs)
        warn(behind)
        be(patient: plan.leftMs < Self.patientMs)
        guard plan.entries.count == most else { return }
        if isPatient { nextRead.start(afterMs: Self.nextMs) { [unowned self] in read() } } else { read() }
    }

    private func take(_ plan: LogReading.Plan, into store: RecordStore) {
        let now = Self.steady
        if let first = plan.entries.first {
            // Before a gap is what was read up to it.
            if plan.gap != nil, !record(in: store) { return }
            var held = self.held ?? HeldEntries(plan, first: first.id, in: store, since: now)
            self.held = nil
            let dropped = held.add(plan)
            if dropped > 0 {
                log.warning("\(dropped) entries of the event log are no JSON objects, and are left out")
            }
            self.held = held
        }
        guard let held else {
            ping(store)
            if self.store != nil { works() }
            return
        }
        if oneByOne > 0 || held.count >= Self.mostHeld || now - held.since >= Self.holdMs { record(in: store) }
    }

    /// Whoever decides about rides comes first: the recorder runs when nobody else wants the processor, but not until the log is cut.
    private func be(patient: Bool) {
        guard isPatient != patient else { return }
        isPatient = patient
        var none = sched_param()
        // Where that is not allowed it stays as it is.
        _ = sched_setscheduler(0, patient ? Self.schedIdle : SCHED_OTHER, &none)
    }

    /// Answers whether all that was held is recorded.
    @discardableResult
    private func record(in store: RecordStore) -> Bool {
        guard let held else { return true }
        do throws(DatabaseFailure) {
            guard let gaps = try write(held, in: store) else { return false }
            for gap in gaps { tell(gap) }
            cursor = held.to
            self.held = nil
            isAnew = false
            oneByOne = max(0, oneByOne - held.count)
            if let last = held.lastTime { try forget(store, hubNow: last) }
            try shorten(store)
            works()
            return true
        } catch {
            failed(error)
            return false
        }
    }

    /// Answers which gaps it has written; nil: nothing, as the database refuses one of several entries.
    private func write(_ held: HeldEntries, in store: RecordStore) throws(DatabaseFailure) -> [RecordStore.Gap]? {
        let nowMs = EventLoop.wallClock()
        do throws(DatabaseFailure) {
            try store.record(held.prepared, from: cursor, to: held.to, nowMs: nowMs)
            meter.recorded(held.count)
            return held.gaps
        } catch {
            guard error.kind == .refused, !store.isLost else { throw error }
            guard held.count == 1 else {
                separate(held, error)
                return nil
            }
            let gaps = held.gaps + [RecordStore.Gap(kind: .refused, after: held.first, before: held.first, lost: 1)]
            try store.record(store.prepare(after: gaps), from: cursor, to: held.to, nowMs: nowMs)
            log.error(
                "the database refuses an entry of the event log, which is left out: \(error)",
                metadata: ["entry": "\(held.first)"])
            return gaps
        }
    }

    /// They are read again, to find the one that the database refuses.
    private func separate(_ held: HeldEntries, _ failure: DatabaseFailure) {
        log.warning("of \(held.count) entries the database refuses one, and each is recorded by itself: \(failure)")
        self.held = nil
        oneByOne = held.count
    }

    private func tell(_ gap: RecordStore.Gap) {
        let facts: Logger.Metadata = [
            "after": "\(gap.after)", "before": "\(gap.before)", "entries": "\(gap.lost.map { "\($0)" } ?? "unknown")",
        ]
        switch gap.kind {
        case .before:
            log.notice(
                "records begin in the middle of the event log: what it held before is not in it any more",
                metadata: facts)
        case .trimmed:
            meter.foundGap()
            log.error(
                "entries left the event log before they were recorded: raise redis.events_length", metadata: facts)
        case .rewound:
            meter.foundGap()
            log.error(
                "Redis has lost entries of the event log that are recorded: it was restored, or replaced; revoke again whose tokens the audit says were revoked since",
                metadata: facts)
        case .refused:
            // What the database says of it is in the log already.
            meter.foundGap()
        }
    }

    /// Says once that Redis' clock was set back.
    private func notice(aheadMs: Int64) {
        let isAhead = aheadMs > Self.aheadMs
        if isAhead, !self.isAhead {
            log.warning(
                "Redis' clock was set back by \(aheadMs / 1_000) s or more: until it is there again, entries of the event log are as old as they have been seen"
            )
        }
        self.isAhead = isAhead
    }

    /// Says once that the log will soon be cut before it is recorded.
    private func warn(_ behind: Int64) {
        let isFar = behind > Int64(settings.redis.eventsLength) * 8 / 10
        if isFar, !isTooFarBehind {
            log.error(
                "records are \(behind) entries behind, and the event log keeps \(settings.redis.eventsLength): raise redis.events_length, or mend the database"
            )
        }
        isTooFarBehind = isFar
    }

    /// What was written waits in a file beside the database, which grows while others read.
    private func shorten(_ store: RecordStore) throws(DatabaseFailure) {
        let now = Self.steady
        guard now >= shortenAt else { return }
        shortenAt = now + Self.shortenEveryMs
        try store.shorten()
    }

    private func forget(_ store: RecordStore, hubNow: Int64) throws(DatabaseFailure) {
        let now = Self.steady
        guard now >= forgetAt else { return }
        // As long as Redis keeps a number (people.lua).
        try store.forgetCallers(before: hubNow - Self.callersDays * 86_400_000)
        forgetAt = now + Self.forgetEveryMs
        guard settings.store.peopleDays > 0 else { return }
        try store.forgetPeople(before: hubNow - Int64(settings.store.peopleDays) * 86_400_000)
    }
}
