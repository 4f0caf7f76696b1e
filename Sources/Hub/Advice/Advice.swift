import Domain
import EventLoop
import Logging
import RedisLink
import Settings
import Telemetry
import Wire

/// Drivers are advised where to wait: on asking, and unasked when a zone near by is much better. Expected is the demand that the
/// figures of taxis had in the last weeks (``TaxiFigures/demand``, ``ZoneDemand``); a worker reads them when it first needs
/// them, and then once an hour.
final class Advice: Capability {
    let services: WorkerServices
    private var demand = ZoneDemand()
    /// The hour in which the figures were read last.
    private var readHour: Int64?
    /// The middles of the zones of that version.
    private var middles: (version: UInt64, points: [GeoPoint]) = (0, [])
    /// What is known of the zones, and until when it is used, ms of the loop.
    private var known: (advice: WaitAdvice, till: UInt64)?
    /// Who waits for that.
    private var waiters: [(WaitAdvice?) -> Void] = []
    private var nextTurn: UInt64 = 0

    /// Who waits where is read so often at most, ms.
    private static let keptMs: UInt64 = 10_000
    /// A worker asks so often whether it is its turn, ms.
    private static let askMs: UInt64 = 10_000
    private static let mostWaiters = 500
    /// Zones in an answer.
    private static let mostChoices = 5
    /// Zones whose drivers are looked at in one turn: those where the last one waits longest.
    private static let mostQueues = 40
    /// Who was sent counts as on the way for so long after it should be there, ms of hub time.
    private static let lateMs: Int64 = 300_000

