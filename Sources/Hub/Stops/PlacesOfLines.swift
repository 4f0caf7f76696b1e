import Domain
import Settings
import Wire

extension ErrorReply {
    /// Another version of the catalog, or the first, is being read.
    static let linesLoading = ErrorReply(
        code: .unavailable, detail: "The lines are being loaded; try again in a moment.")
}

/// Lines, and places along them, as clients name them.
extension Capability {
    func line(_ id: String) throws(ErrorReply) -> LineIndex {
        if let index = catalog.cache.index(of: id) { return index }
        if catalog.isBehind { throw .linesLoading }
        throw ErrorReply(
            code: .notFound, field: "line", detail: "field `line`: \(settings.city.id) has no line \(id).")
    }

    /// A stop of the catalog, or a position.
    func spot(
        _ place: StopRequest.Place, field: String
    ) throws(ErrorReply) -> StopRequestPlan.Place {
        switch place {
        case .point(let lat, let lon): return .point(GeoPoint(lat: lat, lon: lon))
        case .stop(let id):
            if let stop = catalog.current.stops[id] { return .stop(stop) }
            if catalog.isBehind { throw .linesLoading }
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
        let wanted = catalog.moment((at ?? now) / 1000)
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
            let other =
                next.map { " The next bus passes this place at \(catalog.moment($0)): ask for that time." } ?? ""
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
                detail: "\(begin)for that time line \(line) must be asked by \(catalog.moment(until)).")
        case .bookedTooEarly(let from):
            return ErrorReply(
                code: .notBookable,
                detail: "\(begin)for that time line \(line) can be asked from \(catalog.moment(from)) on.")
        }
    }

    /// `6:30`, also past midnight: `25:10` is an hour and ten minutes after it.
    private static func clock(_ second: Int) -> String {
        let minute = second / 60 % 60
        return "\(second / 3600):\(minute < 10 ? "0" : "")\(minute)"
    }
}
