import Wire

/// What became of a run: for people as a table, for programs as JSON.
public struct ReplayReport: Sendable {
    let summary: String
    let speed: Double
    let tally: Tally
    /// Nil when there was no Redis to read.
    let verdict: Verdict?
    /// All rides had ended when it was judged.
    let isQuiet: Bool
    /// Real time of it all.
    let seconds: Double

    /// Every rule that was broken, by the log, the state in Redis and what the clients were given.
    public var violations: [Violation] { verdict?.violations ?? [] }

    /// Nothing is wrong, as far as it was looked at.
    public var isClean: Bool { violations.isEmpty && isQuiet && tally.unreadable.isEmpty && unknownCloses == 0 }

    public var requests: Int { tally.requests }
    public var offers: Int { tally.offers }
    /// Passengers told that a taxi comes.
    public var accepted: Int { tally.acceptancesTold }
    /// Rides that were driven to their end.
    public var ended: Int { tally.ended }
    /// Links that were lost and came back.
    public var reconnects: Int { tally.returns }

    /// Closes after which a client must not come back: it did something that the contract forbids.
    private var unknownCloses: Int {
        tally.linksLost.reduce(0) { sum, entry in
            CloseCode(rawValue: entry.key)?.reconnect == .never ? sum + entry.value : sum
        }
    }

    // MARK: Text

    public var text: String {
        var table = TextTable()
        table.add("played", "\(summary), \(Self.short(speed))× real speed, \(Self.short(seconds)) s")
        table.gap()
        addRides(&table)
        table.gap()
        addTimes(&table)
        table.gap()
        addTraffic(&table)
        table.gap()
        addChecks(&table)
        return "\n" + table.text + violationText
    }

    private func addRides(_ table: inout TextTable) {
        table.add("requests", tally.requests)
        table.add("offers", "\(tally.offers) (\(tally.declines) declined, \(tally.offersIgnored) not answered)")
        table.add("accepted", tally.acceptancesTold)
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

    private func addTraffic(_ table: inout TextTable) {
        table.add("alerts", "\(tally.alerts500) at 500 m, \(tally.alerts20) at 20 m")
        table.add("rank moves", tally.rankMoves)
        table.add("fixes sent", "\(tally.fixesRecorded) recorded, \(tally.fixesInterpolated) interpolated")
        table.add("links", "\(tally.linksCut) cut on purpose, \(lostLinks) lost, \(tally.returns) came back")
        table.add("received", "\(tally.events) events, \(tally.states) states, \(tally.gaps) gaps")
        let refusals = tally.refusals.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
        table.add(
            "refusals",
            refusals.isEmpty ? "none" : refusals.map { "\($0.key.rawValue) \($0.value)" }.joined(separator: ", "))
    }

    private var lostLinks: String {
        let total = tally.linksLost.values.reduce(0, +)
        let codes = tally.linksLost.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return total == 0 ? "0" : "\(total) (\(codes.joined(separator: ", ")))"
    }

    private func addChecks(_ table: inout TextTable) {
        guard let verdict else {
            table.add("checked", "nothing: no Redis was given to read the log and the state from")
            return
        }
        table.add("checked", "\(verdict.events) log entries, \(verdict.rides) rides, \(verdict.channels) channels")
        for rule in Violation.Rule.allCases {
            let count = verdict.violations.count { $0.rule == rule }
            table.add("  \(rule.title)", count == 0 ? "ok" : "\(count) VIOLATIONS")
        }
        if !isQuiet { table.add("  all came to an end", "NO: something was still open when the time was over") }
        if !tally.unreadable.isEmpty {
            table.add("  messages as in the contract", "\(tally.unreadable.count) are NOT: \(tally.unreadable[0])")
        }
        if unknownCloses > 0 { table.add("  links closed for good", "\(unknownCloses): \(lostLinks)") }
        table.add("result", isClean ? "clean" : "NOT CLEAN")
    }

    /// The first of each rule with the log around them.
    private var violationText: String {
        var shown: [Violation.Rule: Int] = [:]
        var text = ""
        for (violation, context) in zip(verdict?.violations ?? [], verdict?.contexts ?? []) {
            shown[violation.rule, default: 0] += 1
            guard shown[violation.rule, default: 0] <= 5 else { continue }
            text += "\n\(violation)\n"
            for event in context { text += "  \(event.id == violation.eventID ? ">" : " ") \(event)\n" }
        }
        return text
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
        var rules = JSONObject()
        for rule in Violation.Rule.allCases {
            rules[rule.rawValue] = .number(Double(violations.count { $0.rule == rule }))
        }
        func number(_ value: Int) -> JSONValue { .number(Double(value)) }
        let report: JSONValue = [
            "summary": .string(summary), "speed": .number(speed), "seconds": .number(seconds),
            "requests": number(tally.requests), "offers": number(tally.offers), "declined": number(tally.declines),
            "not_answered": number(tally.offersIgnored), "accepted": number(tally.acceptancesTold),
            "outcomes": outcomes, "request_to_offer": tally.timeToOffer.json, "accept_to_told": tally.timeToTold.json,
            "alerts_500": number(tally.alerts500), "alerts_20": number(tally.alerts20),
            "rank_moves": number(tally.rankMoves), "fixes_recorded": number(tally.fixesRecorded),
            "fixes_interpolated": number(tally.fixesInterpolated), "links_cut": number(tally.linksCut),
            "links_lost": number(tally.linksLost.values.reduce(0, +)), "reconnects": number(tally.returns),
            "events": number(tally.events), "states": number(tally.states), "gaps": number(tally.gaps),
            "refusals": .object(refusals), "unreadable": number(tally.unreadable.count), "quiet": .bool(isQuiet),
            "checked": .bool(verdict != nil), "log_entries": number(verdict?.events ?? 0),
            "violations": .object(rules), "clean": .bool(isClean),
            "details": .array(violations.prefix(100).map { .string($0.description) }),
        ]
        return report.description
    }

    private static func short(_ value: Double) -> String {
        let tenth = (value * 10).rounded() / 10
        return tenth == tenth.rounded() ? "\(Int(tenth))" : "\(tenth)"
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
        }
    }
}
