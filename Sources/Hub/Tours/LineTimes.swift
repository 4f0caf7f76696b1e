import Domain
import Logging
import RedisLink
import Settings
import WebSocketServer
import Wire

/// When a line's buses come to a stop or to any place along its way (B6), for everybody who may connect.
final class LineTimes: Capability {
    let services: WorkerServices
    private let lines: LineBoards
    /// Lines that are asked for, one at a time: forty at once, with forty buses each, had everybody wait for 50 ms.
    private let questions = SubjectTurns(most: 1, mostOfSubject: LineTimes.waiting)
    /// How many of one subject wait: who shows an interchange asks for each of its lines, which may be two dozen.
    private static let waiting = 32

    init(_ services: WorkerServices, _ lines: LineBoards) {
        self.services = services
        self.lines = lines
    }

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        guard case .lines(let command) = message.command else { return false }
        switch command {
        case .lineEta(let line, let place): tell(line, at: place, message, session)
        }
        return true
    }

    /// So many are told, and of the schedule what comes within so many seconds.
    private static let mostArrivals = 8
    private static let scheduleAheadS: Int64 = 86_400

    private func tell(_ id: String, at place: StopRequest.Place, _ message: ClientMessage, _ session: Session) {
        guard catalog.isKnown, services.clock.isSet else {
            return refuse(session, message.id, .linesLoading)
        }
        let line: LineIndex
        let spot: StopRequestPlan.Place
        do throws(ErrorReply) {
            line = try self.line(id)
            spot = try self.spot(place, field: "")
        } catch {
            return refuse(session, message.id, error)
        }
        lines.withBoard(of: id) { board in
            guard self.sessions.has(session) else { return }
            guard let board else { return self.cannotRead(session, message) }
            // In one: the wait that is told is for all of it.
            let price = CommandPrice.patterns(line.line.patterns.count) + CommandPrice.tours(board.buses.count)
            let paid = CommandPrice.of(message.command)
            guard self.services.budgets.take(price, besides: paid, of: session, message.id) else { return }
            do throws(ErrorReply) {
                let places = try self.passes(of: spot, on: line)
                self.ask(line, at: places, message, session)
            } catch {
                self.refuse(session, message.id, error)
            }
        }
    }

    private func cannotRead(_ session: Session, _ message: ClientMessage) {
        refuse(session, message.id, .unavailable, "The hub can't reach its store now; ask again.")
    }

    private func ask(_ line: LineIndex, at places: [String: [Double]], _ message: ClientMessage, _ session: Session) {
        let full =
            "\(Self.waiting) lines that you have asked for wait for their turn; ask again when they are answered."
        inTurn(questions, message, session, orRefuse: full) { ended in
            self.read(line, at: places, for: session.budget) { arrivals in
                ended()
                guard self.sessions.has(session) else { return }
                guard let arrivals else { return self.cannotRead(session, message) }
                self.reply(session, message.id, self.json(arrivals, of: line.line), to: message.command.name)
            }
            return true
        }
    }

    /// `budget`: who pays for the passes that are found.
    private func read(
        _ line: LineIndex, at places: [String: [Double]], for budget: Budget,
        _ then: @escaping ([LineArrivals.Arrival]?) -> Void
    ) {
        let arguments: FunctionArguments = [
            "line": RedisArgument(line.line.id), "places": RedisArgument(Self.json(places)),
        ]
        functions.call("line_eta", arguments) { result in
            guard case .success(let reply) = result, let bytes = reply.bytes, let tours = Self.tours(bytes) else {
                if case .failure(.server(let text)) = result { self.log.error("line_eta failed: \(text)") }
                return then(nil)
            }
            let passes = tours.reduce(0) { $0 + $1.passes.count }
            self.services.budgets.charge(CommandPrice.passes(passes), to: budget)
            then(
                LineArrivals.next(
                    Self.mostArrivals, at: places, on: line, tours: tours, time: self.catalog.time, now: self.now(),
                    ahead: Self.scheduleAheadS))
        }
    }

    /// What comes to a stop of a line next, by what is forecast of its buses.
    func arrivals(at stop: Stop, of line: LineIndex, _ forecast: LineForecast) -> [LineArrivals.Arrival] {
        guard let places = try? passes(of: .stop(stop), on: line) else { return [] }
        return LineArrivals.next(
            Self.mostArrivals, at: places, on: line, tours: forecast.tours(at: stop.id, now: now()),
            time: catalog.time, now: now(), ahead: Self.scheduleAheadS)
    }

    private func passes(of spot: StopRequestPlan.Place, on line: LineIndex) throws(ErrorReply) -> [String: [Double]] {
        guard !line.line.patterns.isEmpty else {
            throw ErrorReply(
                code: .offRoute, field: "line",
                detail:
                    "field `line`: line \(line.line.id) has no way of its own: it is driven on request (stop.request).")
        }
        do throws(StopRequestPlan.Refusal) {
            return try StopRequestPlan.passes(of: spot, on: line, within: settings.stops.offRouteM)
        } catch {
            throw explain(error, line.line.id, "")
        }
    }

    /// What the function `line_eta` answers; nil when it is not of that form.
    private static func tours(_ bytes: [UInt8]) -> [LineArrivals.Tour]? {
        guard let list = (try? JSONValue(parsing: bytes))?.elements else { return nil }
        return list.compactMap { entry -> LineArrivals.Tour? in
            guard let id = entry["tour"]?.text, let bus = entry["bus"]?.text else { return nil }
            let passes = (entry["passes"]?.elements ?? []).compactMap { pass -> LineArrivals.Pass? in
                guard let early = pass["early"]?.integer, let at = pass["at"]?.integer,
                    let late = pass["late"]?.integer
                else { return nil }
                return LineArrivals.Pass(
                    distance: pass["distance_m"]?.double ?? 0, eta: ETA(early: early, likely: at, late: late))
            }
            return LineArrivals.Tour(
                id: id, bus: bus, pattern: entry["pattern"]?.text ?? "", trip: entry["trip"]?.text ?? "",
                base: entry["base"]?.integer ?? 0, isKnown: entry["known"]?.boolean == true, passes: passes)
        }
    }

    private func json(_ arrivals: [LineArrivals.Arrival], of line: Line) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("line", line.id)
        json.key("arrivals")
        json.beginArray()
        for arrival in arrivals {
            let pattern = line.patterns[arrival.pattern]
            json.beginObject()
            json.member("pattern", pattern.id)
            if !pattern.headsign.isEmpty { json.member("headsign", pattern.headsign) }
            if let trip = arrival.trip { json.member("trip", trip) }
            if let tour = arrival.tour {
                json.member("tour", tour.id)
                json.member("bus", tour.bus)
            }
            json.member("scheduled", arrival.pass == nil)
            if let pass = arrival.pass { json.member("distance_m", Int64(pass.distance.rounded())) }
            json.key("eta")
            json.beginObject()
            json.member("at", arrival.at)
            if let eta = arrival.pass?.eta {
                json.member("early", eta.early)
                json.member("late", eta.late)
            }
            json.member("clock", catalog.time.clock(at: arrival.at / 1000))
            json.endObject()
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }
}
