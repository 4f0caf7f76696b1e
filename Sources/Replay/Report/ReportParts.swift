import ClientSupport
import Wire

// What the reports of all runs have in common.
extension TextTable {
    mutating func addPlayed(_ summary: String, speed: Double, seconds: Double) {
        add("played", "\(summary), \(Self.short(speed))× real speed, \(Self.short(seconds)) s")
    }

    mutating func addLinks(_ tally: Tally) {
        add("links", "\(tally.linksCut) cut on purpose, \(tally.lostLinks) lost, \(tally.returns) came back")
        add("received", "\(tally.events) events, \(tally.states) states, \(tally.gaps) gaps")
        let refusals = tally.refusals.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
        add(
            "refusals",
            refusals.isEmpty ? "none" : refusals.map { "\($0.key.rawValue) \($0.value)" }.joined(separator: ", "))
    }

    mutating func addChecks(
        _ verdict: Verdict?, _ rules: [(rule: Violation.Rule, title: String)], _ what: String, _ tally: Tally,
        open: [String], isClean: Bool
    ) {
        guard let verdict else {
            return add("checked", "nothing: no Redis was given to read the log and the state from")
        }
        add("checked", what)
        for (rule, title) in rules {
            let count = verdict.violations.count { $0.rule == rule }
            add("  \(title)", count == 0 ? "ok" : "\(count) VIOLATIONS")
        }
        if !open.isEmpty {
            let names = open.prefix(5).joined(separator: ", ") + (open.count > 5 ? " …" : "")
            add("  all came to an end", "NO, \(open.count) were still open when the time was over: \(names)")
        }
        if !tally.unreadable.isEmpty {
            add("  messages as in the contract", "\(tally.unreadable.count) are NOT: \(tally.unreadable[0])")
        }
        if tally.closedForGood > 0 { add("  links closed for good", "\(tally.closedForGood): \(tally.lostLinks)") }
        add("result", isClean ? "clean" : "NOT CLEAN")
    }

    private static func short(_ value: Double) -> String {
        let tenth = (value * 10).rounded() / 10
        return tenth == tenth.rounded() ? "\(Int(tenth))" : "\(tenth)"
    }
}

extension Tally {
    /// Closes after which a client must not come back: it did something that the contract forbids.
    var closedForGood: Int {
        linksLost.reduce(0) { sum, entry in
            CloseCode(rawValue: entry.key)?.reconnect == .never ? sum + entry.value : sum
        }
    }

    /// `12 (1006: 10, 1012: 2)`.
    var lostLinks: String {
        let total = linksLost.values.reduce(0, +)
        let codes = linksLost.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return total == 0 ? "0" : "\(total) (\(codes.joined(separator: ", ")))"
    }
}

extension Verdict {
    /// The first violations of each rule with the log around them.
    var text: String {
        var shown: [Violation.Rule: Int] = [:]
        var text = ""
        for (violation, context) in zip(violations, contexts) {
            shown[violation.rule, default: 0] += 1
            guard shown[violation.rule, default: 0] <= 5 else { continue }
            text += "\n\(violation)\n"
            for event in context { text += "  \(event.id == violation.eventID ? ">" : " ") \(event)\n" }
        }
        return text
    }

    /// Rule → how often it was broken.
    func counts(_ rules: [Violation.Rule]) -> JSONValue {
        var members = JSONObject()
        for rule in rules { members[rule.rawValue] = .number(Double(violations.count { $0.rule == rule })) }
        return .object(members)
    }
}
