internal import CSV
internal import Domain

/// stop_times.txt: by far the largest file of a feed.
extension GTFSReader {
    private struct Columns {
        let trip, arrival, departure, stop, sequence, distance: CSVTable.Column
        let area, group, opens, closes, pickUp, dropOff, rule, otherRule: CSVTable.Column

        init(_ table: CSVTable) {
            trip = table.column("trip_id")
            arrival = table.column("arrival_time")
            departure = table.column("departure_time")
            stop = table.column("stop_id")
            sequence = table.column("stop_sequence")
            distance = table.column("shape_dist_traveled")
            area = table.column("location_id")
            group = table.column("location_group_id")
            opens = table.column("start_pickup_drop_off_window")
            closes = table.column("end_pickup_drop_off_window")
            pickUp = table.column("pickup_type")
            dropOff = table.column("drop_off_type")
            rule = table.column("pickup_booking_rule_id")
            otherRule = table.column("drop_off_booking_rule_id")
        }
    }

    func readStopTimes() throws(FeedRefusal) {
        var table = try requiredTable("stop_times.txt")
        try table.require("trip_id", "stop_sequence")
        let columns = Columns(table)
        if !columns.stop.isThere, !columns.area.isThere, !columns.group.isThere {
            throw FeedRefusal("stop_times.txt:1: the column stop_id is missing in the first line")
        }
        let numbers = StopNumbers(stops.map { $0.stop.feedID ?? $0.stop.id })
        var calls = FeedCalls(hasDistances: columns.distance.isThere)
        var id: [UInt8] = []
        // That of the present row, -1 for one that is not known, and what is known of it now.
        var trip = -1
        var list = FeedCalls.List()
        var isSkipped = true
        func put() { if trip >= 0 { trips[trip].calls = list } }
        while try table.goOn() {
            // Rows of a trip stand together as a rule.
            if trip < 0 || !table.has(columns.trip, id) {
                put()
                let name = table.text(columns.trip)
                trip = tripIndex[name] ?? -1
                guard trip >= 0 else {
                    report.add(.skipped, "call trip", table.name, table.line, "trip \(name) is not in trips.txt")
                    continue
                }
                id = Array(table.bytes(columns.trip))
                list = trips[trip].calls
                isSkipped = trips[trip].isSkipped
            }
            if isSkipped { continue }
            if let call = readCall(trip, table, columns, numbers) {
                calls.append(call, to: &list)
            } else {
                isSkipped = trips[trip].isSkipped
            }
        }
        put()
        self.calls = calls
        for index in trips.indices where !trips[index].isSkipped { order(index, table.name) }
    }

    /// Nil for a row on request, and for one that costs the trip.
    private func readCall(
        _ trip: Int, _ table: CSVTable, _ columns: Columns, _ numbers: StopNumbers
    ) -> FeedCall? {
        guard let sequence = table.integer(columns.sequence), Int32(exactly: sequence) != nil else {
            skip(
                trip, "call sequence", table.name, table.line,
                "stop_sequence \"\(table.text(columns.sequence))\" is no whole number up to \(Int32.max)")
            return nil
        }
        let isOnRequest =
            !table.isEmpty(columns.area) || !table.isEmpty(columns.group) || !table.isEmpty(columns.opens)
            || !table.isEmpty(columns.closes)
        if isOnRequest {
            readPlace(trip, sequence, table, columns)
            return nil
        }
        guard let stop = table.withBytes(columns.stop, { numbers[$0] }) ?? stopIndex[table.text(columns.stop)] else {
            skip(
                trip, "call stop", table.name, table.line,
                "its stop \"\(table.text(columns.stop))\" is not in stops.txt, or was left out there")
            return nil
        }
        let (arrival, departure) = (table.seconds(columns.arrival), table.seconds(columns.departure))
        for (column, time) in [(columns.arrival, arrival), (columns.departure, departure)]
        where time == nil && !table.isEmpty(column) {
            skip(trip, "call time", table.name, table.line, "\"\(table.text(column))\" is no time HH:MM:SS")
            return nil
        }
        if let arrival, let departure, departure < arrival {
            skip(trip, "call order", table.name, table.line, "it departs before it arrives")
            return nil
        }
        return FeedCall(
            sequence: sequence, stop: stop, line: table.line, arrival: arrival ?? departure,
            departure: departure ?? arrival, distance: table.double(columns.distance))
    }

