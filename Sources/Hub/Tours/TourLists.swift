import Domain
import Wire

/// Lists of a tour as JSON, for its Redis functions.
enum TourLists {
    /// [lat, lon, when it was measured] each.
    static func json(_ way: [TimedFix]) -> [UInt8] {
        var json = JSONWriter()
        json.beginArray()
        for one in way {
            json.beginArray()
            json.double(one.fix.point.lat)
            json.double(one.fix.point.lon)
            json.integer(one.measured)
            json.endArray()
        }
        json.endArray()
        return json.bytes
    }

    /// [index of the stop, how late the bus left it in s] each.
    static func json(_ left: [TourProgress.Left]) -> [UInt8] {
        var json = JSONWriter()
        json.beginArray()
        for one in left {
            json.beginArray()
            json.integer(Int64(one.stop))
            json.integer(Int64(one.delay))
            json.endArray()
        }
        json.endArray()
        return json.bytes
    }

    /// Numbers.
    static func json(_ indexes: [Int]) -> [UInt8] {
        var json = JSONWriter()
        json.beginArray()
        for index in indexes { json.integer(Int64(index)) }
        json.endArray()
        return json.bytes
    }

    /// When the bus will be at the stops to come.
    static func arrivals(of run: TourRun, now: Int64, _ time: CityTime) -> [UInt8] {
        var json = JSONWriter()
        json.beginArray()
        if let progress = run.progress {
            for arrival in progress.arrivals(now: now) {
                json.beginObject()
                json.member("index", arrival.stop)
                json.member("stop", progress.stops[arrival.stop])
                json.member("at", arrival.arrival.likely)
                json.member("early", arrival.arrival.early)
                json.member("late", arrival.arrival.late)
                json.member("clock", time.clock(at: arrival.arrival.likely / 1000))
                json.endObject()
            }
        }
        json.endArray()
        return json.bytes
    }

    /// As `crossing` in stop_times.lua reads it: whole seconds after the fix came.
    static func course(of run: TourRun, now: Int64) -> [UInt8] {
        let base = run.vehicle.heardAt
        var json = JSONWriter()
        json.beginArray()
        for place in run.progress?.course(now: now) ?? [] {
            json.beginArray()
            json.double((place.distance * 10).rounded() / 10)
            for time in [place.eta.early, place.eta.likely, place.eta.late] { json.integer((time - base + 500) / 1000) }
            json.endArray()
        }
        json.endArray()
        return json.bytes
    }
}
