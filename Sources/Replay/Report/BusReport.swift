import ClientSupport
import Wire

/// What became of a run of buses: for people as a table, for programs as JSON.
struct BusReport {
    let summary: String
    let speed: Double
    let tally: Tally
    /// Nil when there was no Redis to read.
    let verdict: Verdict?
    /// Who had not come to an end when it was judged.
    let open: [String]
    /// Real time of it all.
    let seconds: Double

    /// Nothing is wrong, as far as it was looked at.
    var isClean: Bool {
        (verdict?.violations ?? []).isEmpty && open.isEmpty && tally.unreadable.isEmpty && tally.closedForGood == 0
    }

    private var buses: BusTally { tally.buses }
    private var seats: SeatTally { tally.seats }

    var text: String {
        var table = TextTable()
        table.addPlayed(summary, speed: speed, seconds: seconds)
        table.gap()
        table.add("tours", "\(buses.toursStarted) begun, \(buses.toursEnded) ended, \(buses.toursRefused) unknown")
        table.add("seats counted", buses.seatsSet)
        table.add("requests", "\(buses.requests), shown to drivers \(buses.prompts) times")
        for (name, count) in outcomes { table.add("  " + name, count) }
        table.add("accepted", buses.acceptancesTold)
        table.add("told that the bus was there", "\(buses.servedAfterArrival) of the \(buses.served) to whom it came")
        table.add("nobody there, said too early", buses.noShowsRefused)
        table.gap()
        if seats.ways > 0 {
            table.add("minibuses", "online \(seats.timesOnline) times, \(seats.ways) ways announced")
            table.add(
                "bookings", "\(seats.booked), shown to drivers \(seats.prompts) times, \(seats.silent) left unanswered")
            for (name, count) in bookingOutcomes { table.add("  " + name, count) }
            table.add("confirmed", seats.confirmed)
            table.add("counted by hand", "\(seats.counted) times, refused \(seats.countsRefused) times")
            table.gap()
        }
        table.add("fixes sent", "\(buses.fixesSent), seen \(buses.fixesSeen) times")
        table.add("fix → reader of the line", buses.timeToSeen.text(50, 99) + " (real time)")
        table.add("changes of the schedule", "told \(buses.changesTold) times")
        table.add("alerts", "\(tally.alerts500) at 500 m, \(tally.alerts20) at 20 m")
        table.addLinks(tally)
        table.gap()
        table.addChecks(
            verdict, Violation.Rule.buses.map { ($0, $0.busTitle) },
            "\(verdict?.events ?? 0) log entries, \(verdict?.tours ?? 0) tours, \(verdict?.rides ?? 0) requests"
                + " (\(verdict?.noShows ?? 0) no-shows), \(verdict?.bookings ?? 0) bookings, \(verdict?.channels ?? 0)"
                + " channels",
            tally, open: open, isClean: isClean)
        return "\n" + table.text + (verdict?.text ?? "")
    }

    /// By how often they came.
    private var outcomes: [(name: String, count: Int)] {
        buses.outcomes.map { ($0.key.name, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    }

    private var bookingOutcomes: [(name: String, count: Int)] {
        seats.outcomes.map { ($0.key.name, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    }

    var json: String {
        func number(_ value: Int) -> JSONValue { .number(Double(value)) }
        var (ends, rides) = (JSONObject(), JSONObject())
        for (name, count) in outcomes { ends[name] = number(count) }
        for (name, count) in bookingOutcomes { rides[name] = number(count) }
        var refusals = JSONObject()
        for (code, count) in tally.refusals { refusals[code.rawValue] = number(count) }
        let report: JSONValue = [
            "summary": .string(summary), "speed": .number(speed), "seconds": .number(seconds),
            "tours": number(buses.toursStarted), "tours_ended": number(buses.toursEnded),
            "seats_set": number(buses.seatsSet), "requests": number(buses.requests), "prompts": number(buses.prompts),
            "accepted": number(buses.acceptancesTold), "outcomes": .object(ends), "fixes": number(buses.fixesSent),
            "fixes_seen": number(buses.fixesSeen), "fix_to_seen": buses.timeToSeen.json,
            "served": number(buses.served), "served_after_arrival": number(buses.servedAfterArrival),
            "no_shows": number(verdict?.noShows ?? 0), "no_shows_refused": number(buses.noShowsRefused),
            "bookings": number(seats.booked), "seat_prompts": number(seats.prompts),
            "seats_confirmed": number(seats.confirmed), "booking_outcomes": .object(rides),
            "seats_counted": number(seats.counted), "changes_told": number(buses.changesTold),
            "links_cut": number(tally.linksCut),
            "links_lost": number(tally.linksLost.values.reduce(0, +)), "reconnects": number(tally.returns),
            "events": number(tally.events), "states": number(tally.states), "gaps": number(tally.gaps),
            "refusals": .object(refusals), "unreadable": number(tally.unreadable.count), "quiet": .bool(open.isEmpty),
            "checked": .bool(verdict != nil), "log_entries": number(verdict?.events ?? 0),
            "violations": verdict?.counts(Violation.Rule.buses) ?? [:], "clean": .bool(isClean),
            "details": .array((verdict?.violations ?? []).prefix(100).map { .string($0.description) }),
        ]
        return report.description
    }
}

extension StopOutcome {
    /// As the table calls it.
    var name: String {
        switch self {
        case .refused(let code): "refused: \(code.rawValue)"
        case .declined: "declined"
        case .expired(let reason): "lapsed: \(reason)"
        case .completed: "completed"
        case .noShow: "no-show"
        case .cancelled: "cancelled by the citizen"
        case .lost: "lost in a gap"
        }
    }
}

extension SeatOutcome {
    /// As the table calls it.
    var name: String {
        switch self {
        case .refused(let code): "refused: \(code.rawValue)"
        case .declined(let reason): "declined: \(reason)"
        case .cancelled(let by): "cancelled by the \(by)"
        case .ended: "ended"
        case .lost: "lost in a gap"
        }
    }
}

extension Violation.Rule {
    /// As the table of a run of buses calls it.
    fileprivate var busTitle: String {
        switch self {
        case .oneRequestPerPassenger: "one open booking per passenger"
        case .offer: "minibuses asked one thing at a time"
        case .acceptance: "accepted once, when open"
        case .outcome: "one outcome per request"
        case .line: "lines and minibuses as they are, for each reader"
        case .told: "both sides told"
        case .alert: "alerts once, and where the bus stood"
        default: title
        }
    }
}
