import Domain
import RedisLink
import Settings
import WebSocketServer
import Wire

/// Custom stops: what a citizen asks is held against the catalog here, and decided with where the buses are in stop.lua.
extension Worker {
    func requestStop(_ request: StopRequest, _ message: ClientMessage, _ session: Session, _ identity: Identity) {
        guard self.catalog.isKnown else {
            return refuse(session, message.id, .unavailable, "The lines are being loaded; try again in a moment.")
        }
        let catalog = self.catalog.catalog
        let time = now()
        var refusal: (code: ErrorCode, detail: String)?
        var wanted: [[UInt8]] = []
        do throws(ErrorReply) {
            wanted.append(
                try wish(
                    request.place, at: request.at, request.passengers, on: request.line, catalog, now: time,
                    field: ""))
            if let back = request.back {
                guard back.at > request.at ?? time else {
                    throw ErrorReply(
                        code: .badMessage, detail: "field `back.at`: expected a time after that of the way there")
                }
                wanted.append(
                    try wish(
                        back.place, at: back.at, back.passengers ?? request.passengers, on: request.line, catalog,
                        now: time, field: "back."))
            }
        } catch {
            refusal = (error.code, error.detail)
        }
        // Refused by the function, not here: a repeated command gets its first reply, whatever the time is now.
        let arguments: [RedisArgument] =
            [
                RedisArgument(identity.subject), RedisArgument(message.key ?? ""), RedisArgument(request.line),
                RedisArgument(refusal?.code.rawValue ?? ""), RedisArgument(refusal?.detail ?? ""),
                RedisArgument(Self.person(request)),
            ] + wanted.map { RedisArgument($0) }
        call("stop_request", arguments, message, session)
    }

    func cancelStop(_ request: String, _ message: ClientMessage, _ session: Session, _ identity: Identity) {
        call(
            "stop_cancel",
            [RedisArgument(identity.subject), RedisArgument(request), RedisArgument(message.key ?? "")], message,
            session)
    }

    func answerStop(
        _ answer: StopAnswer, _ request: String, all: Bool, _ message: ClientMessage, _ session: Session,
        _ identity: Identity
    ) {
        call(
            "stop_answer",
            [
                RedisArgument(identity.subject), RedisArgument(answer.rawValue), RedisArgument(request),
                all ? "1" : "", RedisArgument(message.key ?? ""),
            ], message, session)
    }

    /// One of the function's requests as JSON. Throws why it can't be.
    private func wish(
        _ place: StopRequest.Place, at: Int64?, _ passengers: Int, on lineID: String, _ catalog: Catalog, now: Int64,
        field: String
    ) throws(ErrorReply) -> [UInt8] {
        let line = try known(line: lineID, catalog)
        let spot = try spot(place, catalog, field: field)
        let plan: StopRequestPlan
        do throws(StopRequestPlan.Refusal) {
            plan = try StopRequestPlan(
                spot, at: at, now: now, on: line, of: catalog, time: cityTime, rules: StopRules.plan(settings.stops))
        } catch {
            throw explain(error, lineID, field, at: at, now: now)
        }
        var json = JSONWriter()
        json.beginObject()
        json.member("id", RandomID.make("s_"))
        json.member("lat", plan.point.lat)
        json.member("lon", plan.point.lon)
        if case .stop(let stop) = spot { json.member("stop", stop.id) }
        json.member("at", plan.at)
        json.member("asked", at != nil)
        if plan.isFirst { json.member("first", true) }
        json.member("passengers", passengers)
        json.key("places")
        json.raw(Self.json(plan.passes))
        json.key("next")
        json.beginObject()
        for (pattern, indexes) in plan.nextStops {
            json.key(escaping: pattern)
            json.beginArray()
            for index in indexes { json.integer(Int64(index)) }
            json.endArray()
        }
        json.endObject()
        json.member("later", plan.comesAgain)
        if let again = plan.comesAgainAt {
            json.member("later_at", again)
            json.member("later_clock", cityTime.clock(at: again / 1000))
            json.member("later_moment", moment(again / 1000))
        }
        Self.write(plan.runs, "runs", &json)
        Self.write(plan.laterRuns, "later_runs", &json)
        if plan.isOnDemand { json.member("anywhere", true) }
        json.endObject()
        return json.bytes
    }

    private static func write(_ runs: [StopRequestPlan.Run]?, _ name: String, _ json: inout JSONWriter) {
        guard let runs else { return }
        json.key(escaping: name)
        json.beginArray()
        for run in runs {
            json.beginArray()
            json.string(run.trip)
            json.integer(run.base)
            json.integer(run.at)
            // As Lua counts.
            json.integer(Int64(run.pass + 1))
            json.endArray()
        }
        json.endArray()
    }

