internal import CSV
internal import Domain

/// What: routes, trips, frequencies, booking rules.
extension GTFSReader {
    /// Route types that are buses of some kind: of GTFS itself, and of the extended list (200 coaches, 700 buses, 800
    /// trolleybuses, 1500 taxis).
    private static func isBus(_ type: Int) -> Bool {
        switch type {
        case 3, 11, 200..<300, 700..<900, 1500..<1600: true
        default: false
        }
    }

    func readRoutes() throws(FeedRefusal) {
        var table = try requiredTable("routes.txt")
        try table.require("route_id", "route_type")
        let (id, agency, type) = (table.column("route_id"), table.column("agency_id"), table.column("route_type"))
        let (short, long) = (table.column("route_short_name"), table.column("route_long_name"))
        let color = table.column("route_color")
        while try table.goOn() {
            let route = table.text(id)
            guard !route.isEmpty, routeIndex[route] == nil else {
                report.add(
                    .skipped, "route id", table.name, table.line,
                    route.isEmpty ? "a route without route_id" : "route \(route) stands there already")
                continue
            }
            guard let number = table.integer(type), Self.isBus(number) else {
                report.add(
                    .skipped, "route type", table.name, table.line,
                    "route \(route) is no bus: route_type \(table.text(type)); its trips are left out")
                continue
            }
            if agency.isThere, !table.isEmpty(agency), !agencies.contains(table.text(agency)) {
                report.add(
                    .noted, "route agency", table.name, table.line,
                    "route \(route): agency \(table.text(agency)) is not in agency.txt")
            }
            let line = lineIDs.usable(route) { routeIndex[$0] != nil }
            if line != route {
                report.add(
                    .mended, "line id", table.name, table.line,
                    "route \"\(route)\" becomes line \(line): ids have up to 64 of A-Z a-z 0-9 _ . : -")
            }
            let (shortName, longName) = (name(table, short), name(table, long))
            let anyName = !shortName.isEmpty ? shortName : longName
            let kind: BusKind = number == 715 ? .flex : (1500..<1600).contains(number) ? .minibus : options.kind
            routeIndex[route] = routes.count
            routes.append(
                FeedRoute(
                    id: route, line: line, name: !anyName.isEmpty ? anyName : usableName(route, table.name, table.line),
                    longName: longName, color: self.color(table, color, route), kind: kind))
        }
        guard !routes.isEmpty else { throw FeedRefusal("routes.txt has no bus line; nothing to import") }
    }

    private func color(_ table: CSVTable, _ column: CSVTable.Column, _ route: String) -> String? {
        let text = table.text(column)
        guard !text.isEmpty else { return nil }
        guard let color = Catalog.color(text) else {
            report.add(
                .mended, "route color", table.name, table.line,
                "route \(route): route_color \"\(text)\" is no colour of six hexadecimal digits; left out")
            return nil
        }
        return color
    }

    func readTrips() throws(FeedRefusal) {
        var table = try requiredTable("trips.txt")
        try table.require("route_id", "service_id", "trip_id")
        let (id, route, service) = (table.column("trip_id"), table.column("route_id"), table.column("service_id"))
        let (headsign, direction, shape) = (
            table.column("trip_headsign"), table.column("direction_id"), table.column("shape_id")
        )
        while try table.goOn() {
            let trip = table.text(id)
            guard !trip.isEmpty, tripIndex[trip] == nil else {
                report.add(
                    .skipped, "trip id", table.name, table.line,
                    trip.isEmpty ? "a trip without trip_id" : "trip \(trip) stands there already")
                continue
            }
            // Of a route that is no bus: said once, there.
            let routeID = table.text(route)
            let index = routeIndex[routeID]
            let usable = tripIDs.usable(trip) { tripIndex[$0] != nil }
            if usable != trip, index != nil {
                report.add(
                    .mended, "trip id here", table.name, table.line,
                    "trip \"\(trip)\" becomes \(usable): ids have up to 64 visible characters of ASCII")
            }
            var made = FeedTrip(
                id: trip, name: usable, line: table.line, route: index ?? -1, service: table.text(service),
                headsign: name(table, headsign), direction: table.text(direction) == "1" ? 1 : 0,
                shape: table.text(shape))
            tripIndex[trip] = trips.count
            made.isSkipped = index == nil
            trips.append(made)
            if services[made.service] == nil, index != nil {
                skip(
                    trips.count - 1, "trip service", table.name, table.line,
                    "service \(made.service) is in neither calendar.txt nor calendar_dates.txt")
            }
        }
    }