    private func readPlace(_ trip: Int, _ sequence: Int, _ table: CSVTable, _ columns: Columns) {
        guard let opens = table.seconds(columns.opens), let closes = table.seconds(columns.closes), opens < closes
        else {
            return skip(
                trip, "window", table.name, table.line,
                "from \"\(table.text(columns.opens))\" to \"\(table.text(columns.closes))\" is no time window HH:MM:SS")
        }
        let (area, group, stop) = (table.text(columns.area), table.text(columns.group), table.text(columns.stop))
        guard area.isEmpty || areas[area] != nil || stopIndex[area] != nil else {
            return skip(
                trip, "area", table.name, table.line,
                "its area \(area) is not in locations.geojson, or was left out there")
        }
        guard group.isEmpty || groups[group] != nil else {
            return skip(
                trip, "group", table.name, table.line, "its group \(group) has no stops in location_group_stops.txt")
        }
        guard stop.isEmpty || stopIndex[stop] != nil else {
            return skip(trip, "call stop", table.name, table.line, "its stop \(stop) is not in stops.txt")
        }
        var rule: String? = table.text(table.isEmpty(columns.rule) ? columns.otherRule : columns.rule)
        if let named = rule, rules[named] == nil {
            if !named.isEmpty {
                report.add(
                    .mended, "rule", table.name, table.line,
                    "trip \(trips[trip].id): booking rule \(named) is not in booking_rules.txt; none is taken")
            }
            rule = nil
        }
        let isArea = areas[area] != nil
        trips[trip].places.append(
            FeedPlace(
                sequence: sequence, line: table.line, area: isArea ? area : nil,
                stops: isArea ? [] : !group.isEmpty ? groups[group] ?? [] : [area.isEmpty ? stop : area],
                opens: opens, closes: closes, canBoard: table.text(columns.pickUp) != "1",
                canAlight: table.text(columns.dropOff) != "1", rule: rule))
    }

    /// All rows of a trip are there: in their order, with a time at each.
    private func order(_ trip: Int, _ file: String) {
        trips[trip].places.sort { $0.sequence < $1.sequence }
        let calls = calls[trips[trip].calls]
        if let twice = zip(calls, calls.dropFirst()).first(where: { $0.sequence == $1.sequence })?.1 {
            return skip(trip, "call twice", file, twice.line, "stop_sequence \(twice.sequence) comes twice")
        }
        if !trips[trip].places.isEmpty { mendAccess(trip, file) }
        guard calls.count >= 2 else {
            if trips[trip].places.isEmpty {
                skip(
                    trip, "calls", calls.isEmpty ? "trips.txt" : file, calls.first?.line ?? trips[trip].line,
                    calls.isEmpty ? "stop_times.txt has no stops for it" : "it has one stop only")
            }
            return
        }
        if let bare = [calls[0], calls[calls.count - 1]].first(where: { $0.arrival == nil }) {
            return skip(trip, "end time", file, bare.line, "a time is missing at its first or last stop")
        }
        var last = 0
        for call in calls {
            guard let arrival = call.arrival, let departure = call.departure else { continue }
            guard arrival >= last else {
                return skip(trip, "call order", file, call.line, "it arrives before it left the stop before")
            }
            last = departure
        }
        if trips[trip].hasFrequency, trips[trip].frequencies.isEmpty {
            skip(trip, "frequencies", "frequencies.txt", nil, "none of its frequencies can be used")
        }
    }

    /// A ride on request where nobody may board, or nobody alight, is a slip of the columns.
    private func mendAccess(_ trip: Int, _ file: String) {
        let places = trips[trip].places
        // With fixed stops between, the other half may happen there.
        guard trips[trip].calls.isEmpty else { return }
        if !places.contains(where: \.canBoard) {
            report.add(
                .mended, "boarding", file, places[0].line,
                "trip \(trips[trip].id): pickup_type forbids boarding in all rows; it is taken as allowed")
            for index in places.indices { trips[trip].places[index].canBoard = true }
        }
        if !places.contains(where: \.canAlight) {
            report.add(
                .mended, "alighting", file, places[0].line,
                "trip \(trips[trip].id): drop_off_type forbids alighting in all rows; it is taken as allowed")
            for index in places.indices { trips[trip].places[index].canAlight = true }
        }
    }
}