    func known(line id: String, _ catalog: Catalog) throws(ErrorReply) -> Line {
        if let line = catalog.lines[id] { return line }
        throw ErrorReply(
            code: .notFound, field: "line", detail: "field `line`: \(settings.city.id) has no line \(id).")
    }

    /// A stop of the catalog, or a position.
    func spot(
        _ place: StopRequest.Place, _ catalog: Catalog, field: String
    ) throws(ErrorReply) -> StopRequestPlan.Place {
        switch place {
        case .point(let lat, let lon): return .point(GeoPoint(lat: lat, lon: lon))
        case .stop(let id):
            if let stop = catalog.stops[id] { return .stop(stop) }
            throw ErrorReply(
                code: .notFound, field: field + "stop",
                detail: "field `\(field)stop`: \(settings.city.id) has no stop \(id).")
        }
    }

    /// Passes of a place, by pattern: metres to one decimal.
    static func json(_ passes: [String: [Double]]) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        for (pattern, distances) in passes {
            json.key(escaping: pattern)
            json.beginArray()
            for distance in distances { json.double((distance * 10).rounded() / 10) }
            json.endArray()
        }
        json.endObject()
        return json.bytes
    }

    /// at: the time that was asked for, Unix ms; nil: none was.
    func explain(
        _ refusal: StopRequestPlan.Refusal, _ line: String, _ field: String, at: Int64? = nil, now: Int64 = 0
    ) -> ErrorReply {
        // Who names no time wants a bus now: there is no field to mend, but one to send.
        let wanted = moment((at ?? now) / 1000)
        let begin =
            at == nil ? "No time was given, so it is for now, \(wanted): " : "field `\(field)at`: \(wanted) was given; "
        switch refusal {
        case .offRoute(let metres):
            let way = metres.isFinite ? "\(Int(metres.rounded())) m from the way" : "off the way"
            return ErrorReply(
                code: .offRoute,
                detail:
                    "fields `\(field)lat` and `\(field)lon`: the place is \(way) of line \(line); at most \(Int(settings.stops.offRouteM)) m are driven for it."
            )
        case .outsideHours(let hours, let next):
            let span = hours.map { "from \(Self.clock($0.lowerBound)) to \(Self.clock($0.upperBound))" }
            let other = next.map { " The next bus passes this place at \(moment($0)): ask for that time." } ?? ""
            return ErrorReply(
                code: .outsideHours,
                detail: "\(begin)line \(line) "
                    + (span.map { "takes requests \($0) on that day." } ?? "does not run on that day.") + other)
        case .past: return ErrorReply(code: .badMessage, detail: "field `\(field)at`: expected a time that is not over")
        case .tooFarAhead:
            return ErrorReply(
                code: .badMessage,
                detail: "field `\(field)at`: expected a time within the next \(settings.stops.maxAheadMs / 3_600_000) h"
            )
        case .notServed(let stop):
            return ErrorReply(
                code: .offRoute, detail: "field `\(field)stop`: line \(line) does not come by stop \(stop).")
        case .outsideArea:
            return ErrorReply(
                code: .offRoute,
                detail:
                    "field `\(field)lat`: the place is in none of the areas in which line \(line) is driven on request."
            )
        case .bookedTooLate(let until):
            return ErrorReply(
                code: .notBookable,
                detail: "\(begin)for that time line \(line) must be asked by \(moment(until)).")
        case .bookedTooEarly(let from):
            return ErrorReply(
                code: .notBookable,
                detail: "\(begin)for that time line \(line) can be asked from \(moment(from)) on.")
        }
    }

    /// `2026-11-21 6:30`, local time.
    func moment(_ second: Int64) -> String { "\(cityTime.date(at: second)) \(cityTime.clock(at: second))" }

    /// `6:30`, also past midnight: `25:10` is an hour and ten minutes after it.
    private static func clock(_ second: Int) -> String {
        let minute = second / 60 % 60
        return "\(second / 3600):\(minute < 10 ? "0" : "")\(minute)"
    }

    /// Who is to be fetched, as the driver is told.
    private static func person(_ request: StopRequest) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("name", request.name)
        if let number = request.number { json.member("number", number) }
        if let address = request.address { json.member("address", address) }
        if !request.help.isEmpty {
            json.key("help")
            json.beginArray()
            for need in request.help { json.string(need) }
            json.endArray()
        }
        json.endObject()
        return json.bytes
    }
}
