import ClientSupport
import Domain
import Wire

/// What became of a run: for people as a table, for programs as JSON.
public struct ReplayReport: Sendable {
    let summary: String
    let speed: Double
    let tally: Tally
    /// Nil when there was no Redis to read.
    let verdict: Verdict?
    /// Who had not come to an end when it was judged.
    let open: [String]
    /// Real time of it all.
    let seconds: Double

    /// Every rule that was broken, by the log, the state in Redis and what the clients were given.
    public var violations: [Violation] { verdict?.violations ?? [] }

    /// Nothing is wrong, as far as it was looked at.
    public var isClean: Bool {
        violations.isEmpty && open.isEmpty && tally.unreadable.isEmpty && tally.closedForGood == 0
    }

    public var requests: Int { tally.requests }
    public var offers: Int { tally.offers }
    /// Passengers told that a taxi comes.
    public var accepted: Int { tally.acceptancesTold }
    /// Rides that were driven to their end.
    public var ended: Int { tally.ended }
    /// Links that were lost and came back.
    public var reconnects: Int { tally.returns }

    // MARK: Text

    public var text: String {
        var table = TextTable()
        table.addPlayed(summary, speed: speed, seconds: seconds)
        table.gap()
        addRides(&table)
        table.gap()
        addTimes(&table)
        table.gap()
        if tally.reservations.made > 0 {
            tally.reservations.add(to: &table, verdict?.reservations)
            table.gap()
        }
        addETAs(&table)
        table.gap()
        addTraffic(&table)
        table.gap()
        table.addChecks(
            verdict, Violation.Rule.rides.map { ($0, $0.title) },
            "\(verdict?.events ?? 0) log entries, \(verdict?.rides ?? 0) rides, \(verdict?.channels ?? 0) channels",
            tally, open: open, isClean: isClean)
        return "\n" + table.text + (verdict?.text ?? "")
    }

