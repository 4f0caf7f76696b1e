import ClientSupport
import Domain
import Wire

/// What Redis holds of a city's tours and stops on request at one moment.
struct BusSnapshot: Equatable {
    struct Tour: Equatable {
        var bus: String
        var line: String
        var driver: String
        /// running | ended
        var state: String
        var seats: Int
        var taken: Int
        /// Index of the next stop.
        var next: Int
        var trip: String?
        /// Unix ms, and degrees, of the last position; nil before there was one.
        var at: Int64?
        var lat: Double?
        var lon: Double?
        var delay: Int?
        var isOffRoute = false

        var isRunning: Bool { state == "running" }
    }

    struct Request: Equatable {
        /// requested | accepted | declined | expired | completed | no_show | cancelled
        var state: String
        var citizen: String
        var tour: String?
        var place: GeoPoint?

        var isOpen: Bool { state == "requested" || state == "accepted" }
    }

    var lastEvent: String?
    /// How many entries the event log has ever had.
    var entriesAdded = 0
    var tours: [String: Tour] = [:]
    /// Bus → tour, and driver → tour.
    var tourOfBus: [String: String] = [:]
    var tourOfDriver: [String: String] = [:]
    var requests: [String: Request] = [:]
    /// The settings stops.wait_ms and stops.arrived_m.
    var waitMs: Int64 = 0
    var arrivedM = 0.0
    var seats = SeatSnapshot()
}

extension BusSnapshot {
    /// Reads the answer of `script`. Nil when it isn't one.
    init?(json: [UInt8]) {
        guard let root = try? JSONValue(parsing: json), let tours = root["tours"]?.members,
            let requests = root["stops"]?.members
        else { return nil }
        lastEvent = root.text("last")
        entriesAdded = root.text("added").flatMap { Int($0) } ?? 0
        for (id, fields) in tours {
            func number(_ name: String) -> Int? { fields.text(name).flatMap { Int($0) } }
            guard let bus = fields.text("bus"), let line = fields.text("line"), let driver = fields.text("driver"),
                let state = fields.text("state"), let seats = number("seats"), let taken = number("taken"),
                let next = number("next")
            else { return nil }
            var tour = Tour(
                bus: bus, line: line, driver: driver, state: state, seats: seats, taken: taken, next: next)
            tour.trip = fields.text("trip").flatMap { $0.isEmpty ? nil : $0 }
            tour.at = fields.text("at").flatMap { Int64($0) }
            tour.lat = fields.text("lat").flatMap { Double($0) }
            tour.lon = fields.text("lon").flatMap { Double($0) }
            tour.delay = number("delay_s")
            tour.isOffRoute = fields.text("off") == "1"
            self.tours[id] = tour
        }
        for (id, fields) in requests {
            guard let state = fields.text("state"), let citizen = fields.text("citizen") else { return nil }
            var request = Request(state: state, citizen: citizen, tour: fields.text("tour"))
            if let lat = fields.text("lat").flatMap({ Double($0) }),
                let lon = fields.text("lon").flatMap({ Double($0) })
            {
                request.place = GeoPoint(lat: lat, lon: lon)
            }
            self.requests[id] = request
        }
        waitMs = root.text("wait").flatMap { Int64($0) } ?? 0
        arrivedM = root.text("arrived").flatMap { Double($0) } ?? 0
        guard let seats = SeatSnapshot(root) else { return nil }
        self.seats = seats
        for (name, tour) in root["buses"]?.members ?? [:] { tourOfBus[name] = tour.text }
        for (name, tour) in root["drivers"]?.members ?? [:] { tourOfDriver[name] = tour.text }
    }

    /// Reads all of it in one step. It looks for keys by pattern, which takes time on a large Redis: for test runs only.
    ///
    /// KEYS[1] `{city}:settings`. Answers JSON; numbers as strings.
    static let script = """
        local p = string.sub(KEYS[1], 1, -9)
        local function hashes(kind)
            local found = {}
            for _, key in ipairs(redis.call('KEYS', p .. kind .. ':*')) do
                if redis.call('TYPE', key).ok == 'hash' then
                    local flat, fields = redis.call('HGETALL', key), {}
                    for i = 1, #flat, 2 do fields[flat[i]] = flat[i + 1] end
                    fields.etas, fields.etas_plain, fields.stops = nil, nil, nil
                    found[string.sub(key, #p + #kind + 2)] = fields
                end
            end
            return found
        end
        local function tours(kind)
            local found = {}
            for name, fields in pairs(hashes(kind)) do found[name] = fields.tour end
            return found
        end
        local function members(key) return table.concat(redis.call('ZRANGE', p .. key, 0, -1), ' ') end
        local s = { tours = hashes('tour'), stops = hashes('stop'), buses = tours('bus'),
            drivers = tours('busdriver'), vehicles = {}, bookings = hashes('booking'), booked = {},
            holds = members('holds'), wait = redis.call('HGET', KEYS[1], 'stop_wait_ms') or '0',
            arrived = redis.call('HGET', KEYS[1], 'stop_arrived_m') or '0', added = '0' }
        for name, fields in pairs(hashes('vehicle')) do
            if fields.kind == 'minibus' then
                fields.queue, fields.bookings = members('seatwaiting:' .. name), members('bookings:' .. name)
                s.vehicles[name] = fields
            end
        end
        for name, fields in pairs(hashes('passenger')) do s.booked[name] = fields.booking end
        local last = redis.call('XREVRANGE', p .. 'events', '+', '-', 'COUNT', 1)
        if last[1] then
            s.last = last[1][1]
            local info = redis.call('XINFO', 'STREAM', p .. 'events')
            for i = 1, #info, 2 do
                if info[i] == 'entries-added' then s.added = tostring(info[i + 1]) end
            end
        end
        return cjson.encode(s)
        """
}
