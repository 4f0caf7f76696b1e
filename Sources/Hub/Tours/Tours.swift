import Domain
import Logging
import RedisLink
import Settings
import Telemetry
import WebSocketServer
import Wire

/// Bus drivers: their tours, and the way of a bus's position. It is judged by the filter as a taxi's and shown on maps
/// with the tick's batch; besides it is matched to the line here, and what came of that is told with one call per tick.
final class Tours: DeliveryListener {
    let services: WorkerServices
    let positions: Positions
    let learning: LineLearning

    private var buses: [String: BusDriver] = [:]
    private var byConnection: [ConnectionID: BusDriver] = [:]

    init(_ services: WorkerServices, _ positions: Positions) {
        self.services = services
        self.positions = positions
        learning = LineLearning(services)
    }

    // MARK: commands

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        if let bus = byConnection[session.connection] { return handle(message, session, bus) }
        switch message.command {
        case .tours(.tourEnd(let tour)) where identity.role == .operator: endTour(tour, message, session, identity)
        // Of a counter of passengers that asks over HTTP: what it counts needs no position.
        case .seats(.seatsSet(let taken, _)) where identity.role == .busDriver:
            setSeats(taken, message, session, of: identity.subject)
        default: return false
        }
        return true
    }

    private func setSeats(_ taken: Int, _ message: ClientMessage, _ session: Session, of driver: String) {
        call(
            "tour_seats",
            [
                "driver": RedisArgument(driver), "taken": RedisArgument(taken), "key": RedisArgument(message.key ?? ""),
            ], message, session)
    }

    private func handle(_ message: ClientMessage, _ session: Session, _ bus: BusDriver) -> Bool {
        if message.command.answersForPlace, let run = bus.tour, commands.isUp {
            flush(run, of: bus, atMost: Self.longestWay)
        }
        switch message.command {
        case .position(let fix): position(fix, message.id, session, bus)
        case .tours(let command): handle(command, message, session, bus)
        case .seats(.seatsSet(let taken, _)): setSeats(taken, message, session, of: bus.subject)
        default: return false
        }
        return true
    }

    private func handle(_ command: TourCommand, _ message: ClientMessage, _ session: Session, _ bus: BusDriver) {
        switch command {
        case .tourStart(let id, let line, let pattern, let trip):
            startTour(id, line, pattern: pattern, trip: trip, message, session, bus)
        case .tourEnd(let tour):
            let who = RedisArgument(bus.subject)
            let key = RedisArgument(message.key ?? "")
            call(
                "tour_end",
                ["role": "bus_driver", "subject": who, "tour": RedisArgument(tour ?? ""), "key": key, "due": due(bus)],
                message, session
            ) { reply in
                if bus.tour?.id == reply["tour"]?.text { self.ended(bus) }
            }
        case .stopNext(let skip): step(bus, by: 1, skip: skip, message, session)
        case .stopPrevious: step(bus, by: -1, skip: false, message, session)
        }
    }

    /// An operator may end a tour whose driver does not.
    private func endTour(_ tour: String?, _ message: ClientMessage, _ session: Session, _ identity: Identity) {
        guard let tour else {
            return refuse(
                session, message.id, .badMessage, "field `tour`: expected a tour id, but it is missing", field: "tour")
        }
        call(
            "tour_end",
            [
                "role": RedisArgument(identity.role.rawValue), "subject": RedisArgument(identity.subject),
                "tour": RedisArgument(tour), "key": RedisArgument(message.key ?? ""), "due": "",
            ], message, session)
    }

    private func startTour(
        _ busID: String, _ lineID: String, pattern: String?, trip: String?, _ message: ClientMessage,
        _ session: Session, _ bus: BusDriver
    ) {
        // A tour begins with the lines that are in use, which may not be those that are here.
        guard catalog.isKnown, !catalog.isBehind else { return refuse(session, message.id, .linesLoading) }
        let current = catalog.current
        guard let vehicle = current.buses[busID] else {
            return refuse(
                session, message.id, .notFound, "field `bus`: \(settings.city.id) has no bus \(busID).", field: "bus")
        }
        guard let line = current.lines[lineID] else {
            return refuse(
                session, message.id, .notFound, "field `line`: \(settings.city.id) has no line \(lineID).",
                field: "line")
        }
        let plan: TourPlan
        do throws(TourPlan.Refusal) {
            plan = try TourPlan.choose(
                on: line, pattern: pattern, trip: trip, services: current.services, time: catalog.time,
                now: now() / 1000)
        } catch {
            let (field, detail) = Self.explain(error, lineID, pattern, trip)
            return refuse(session, message.id, .notFound, "field `\(field)`: \(detail)", field: field)
        }
        if trip != nil, let first = plan.start(on: line).map({ $0 - Self.earliestStart }), now() / 1000 < first {
            return refuse(
                session, message.id, .notAvailable,
                "field `trip`: the trip \(trip ?? "") can be begun from \(catalog.moment(first)) on.", field: "trip")
        }
        let way = plan.pattern.map { line.patterns[$0] }
        var stops = JSONWriter()
        stops.beginArray()
        for stop in way?.stops ?? [] { stops.string(stop.stop) }
        stops.endArray()
        let arguments: FunctionArguments = [
            "driver": RedisArgument(bus.subject), "tour": RedisArgument(RandomID.make("t_")),
            "bus": RedisArgument(busID), "seats": RedisArgument(vehicle.seats), "line": RedisArgument(lineID),
            "pattern": RedisArgument(way?.id ?? ""), "trip": RedisArgument(plan.trip.map { line.trips[$0].id } ?? ""),
            "stops": RedisArgument(stops.bytes), "worker": RedisArgument(services.name),
            "route": RedisArgument(MapID.isRoute(lineID) ? lineID : ""), "is_shown": MapID.isVehicle(busID) ? "1" : "",
            "asked_pattern": RedisArgument(pattern ?? ""), "asked_trip": RedisArgument(trip ?? ""),
            "key": RedisArgument(message.key ?? ""), "base": RedisArgument(Int(plan.base)),
            "along": RedisArgument(PathProgress.text(on: way?.id ?? "", metres: 0)),
        ]
        call("tour_start", arguments, message, session) { reply in
            // A repeated command's reply may be of a tour that is over; the state on the driver's channel tells.
            if bus.tour?.id != reply["tour"]?.text { self.takeUp(reply, bus, base: plan.base, distance: nil) }
        }
    }

    /// So long before its time a run can be begun, seconds. Its driver is told the names and numbers of those who wait for it.
    private static let earliestStart: Int64 = 3_600

    private static func explain(
        _ refusal: TourPlan.Refusal, _ line: String, _ pattern: String?, _ trip: String?
    ) -> (field: String, detail: String) {
        switch refusal {
        case .noPattern: ("pattern", "line \(line) has no pattern \(pattern ?? "").")
        case .noTrip: ("trip", "line \(line) has no trip \(trip ?? "").")
        case .notOfPattern: ("trip", "the trip \(trip ?? "") is not of pattern \(pattern ?? "").")
        case .nothingToDrive: ("line", "line \(line) has nothing to drive: neither a way nor an area.")
        }
    }

    private func step(_ bus: BusDriver, by step: Int, skip: Bool, _ message: ClientMessage, _ session: Session) {
        let arguments: FunctionArguments = [
            "driver": RedisArgument(bus.subject), "step": RedisArgument(step), "skip": skip ? "1" : "",
            "key": RedisArgument(message.key ?? ""), "due": due(bus),
        ]
        call("tour_step", arguments, message, session)
    }

    /// When the schedule has the bus leave each of its stops, as JSON; empty: it is on no schedule.
    private func due(_ bus: BusDriver) -> RedisArgument {
        guard let run = bus.tour else { return "" }
        if run.catalogVersion != catalog.version { renew(run) }
        return run.progress?.due.map { RedisArgument(TourLists.json($0)) } ?? ""
    }

    // MARK: the tour, as Redis has it

    /// After hello or a loss of the link.
    func caughtUp(_ session: Session, _ identity: Identity, _ reply: HelloReply) {
        guard identity.role == .busDriver else { return }
        let bus = buses[identity.subject] ?? BusDriver(subject: identity.subject)
        buses[identity.subject] = bus
        if !bus.sessions.contains(where: { $0 === session }) { bus.sessions.append(session) }
        byConnection[session.connection] = bus
        bus.last = bus.last ?? reply.lastPosition
        guard let tour = reply.snapshot["tour"] else {
            bus.tour = nil
            return
        }
        let meta = reply.meta.split(separator: " ")
        if bus.tour == nil, meta.count == 3 { bus.clock = DeviceClock(text: meta[2]) }
        takeUp(
            tour, bus, base: meta.dropFirst().first.flatMap { Int64($0) } ?? 0,
            distance: meta.first.flatMap { Double($0) })
    }

    /// A tour is told as a state, which no history has.
    func needsSnapshot(_ identity: Identity, _ reply: HelloReply) -> Bool {
        identity.role == .busDriver && reply.snapshot["tour"] != nil
    }

    /// A tour's state was told on its driver's channel: a stop was stepped, or it began or ended elsewhere.
    func delivered(_ push: Push, to session: Session) {
        guard push.type == "tour" || push.type == "tour.ended", let bus = byConnection[session.connection],
            let data = try? JSONValue(parsing: push.data)
        else { return }
        if push.type == "tour.ended" {
            if bus.tour?.id == data["tour"]?.text { ended(bus) }
        } else if bus.tour?.id == data["tour"]?.text {
            if let run = bus.tour { run.next = Self.next(data, run) }
        } else {
            sessions.catchUpAgain(bus.sessions.suffix(1))
        }
    }

    private func ended(_ bus: BusDriver) {
        if let run = bus.tour {
            learning.learn(from: run)
            positions.end(run.vehicle)
        }
        bus.tour = nil
    }

    private func takeUp(_ state: JSONValue, _ bus: BusDriver, base: Int64, distance: Double?) {
        guard let id = state["tour"]?.text, let busID = state["bus"]?.text, let line = state["line"]?.text
        else { return }
        if let run = bus.tour, run.id == id {
            run.next = Self.next(state, run)
            return
        }
        let run = TourRun(
            id: id, bus: busID, line: line, pattern: state["pattern"]?.text ?? "", trip: state["trip"]?.text,
            base: base, next: 0)
        run.distance = distance
        _ = positions.begin(run.vehicle)
        if let last = bus.last { positions.expect(last.fix, last.heard, of: run.vehicle) }
        run.next = Self.next(state, run)
        bus.tour = run
        learning.read(line) { self.forgetHour(of: line) }
    }

    /// What is known of the line is new.
    private func forgetHour(of line: String) {
        for bus in buses.values where bus.tour?.line == line { bus.tour?.progress?.forgetHour() }
    }

    /// Behind the last stop there is none.
    private static func next(_ state: JSONValue, _ run: TourRun) -> Int {
        state["next_stop"]?["index"]?.integer.map { Int($0) } ?? .max
    }

    /// The driver may be back in a moment, on another worker, which then must know where the bus is.
    func closed(_ session: Session) {
        guard let bus = byConnection.removeValue(forKey: session.connection) else { return }
        bus.sessions.removeAll { $0 === session }
        guard bus.sessions.isEmpty else { return }
        buses[bus.subject] = nil
        guard let run = bus.tour else { return }
        positions.flush(run.vehicle)
        flush(run, of: bus, atMost: Self.longestWay)
        positions.end(run.vehicle)
    }

    // MARK: positions

    private func position(_ position: PositionFix, _ id: Int64?, _ session: Session, _ bus: BusDriver) {
        guard let run = bus.tour else {
            return refuse(
                session, id, .notAvailable, "You are on no tour: begin one with tour.start, then send positions.")
        }
        guard let judged = positions.judge(position, id, session, of: run.vehicle) else { return }
        if let accepted = judged.accepted {
            run.isDirty = true
            bus.last = (judged.fix, run.vehicle.heardAt)
            let measured = bus.clock.time(
                of: judged.fix.at, heardAt: now(), longest: settings.filterLimits.maximumAgeMs)
            let timed = TimedFix(fix: judged.fix, measured: measured)
            run.last = timed
            if accepted.isForFences, accepted.isLive, run.way.count < Self.longestWay { run.way.append(timed) }
            match(timed, run)
        }
        positions.answer(judged, id, session)
    }

    /// All that is told of times goes by the hub's clock: by the device's own, one that is behind would be more punctual.
    private func match(_ timed: TimedFix, _ run: TourRun) {
        var fix = timed.fix
        fix.at = timed.measured
        if run.catalogVersion != catalog.version { renew(run) }
        run.progress?.expect(hour: catalog.localHour(fix.at)) { learning.knowledge(of: run.line) }
        guard let change = run.progress?.moved(to: fix) else { return }
        run.distance = run.progress?.distance ?? run.distance
        run.vehicle.along = PathProgress.text(on: run.pattern, metres: run.distance ?? 0)
        if let next = change.next { run.reached = next }
        run.isBack = run.isBack || change.isBack
        run.skipped += change.skipped
        run.left += change.left
    }

    /// The way of a tour in the present catalog; none when that has no such pattern with these stops any more.
    private func renew(_ run: TourRun) {
        guard catalog.isKnown else { return }
        let current = catalog.current
        run.catalogVersion = current.version
        run.progress = nil
        guard let line = current.lines[run.line], let pattern = line.patterns.first(where: { $0.id == run.pattern })
        else {
            return
        }
        var rules = TourTrack.Settings()
        rules.offRouteMetres = settings.tours.offRouteM
        rules.offRouteFixes = settings.tours.offRouteFixes
        run.progress = TourProgress(
            pattern: pattern, trip: run.trip.flatMap { id in line.trips.first { $0.id == id } }, base: run.base,
            expected: run.distance, settings: rules)
    }

    /// Everything that moved since the last tick. While Redis is away it waits: only the latest of each tour counts.
    func tick() {
        guard commands.isUp else { return }
        for bus in buses.values {
            if let run = bus.tour { flush(run, of: bus) }
        }
    }

    /// What is more goes with the next tick: each fix of the way is held against each request of the tour.
    private func flush(_ run: TourRun, of bus: BusDriver, atMost most: Int = flushedWay) {
        guard run.isDirty, !run.isUnderWay, let last = run.last else { return }
        let (reached, skipped, isBack) = (run.reached, run.skipped, run.isBack)
        let (way, left) = (Array(run.way.prefix(most)), run.left)
        run.way.removeFirst(way.count)
        // The way of the next call begins where the bus was at the end of this one.
        let latest = run.way.isEmpty ? last : way.last ?? last
        let fix = latest.fix
        run.isDirty = !run.way.isEmpty
        run.isUnderWay = true
        run.reached = nil
        run.skipped = []
        run.isBack = false
        run.left = []
        let arguments: FunctionArguments = [
            "tour": RedisArgument(run.id), "at": RedisArgument(fix.at), "lat": RedisArgument(fix.point.lat),
            "lon": RedisArgument(fix.point.lon),
            "dist": run.progress?.distance.map { RedisArgument(($0 * 10).rounded() / 10) } ?? "",
            "off": run.progress?.isOffRoute == true ? "1" : "", "next": reached.map { RedisArgument($0) } ?? "",
            "skipped": RedisArgument(TourLists.json(skipped)),
            "delay_s": run.progress?.delay.map { RedisArgument($0) } ?? "",
            "estimates": RedisArgument(TourLists.arrivals(of: run, now: now(), catalog.time)),
            "heard": RedisArgument(run.vehicle.heardAt),
            "behind": isBack ? "1" : "", "fixes": RedisArgument(TourLists.json(way)),
            "left": RedisArgument(TourLists.json(left)),
            "clock": RedisArgument(catalog.time.text(now: now())),
            "way": RedisArgument(TourLists.course(of: run, now: now())),
            "still": run.progress?.start.map { RedisArgument(($0 * 10).rounded() / 10) } ?? "",
            "measured": RedisArgument(latest.measured), "device": RedisArgument(bus.clock.text),
            "worker": RedisArgument(services.name),
        ]
        functions.call("tour_moved", arguments) { result in
            run.isUnderWay = false
            switch result {
            case .success(let reply):
                // Ended or stepped by others meanwhile.
                if reply[0].text != "running", bus.tour === run { self.ended(bus) }
                if let next = reply[1].int { run.next = Int(next) }
                run.isElsewhere = reply[2].text == "elsewhere"
                // Who drives may always send its next position.
                let most = Double(self.settings.server.commandsPerSecond) / 2
                let price = min(CommandPrice.held(Int(reply[3].int ?? 0)), most)
                if price > 0 { self.services.budgets.charge(price, ofReader: Budgets.key(ofBus: bus.subject)) }
            case .failure(.server(let text)): self.log.error("tour_moved failed: \(text)")
            case .failure:
                run.isDirty = true
                run.reached = run.reached ?? reached
                run.skipped = skipped + run.skipped
                run.isBack = run.isBack || isBack
                run.way = way + run.way
                run.left = left + run.left
            }
        }
    }

    /// Fixes between two ticks; a bus sends one. More come when a phone was away and sends all it has kept.
    private static let longestWay = 200
    /// Of these go to Redis with one call.
    private static let flushedWay = 20
}

extension Command {
    /// A bus driver's word that counts by where the bus has been. So Redis is told of its fixes first: a tick later is too late, as
    /// the citizen would never hear that the bus was there, and what is completed at once would count against the driver.
    fileprivate var answersForPlace: Bool {
        switch self {
        case .stops(.stopAnswer), .tours(.tourEnd), .tours(.stopNext), .tours(.stopPrevious): true
        default: false
        }
    }
}