    private func addRides(_ table: inout TextTable) {
        table.add("requests", tally.requests)
        table.add("offers", "\(tally.offers) (\(tally.declines) declined, \(tally.offersIgnored) not answered)")
        table.add("accepted", tally.acceptancesTold)
        if tally.blocks > 0 { table.add("drivers blocked for a while", tally.blocks) }
        let kinds = Dictionary(grouping: tally.outcomes, by: { $0.key.name }).mapValues {
            $0.reduce(0) { $0 + $1.value }
        }
        for (name, count) in kinds.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            table.add("  " + name, count)
        }
    }

    private func addTimes(_ table: inout TextTable) {
        table.add("request → offer at the driver", tally.timeToOffer.text(50, 99) + " (real time)")
        table.add("accept → passenger told", tally.timeToTold.text(50, 99) + " (real time)")
    }

    /// How good the told ETAs were, on ways that were driven like this; a city of its own making has none.
    private func addETAs(_ table: inout TextTable) {
        let etas = tally.etas
        guard etas.waysRecorded + etas.waysStraight > 0 else {
            return table.add("ETA told", "not judged: no taxi drives on a recorded way")
        }
        table.add("ways of rides", "\(etas.waysRecorded) as recorded, \(etas.waysStraight) straight")
        table.add("ETA 3 min ahead and more", Self.text(etas.believed.all))
        for (name, score) in Self.byMinutes(etas.believed) { table.add("  \(name) min ahead", Self.text(score)) }
        table.add("  told first", Self.text(etas.first.all))
        table.add("  judged on", "\(etas.ridesJudged) rides, every 30 s what was told last")
        table.add("  not judged", "\(etas.ridesNotJudged) rides whose taxi came straight")
    }

    private static func text(_ score: ForecastScore) -> String {
        guard let error = score.error else { return "none" }
        var text = "\(percent(error)) off (\(score.count) times)"
        if let before = score.before, let after = score.after {
            text += ", \(percent(before)) there before P10, \(percent(after)) after P90"
        }
        return text
    }

    /// Only what there is.
    private static func byMinutes(_ scores: HorizonScores) -> [(String, ForecastScore)] {
        let begins = HorizonScores.begins.map { Int($0 / 60) }
        return scores.buckets.enumerated().filter { $1.count > 0 }.map { index, score in
            let isLast = index + 1 == begins.count
            return (isLast ? "\(begins[index]) and more" : "\(begins[index]) to \(begins[index + 1])", score)
        }
    }

    private static func percent(_ share: Double) -> String { "\((share * 1000).rounded() / 10) %" }

    private func addTraffic(_ table: inout TextTable) {
        table.add("alerts", "\(tally.alerts500) at 500 m, \(tally.alerts20) at 20 m")
        table.add("rank moves", tally.rankMoves)
        table.add("fixes sent", "\(tally.fixesRecorded) recorded, \(tally.fixesInterpolated) interpolated")
        table.addLinks(tally)
    }

    // MARK: JSON

    public var json: String {
        var outcomes: JSONValue = [:]
        var members = JSONObject()
        for (outcome, count) in tally.outcomes {
            members[outcome.name] = .number((members[outcome.name]?.double ?? 0) + Double(count))
        }
        outcomes = .object(members)
        var refusals = JSONObject()
        for (code, count) in tally.refusals { refusals[code.rawValue] = .number(Double(count)) }
        func number(_ value: Int) -> JSONValue { .number(Double(value)) }
        func share(_ value: Double?) -> JSONValue { value.map { .number(($0 * 10_000).rounded() / 10_000) } ?? .null }
        let etas = tally.etas
        let byMinutes: [JSONValue] = zip(HorizonScores.begins, etas.believed.buckets).map { begin, score in
            [
                "from_min": .number(begin / 60), "told": number(score.count), "error": share(score.error),
                "before_p10": share(score.before), "after_p90": share(score.after),
            ]
        }
        let report: JSONValue = [
            "summary": .string(summary), "speed": .number(speed), "seconds": .number(seconds),
            "requests": number(tally.requests), "offers": number(tally.offers), "declined": number(tally.declines),
            "not_answered": number(tally.offersIgnored), "accepted": number(tally.acceptancesTold),
            "outcomes": outcomes, "request_to_offer": tally.timeToOffer.json, "accept_to_told": tally.timeToTold.json,
            "ways_recorded": number(etas.waysRecorded), "ways_straight": number(etas.waysStraight),
            "eta_rides": number(etas.ridesJudged), "eta_rides_not_judged": number(etas.ridesNotJudged),
            "eta_told": number(etas.believed.all.count), "eta_error": share(etas.believed.all.error),
            "eta_before_p10": share(etas.believed.all.before), "eta_after_p90": share(etas.believed.all.after),
            "eta_by_minutes": .array(byMinutes),
            "eta_first_error": share(etas.first.all.error), "alerts_500": number(tally.alerts500),
            "alerts_20": number(tally.alerts20),
            "rank_moves": number(tally.rankMoves), "fixes_recorded": number(tally.fixesRecorded),
            "fixes_interpolated": number(tally.fixesInterpolated), "links_cut": number(tally.linksCut),
            "links_lost": number(tally.linksLost.values.reduce(0, +)), "reconnects": number(tally.returns),
            "events": number(tally.events), "states": number(tally.states), "gaps": number(tally.gaps),
            "blocks": number(tally.blocks), "refusals": .object(refusals), "unreadable": number(tally.unreadable.count),
            "quiet": .bool(open.isEmpty),
            "checked": .bool(verdict != nil), "log_entries": number(verdict?.events ?? 0),
            "reservations": tally.reservations.json(verdict?.reservations),
            "violations": verdict?.counts(Violation.Rule.rides) ?? [:], "clean": .bool(isClean),
            "details": .array(violations.prefix(100).map { .string($0.description) }),
        ]
        return report.description
    }
}

extension RideOutcome {
    /// As the table calls it.
    var name: String {
        switch self {
        case .refused(let code): "refused: \(code.rawValue)"
        case .failed(let code): "failed: \(code)"
        case .cancelled: "cancelled by the passenger"
        case .noShow: "no-show"
        case .ended: "ended"
        case .lost: "lost in a gap"
        }
    }
}

extension Violation.Rule {
    /// As the table calls it.
    var title: String {
        switch self {
        case .reservation: "I5 a reservation, one ride"
        case .trip: "one receipt and fare a trip, one rating a side"
        case .blocked: "nobody who is blocked waits or asks"
        case .queueMembership: "I1 available ⇔ in one queue"
        case .busyWithOneRide: "I2 busy ⇔ one ride"
        case .oneDriverPerRide: "I3 one driver per ride"
        case .oneRequestPerPassenger: "I4 one request per passenger"
        case .queueOrder: "FIFO nobody passed over"
        case .requestOrder: "R2 requests in order"
        case .rank: "ranks only rise"
        case .offer: "one open offer"
        case .acceptance: "accepted once, as offered"
        case .outcome: "one outcome per ride"
        case .told: "outcomes told"
        case .alert: "alerts once"
        case .delivery: "events once, in order"
        case .state: "state as logged"
        case .log: "log complete"
        case .tour: "one tour per bus and driver"
        case .noShow: "no-shows only where the bus stood"
        case .seats: "seats within 0…all"
        case .line: "lines as they are, for each reader"
        case .order: "no bus goes back"
        }
    }
}