    /// Leaves a trip out; only the first reason is told.
    func skip(_ trip: Int, _ kind: String, _ file: String, _ line: Int?, _ reason: @autoclosure () -> String) {
        guard !trips[trip].isSkipped else { return }
        trips[trip].isSkipped = true
        let route = trips[trip].route
        if lost[route] == nil { lost[route] = (0, "\(file)\(line.map { ":\($0)" } ?? ""): \(reason())") }
        lost[route]?.trips += 1
        report.add(.skipped, kind, file, line, "trip \(trips[trip].id) is left out: \(reason())")
    }

    func readFrequencies() throws(FeedRefusal) {
        guard var table = try table("frequencies.txt") else { return }
        try table.require("trip_id", "start_time", "end_time", "headway_secs")
        let (id, start, end) = (table.column("trip_id"), table.column("start_time"), table.column("end_time"))
        let (headway, exact) = (table.column("headway_secs"), table.column("exact_times"))
        while try table.goOn() {
            guard let trip = tripIndex[table.text(id)] else {
                report.add(
                    .skipped, "frequency trip", table.name, table.line, "trip \(table.text(id)) is not in trips.txt")
                continue
            }
            trips[trip].hasFrequency = true
            guard let first = table.seconds(start), let last = table.seconds(end), first < last,
                let every = table.integer(headway), every >= 1, (last - first) / every < options.limits.maxRuns
            else {
                report.add(
                    .skipped, "frequency", table.name, table.line,
                    "trip \(table.text(id)): from \(table.text(start)) to \(table.text(end)) every \(table.text(headway)) s is no frequency"
                )
                continue
            }
            trips[trip].frequencies.append(
                Frequency(headwaySeconds: every, startTime: first, endTime: last, isExact: table.text(exact) == "1"))
        }
    }

    func readBookingRules() throws(FeedRefusal) {
        guard var table = try table("booking_rules.txt") else { return }
        try table.require("booking_rule_id", "booking_type")
        let (id, type) = (table.column("booking_rule_id"), table.column("booking_type"))
        let minutes = table.column("prior_notice_duration_min")
        let longest = table.column("prior_notice_duration_max")
        let (firstDay, firstTime) = (
            table.column("prior_notice_start_day"), table.column("prior_notice_start_time")
        )
        let (day, time) = (table.column("prior_notice_last_day"), table.column("prior_notice_last_time"))
        let (message, phone) = (table.column("message"), table.column("phone_number"))
        while try table.goOn() {
            let rule = table.text(id)
            guard let kind = table.integer(type).flatMap(BookingRule.Kind.init(rawValue:)), !rule.isEmpty,
                rules[rule] == nil
            else {
                report.add(
                    .skipped, "booking rule", table.name, table.line,
                    "rule \"\(rule)\": booking_type \"\(table.text(type))\" is none of 0, 1, 2, or the id is missing or taken"
                )
                continue
            }
            func orNil(_ text: String) -> String? { text.isEmpty ? nil : text }
            rules[rule] = BookingRule(
                id: rule, kind: kind, noticeMinutes: kind == .sameDay ? table.integer(minutes) : nil,
                lastDay: kind == .priorDay ? table.integer(day) : nil,
                lastTime: kind == .priorDay ? table.seconds(time) : nil,
                longestNoticeMinutes: kind == .sameDay ? table.integer(longest) : nil,
                firstDay: kind == .realTime ? nil : table.integer(firstDay),
                firstTime: kind == .realTime ? nil : table.seconds(firstTime),
                message: orNil(visible(table.text(message), table.name, table.line)),
                phone: orNil(visible(table.text(phone), table.name, table.line)))
        }
    }
}
