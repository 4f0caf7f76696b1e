import Domain
import EventLoop
import RedisLink
import Settings
import WebSocketServer
import Wire

/// Custom stops: what a citizen asks is held against the catalog here, and decided with where the buses are in stop.lua.
final class Stops: Capability {
    let services: WorkerServices

    init(_ services: WorkerServices) { self.services = services }

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        guard case .stops(let command) = message.command else { return false }
        let who = RedisArgument(identity.subject)
        let key = RedisArgument(message.key ?? "")
        switch command {
        case .stopRequest(let stop): request(stop, message, session, identity)
        case .stopCancel(let id):
            call(
                "stop_cancel",
                [
                    "citizen": who, "stop": RedisArgument(id), "key": key, "by": RedisArgument(by(message, session)),
                ], message, session)
        case .stopAnswer(let answer, let id, let all):
            call(
                "stop_answer",
                [
                    "driver": who, "answer": RedisArgument(answer.rawValue), "stop": RedisArgument(id),
                    "all": all ? "1" : "", "key": key,
                ], message,
                session)
        }
        return true
    }

    /// The history does not keep the list of stops that each of these events had (stops.tell_driver), nor when a citizen's bus comes, which
    /// is told as a state, and again only when it has changed (stops.tell_etas).
    func needsSnapshot(_ identity: Identity, _ reply: HelloReply) -> Bool {
        switch identity.role {
        case .busDriver: reply.entries.contains { $0.type.hasPrefix("stop.") }
        case .passenger: reply.snapshot["requests"]?.elements?.contains { $0["eta"] != nil } ?? false
        default: false
        }
    }

    private func request(_ request: StopRequest, _ message: ClientMessage, _ session: Session, _ identity: Identity) {
        guard catalog.isKnown else { return refuse(session, message.id, .linesLoading) }
        let by = by(message, session)
        guard !by.isEmpty else { return carryOut(request, message, session, identity) }
        // No plan is made for an operator that has asked for too much, nor for a key that has its reply.
        let ahead: FunctionArguments = [
            "citizen": RedisArgument(identity.subject), "key": RedisArgument(message.key ?? ""),
            "by": RedisArgument(by),
        ]
        let (began, budget) = (loop.now, session.budget)
        functions.call("stop_ahead", ahead) { result in
            guard case .success(let reply) = result, reply.bytes?.first == UInt8(ascii: "[") else {
                self.metrics.commandTook(milliseconds: self.loop.now - began)
                return self.answer(RedisFunctions.answer(result), to: message, session, orCharge: budget)
            }
            guard self.sessions.has(session) else { return }
            self.carryOut(request, message, session, identity)
        }
    }

    private func carryOut(
        _ request: StopRequest, _ message: ClientMessage, _ session: Session, _ identity: Identity
    ) {
        let patterns = catalog.current.lines[request.line]?.patterns.count ?? 0
        services.budgets.charge(CommandPrice.patterns(request.back == nil ? patterns : 2 * patterns), to: session)
        let time = now()
        var refusal: (code: ErrorCode, detail: String)?
        var wanted: [[UInt8]] = []
        do throws(ErrorReply) {
            wanted.append(
                try wish(
                    request.place, at: request.at, request.passengers, on: request.line, now: time, field: ""))
            if let back = request.back {
                guard back.at > request.at ?? time else {
                    throw ErrorReply(
                        code: .badMessage, detail: "field `back.at`: expected a time after that of the way there")
                }
                wanted.append(
                    try wish(
                        back.place, at: back.at, back.passengers ?? request.passengers, on: request.line, now: time,
                        field: "back."))
            }
        } catch {
            // Not kept as the command's first reply: it may succeed in a moment.
            if error == .linesLoading { return refuse(session, message.id, error) }
            refusal = (error.code, error.detail)
        }
        // Refused by the function, not here: a repeated command gets its first reply, whatever the time is now.
        let arguments: FunctionArguments = [
            "citizen": RedisArgument(identity.subject), "key": RedisArgument(message.key ?? ""),
            "line": RedisArgument(request.line), "code": RedisArgument(refusal?.code.rawValue ?? ""),
            "detail": RedisArgument(refusal?.detail ?? ""),
            "person": RedisArgument(
                Self.person(
                    request, message.caller?.number, by: by(message, session), isGuest: identity.isGuest)),
        ]
        call("stop_request", arguments, more: wanted.map { RedisArgument($0) }, message, session)
    }

    /// One of the function's requests as JSON. Throws why it can't be.
    private func wish(
        _ place: StopRequest.Place, at: Int64?, _ passengers: Int, on lineID: String, now: Int64, field: String
    ) throws(ErrorReply) -> [UInt8] {
        let line = try line(lineID)
        let spot = try spot(place, field: field)
        let plan: StopRequestPlan
        do throws(StopRequestPlan.Refusal) {
            plan = try StopRequestPlan(
                spot, at: at, now: now, on: line, time: catalog.time, rules: settings.stopRequestRules)
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
            json.member("later_clock", catalog.time.clock(at: again / 1000))
            json.member("later_moment", catalog.moment(again / 1000))
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

    /// Of somebody who may be somebody else in a moment: there and back.
    private static let guestOpenRequests = 2

    /// Who is to be fetched, as the driver is told. called: the number of who telephones.
    private static func person(
        _ request: StopRequest, _ called: String?, by: String, isGuest: Bool
    ) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("name", request.name)
        if let number = request.number ?? called { json.member("number", number) }
        if !by.isEmpty { json.member("by", by) }
        if isGuest { json.member("most_open", guestOpenRequests) }
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
