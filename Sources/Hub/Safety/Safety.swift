import Domain
import EventLoop
import Logging
import RedisLink
import Settings
import Wire

/// Alarms, which ring at the operators until one of them acknowledges, and reports of what happened. The functions decide; `Sweeps`
/// has them ring again.
final class Safety: Capability {
    let services: WorkerServices
    private let readings: ChannelReadings
    /// How many read `office` here, as Redis was told last; nil: it has to be told.
    private var watching: Int?
    private var hasFailed = false
    /// Reports of each person since midnight by UTC. Here and nowhere else, as it would tell who sent an anonymous one.
    private var reports: [String: Int] = [:]
    private var day: Int64 = 0
    private let kept: KeptAlarms
    /// How often an alarm was opened again, which only the journal needs to know.
    private static let hidden = ["again"]

    init(_ services: WorkerServices, _ readings: ChannelReadings) {
        self.services = services
        kept = KeptAlarms(services)
        self.readings = readings
    }

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        guard case .safety(let command) = message.command else { return false }
        let who = RedisArgument(identity.subject)
        let role = RedisArgument(identity.role.rawValue)
        let key = RedisArgument(message.key ?? "")
        switch command {
        case .sos(let ride, let text, let place): raise(ride, text, place, message, session, identity)
        case .cancel: call("sos_cancel", ["role": role, "subject": who, "key": key], message, session)
        case .list(let closed):
            let which: RedisArgument = closed ? "1" : ""
            list(
                "sos_list", ["closed": which], rest: { ("sos_rows", ["closed": which, "alarms": $0]) }, message,
                session, price: CommandPrice.listed)
        case .acknowledge(let sos, let note):
            call(
                "sos_acknowledge",
                ["operator": who, "sos": RedisArgument(sos), "note": RedisArgument(note ?? ""), "key": key],
                message, session)
        case .close(let sos, let note):
            callForJournal(
                "sos_close", ["operator": who, "sos": RedisArgument(sos), "note": RedisArgument(note), "key": key],
                hidden: Self.hidden, message, session
            ) { reply, tell in
                if let reply { self.kept.noteClosed(sos, again: reply["again"]?.integer ?? 0) }
                tell()
            }
        case .report(let category, let text, let ride, let vehicle, let isAnonymous):
            guard mayReport(message, session, identity) else { return true }
            call(
                "report_send",
                [
                    "role": isAnonymous ? "" : role, "subject": isAnonymous ? "" : who,
                    "category": RedisArgument(category.rawValue), "text": RedisArgument(text),
                    "ride": RedisArgument(ride ?? ""), "vehicle": RedisArgument(vehicle ?? ""), "key": key,
                ], message, session)
        case .reports(let from, let limit, let closed):
            list(
                "report_list",
                ["from": RedisArgument(from ?? ""), "limit": RedisArgument(limit), "closed": closed ? "1" : ""],
                message, session, price: CommandPrice.listed)
        case .closeReport(let report, let note):
            call(
                "report_close",
                ["operator": who, "report": RedisArgument(report), "note": RedisArgument(note), "key": key], message,
                session)
        }
        return true
    }

    private func raise(
        _ ride: String?, _ text: String?, _ place: Place?, _ message: ClientMessage, _ session: Session,
        _ identity: Identity
    ) {
        let id = RandomID.make("s_")
        let arguments: FunctionArguments = [
            "role": RedisArgument(identity.role.rawValue), "subject": RedisArgument(identity.subject),
            "id": RedisArgument(id), "ride": RedisArgument(ride ?? ""), "text": RedisArgument(text ?? ""),
            "lat": place.map { RedisArgument($0.lat) } ?? "", "lon": place.map { RedisArgument($0.lon) } ?? "",
            "key": RedisArgument(message.key ?? ""),
        ]
        callForJournal("sos_raise", arguments, hidden: Self.hidden, message, session) { reply, tell in
            guard let reply, let sos = reply["sos"]?.text else { return tell() }
            let again = reply["again"]?.integer ?? 0
            // Once for an alarm, however often it is sent.
            if sos == id {
                let watching = reply["watching"]?.integer ?? 0
                self.log.warning(
                    watching > 0 ? "an alarm was raised" : "an alarm was raised, and no operator reads office",
                    metadata: ["sos": "\(id)", "role": "\(identity.role.rawValue)", "watching": "\(watching)"])
            }
            guard self.kept.isToKeep(sos, again: again, text) else { return tell() }
            // It rings already. Its sender hears that it is taken when nothing can take it away any more.
            let alarm = AlarmJournal.Alarm(
                id: sos, at: self.now(), role: identity.role.rawValue, subject: identity.subject, ride: ride ?? "",
                text: text ?? "", place: place, again: again)
            self.kept.keep(alarm, tell)
        }
    }

    /// Counts it, or refuses what is too much for one person and day. What is refused later counts, too: nobody sends so many.
    private func mayReport(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        guard !services.store.isNearlyFull else {
            refuse(
                session, message.id, .unavailable,
                "The hub's memory is nearly full, and what is left is kept for rides; send it again in a while.")
            return false
        }
        let dayMs: Int64 = 86_400_000
        let today = now() / dayMs
        if today != day {
            day = today
            reports = [:]
        }
        let who = "\(identity.role.rawValue):\(identity.subject)"
        guard reports[who, default: 0] < settings.safety.reportsADay else {
            refuse(
                session, message.id, .rateLimited,
                "You have sent \(settings.safety.reportsADay) reports today; send more tomorrow.",
                retryAfterMs: (today + 1) * dayMs - now())
            return false
        }
        reports[who, default: 0] += 1
        return true
    }

    // MARK: who watches

    func redisIsUp() {
        watching = nil
        kept.restore()
    }

    func takenForDead() { watching = nil }

    /// What Redis did not take is told again.
    func second() {
        if hasFailed { watching = nil }
        hasFailed = false
        kept.second()
    }

    func tick() {
        let count = readings.readers(of: Channel.office)
        guard count != watching, commands.isUp else { return }
        watching = count
        functions.call("sos_watch", ["worker": RedisArgument(services.name), "count": RedisArgument(count)]) { result in
            guard case .failure(let problem) = result else { return }
            self.hasFailed = true
            if case .server(let text) = problem { self.log.error("sos_watch failed: \(text)") }
        }
    }
}
