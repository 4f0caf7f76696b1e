/// Whether a line that is driven on request (GTFS-Flex) fetches somebody at a place and time: inside one of its areas or at
/// one of its stops, within its hours, and booked neither too late nor too early. Pure: the catalog and the times are given.
enum OnDemandPlan {
    /// `at` and `now` in Unix seconds. Of several places of the line that could serve it the first that does is enough; what is
    /// thrown is what the one says that comes nearest to it.
    static func check(
        _ place: StopRequestPlan.Place, at: Int64, now: Int64, on line: Line, services: [String: Service],
        time: CityTime
    ) throws(StopRequestPlan.Refusal) {
        var hours: ClosedRange<Int>?
        var isInside = false
        var late: Int64?
        var early: Int64?
        let today = time.date(at: at)
        for run in line.onDemand {
            for served in run.places where served.canBoard && line.serves(place, served) {
                isInside = true
                for day in [today, today + -1] where services[run.service]?.runs(on: day) == true {
                    guard served.opens <= served.closes else { continue }
                    let window = served.opens...served.closes
                    if day == today {
                        hours =
                            hours.map {
                                min($0.lowerBound, window.lowerBound)...max($0.upperBound, window.upperBound)
                            } ?? window
                    }
                    guard window.contains(Int(at - time.start(of: day))) else { continue }
                    guard let rule = served.rule.map({ line.rules[$0] }) else { return }
                    let latest = rule.latest(for: at, on: day, time)
                    let earliest = rule.earliest(for: at, on: day, time)
                    if now > latest {
                        late = max(late ?? latest, latest)
                    } else if let earliest, now < earliest {
                        early = min(early ?? earliest, earliest)
                    } else {
                        return
                    }
                }
            }
        }
        guard isInside else { throw .outsideArea }
        if let early { throw .bookedTooEarly(from: early) }
        if let late { throw .bookedTooLate(until: late) }
        throw .outsideHours(hours)
    }
}

extension Line {
    fileprivate func serves(_ place: StopRequestPlan.Place, _ served: OnDemandPlace) -> Bool {
        if case .stop(let stop) = place, served.stops.contains(stop.id) { return true }
        return served.area.map { areas[$0].contains(place.point) } ?? false
    }
}

extension ServiceArea {
    /// Inside one of the polygons and in none of its holes, which each crossing of a ring to the east tells.
    func contains(_ point: GeoPoint) -> Bool {
        polygons.contains { rings in
            var isInside = false
            for ring in rings {
                for (a, b) in zip(ring, ring.dropFirst()) where (a.lat > point.lat) != (b.lat > point.lat) {
                    let part = (point.lat - a.lat) / (b.lat - a.lat)
                    if point.lon < a.lon + (b.lon - a.lon) * part { isInside.toggle() }
                }
            }
            return isInside
        }
    }
}

extension BookingRule {
    /// Until when, Unix seconds, a ride at a time of a service day can be booked.
    func latest(for at: Int64, on day: ServiceDate, _ time: CityTime) -> Int64 {
        switch kind {
        case .realTime: at
        case .sameDay: at - Int64(noticeMinutes ?? 0) * 60
        case .priorDay: time.start(of: day + -(lastDay ?? 1)) + Int64(lastTime ?? 86_400)
        }
    }

    /// From when on; nil: from whenever one likes.
    func earliest(for at: Int64, on day: ServiceDate, _ time: CityTime) -> Int64? {
        if let longestNoticeMinutes { return at - Int64(longestNoticeMinutes) * 60 }
        return firstDay.map { time.start(of: day + -$0) + Int64(firstTime ?? 0) }
    }
}
