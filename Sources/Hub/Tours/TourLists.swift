import Domain
import Wire

/// Lists of a tour as JSON, for its Redis functions.
enum TourLists {
    /// [lat, lon, at] each.
    static func json(_ way: [Fix]) -> [UInt8] {
        var json = JSONWriter()
        json.beginArray()
        for fix in way {
            json.beginArray()
            json.double(fix.point.lat)
            json.double(fix.point.lon)
            json.integer(fix.at)
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
}