    init(_ services: WorkerServices) { self.services = services }

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        guard case .advice(.get) = message.command else { return false }
        functions.call("advice_driver", ["driver": RedisArgument(identity.subject)]) { result in
            guard self.sessions.has(session) else { return }
            guard let driver = self.elements(result, of: "advice_driver")?.map({ $0.text ?? "" }), driver.count == 7
            else {
                return self.refuse(session, message.id, .unavailable, "The hub can't reach its store now; ask again.")
            }
            self.answer(message, session, driver, rank: Int(driver[6]))
        }
        return true
    }

    /// driver: as `advice_driver` answers.
    private func answer(_ message: ClientMessage, _ session: Session, _ driver: [String], rank: Int?) {
        guard driver[1] != "minibus", driver[2].isEmpty else {
            return refuse(
                session, message.id, .notAvailable,
                driver[2].isEmpty
                    ? "Where taxis are likely to get a ride is no advice for a minibus."
                    : "You are on ride \(driver[2]): ask when it is over.")
        }
        guard let lat = Double(driver[3]), let lon = Double(driver[4]) else {
            return refuse(
                session, message.id, .noPosition, "The hub does not know where you are: send a position first.")
        }
        withAdvice { advice in
            guard self.sessions.has(session) else { return }
            guard let advice else {
                return self.refuse(session, message.id, .unavailable, "The figures can't be read now; ask again.")
            }
            let point = GeoPoint(lat: lat, lon: lon)
            let here = rank == nil ? self.zones.id(of: point) : driver[5]
            let choices = advice.choices(from: point, except: here).prefix(Self.mostChoices)
            self.reply(
                session, message.id, self.told(here.flatMap { advice[$0] }, rank, Array(choices)),
                to: message.command.name)
        }
    }

    private func told(_ here: WaitAdvice.Place?, _ rank: Int?, _ choices: [WaitAdvice.Choice]) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("days", demand.dates.count)
        if let here {
            json.key("here")
            json.beginObject()
            write(here, &json)
            if let rank { json.member("rank", rank) }
            let seconds = WaitAdvice.wait(
                rank: rank ?? here.waiting + 1, expected: here.expected, later: here.later)
            if seconds < WaitAdvice.longest { json.member("wait_s", Int(seconds)) }
            json.endObject()
        }
        json.key("zones")
        json.beginArray()
        for choice in choices {
            json.beginObject()
            write(choice, &json)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private func write(_ place: WaitAdvice.Place, _ json: inout JSONWriter) {
        json.member("zone", place.zone)
        json.key("expected")
        json.decimal(place.expected, places: 1)
        json.key("later")
        json.decimal(place.later, places: 1)
        json.member("waiting", place.waiting)
    }

    private func write(_ choice: WaitAdvice.Choice, _ json: inout JSONWriter) {
        write(choice.place, &json)
        json.member("distance_m", Int(choice.metres))
        json.member("wait_s", Int(choice.seconds))
    }

    // MARK: unasked

    func second() {
        let every = settings.advice.everyMin
        guard every > 0, commands.isUp, catalog.isKnown, services.clock.isSet, zones.set != nil, loop.now >= nextTurn
        else { return }
        nextTurn = loop.now + Self.askMs
        let everyMs = max(1000, Double(every) * 60_000 / settings.clock.scale)
        functions.call(
            "advice_turn", ["worker": RedisArgument(services.name), "every_ms": RedisArgument(Int(everyMs))]
        ) { result in
            if case .success(let reply) = result, reply.int == 1 { self.advise() }
        }
    }

    private func advise() {
        withAdvice { advice in
            guard let advice, let set = self.zones.set else { return }
            let waits = set.zones.compactMap { zone -> (zone: String, seconds: Double)? in
                guard let place = advice[zone.id], place.waiting > 0 else { return nil }
                return (
                    zone.id,
                    WaitAdvice.wait(rank: place.waiting, expected: place.expected, later: place.later)
                )
            }.sorted { ($0.seconds, $0.zone) > ($1.seconds, $1.zone) }.prefix(Self.mostQueues)
            guard !waits.isEmpty else { return }
            self.functions.call(
                "advice_queues", ["quiet_ms": self.quietMs], more: waits.map { RedisArgument($0.zone) }
            ) { result in
                guard let found = self.elements(result, of: "advice_queues") else { return }
                self.tell(Self.drivers(found), advice)
            }
        }
    }

    private var quietMs: RedisArgument { RedisArgument(settings.advice.quietMin * 60_000) }

    /// As `advice_queues` answers: driver, zone, rank, lat and lon of each.
    private static func drivers(_ found: [RedisReply]) -> [WaitAdvice.Waiting] {
        stride(from: 0, to: found.count - 4, by: 5).compactMap { at in
            guard let driver = found[at].text, let zone = found[at + 1].text, let rank = found[at + 2].int,
                let lat = Double(found[at + 3].text ?? ""), let lon = Double(found[at + 4].text ?? "")
            else { return nil }
            return WaitAdvice.Waiting(
                driver: driver, zone: zone, rank: Int(rank), point: GeoPoint(lat: lat, lon: lon))
        }
    }

    private func tell(_ drivers: [WaitAdvice.Waiting], _ known: WaitAdvice) {
        var advice = known
        var arguments: [RedisArgument] = []
        for (driver, seconds, choice) in advice.advise(drivers, factor: settings.advice.factor) {
            var json = JSONWriter()
            json.beginObject()
            write(choice, &json)
            json.member("from", driver.zone)
            json.member("here_s", Int(seconds))
            json.endObject()
            let till = now() + Int64(choice.metres / speed * 1000) + Self.lateMs
            arguments += [
                RedisArgument(driver.driver), RedisArgument(driver.zone), RedisArgument(choice.place.zone),
                RedisArgument(till), RedisArgument(json.bytes),
            ]
        }
        guard !arguments.isEmpty else { return }
        functions.call("advice_tell", ["quiet_ms": quietMs], more: arguments) { result in
            switch result {
            case .success(let reply): self.metrics.advicePushes.add(Int(reply.int ?? 0))
            case .failure(.server(let text)): self.log.error("advice_tell failed: \(text)")
            case .failure: break
            }
            // Who was sent counts from now on.
            self.known = nil
        }
    }

    // MARK: what is known

    private var speed: Double { Self.speed(settings) }

    /// Metres per second along the straight line, detours included.
    static func speed(_ settings: Settings) -> Double { settings.eta.speedKmh / 3.6 / settings.eta.detour }

    /// Nil: the figures can't be read, or nobody knows what the city's clock shows.
    private func withAdvice(_ then: @escaping (WaitAdvice?) -> Void) {
        if let known, loop.now < known.till { return then(known.advice) }
        guard catalog.isKnown, services.clock.isSet, zones.set != nil, waiters.count < Self.mostWaiters else {
            return then(nil)
        }
        waiters.append(then)
        if waiters.count == 1 { readFigures() }
    }

    private func finish(_ advice: WaitAdvice?) {
        if let advice { known = (advice, loop.now + Self.keptMs) }
        let waiting = waiters
        waiters = []
        for then in waiting { then(advice) }
    }

    /// Seconds of the city's clock since 1970.
    private var local: Int64 { now() / 1000 + Int64(catalog.time.offset(at: now() / 1000)) }

    private func readFigures() {
        let hour = local / 3600
        guard readHour != hour else { return readWaiting() }
        let today = catalog.time.date(at: now() / 1000)
        let wanted = (1...(settings.advice.weeks * 7)).map { today + -$0 }
        demand.keep(Set(wanted))
        // What was asked for late in the evening is counted when it is over.
        let missing = wanted.filter { !demand.dates.contains($0) || $0 >= today + -2 }
        readDays(missing[...]) { isDone in
            guard isDone else { return self.finish(nil) }
            self.readHour = hour
            self.readWaiting()
        }
    }

    /// One day after the other, so that Redis serves others in between.
    private func readDays(_ dates: ArraySlice<ServiceDate>, _ then: @escaping (Bool) -> Void) {
        guard let date = dates.first else { return then(true) }
        commands.send(["HGETALL", RedisArgument(keys.taxis("\(date)"))]) { result in
            guard case .success(let reply) = result else { return then(false) }
            let figures = reply.taxiFigures(of: date)
            // A day without figures is no day: the hub was not there yet.
            if !figures.isEmpty { self.demand.set(date, figures.map { ($0.zone, $0.hour, $0.demand) }) }
            self.readDays(dates.dropFirst(), then)
        }
    }

    private func readWaiting() {
        guard let set = zones.set else { return finish(nil) }
        functions.call("advice_waiting", more: set.zones.map { RedisArgument($0.id) }) { result in
            guard let counts = self.elements(result, of: "advice_waiting"), counts.count == set.zones.count else {
                return self.finish(nil)
            }
            if self.middles.version != set.version { self.middles = (set.version, set.middles) }
            let outlook = ZoneOutlook(self.demand, local: self.local)
            let places = WaitAdvice.places(set, middles: self.middles.points, outlook, waiting: counts)
            self.finish(WaitAdvice(places, reach: self.settings.advice.reachM, speed: self.speed))
        }
    }
}
