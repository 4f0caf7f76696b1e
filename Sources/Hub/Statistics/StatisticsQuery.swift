import Domain

/// What `/v1/stats` is asked for.
struct StatisticsQuery: Equatable {
    /// Both included.
    var from: ServiceDate
    var to: ServiceDate
    /// Nil: all lines; or of taxis all zones, of seats all routes.
    var line: String?

    /// So many days are told at once, so that an answer has a bound: with a hundred lines some 15 MB.
    static let mostDays = 366
    /// Without `from`: a week.
    private static let usualDays = 7

    /// What is wrong with it, in a sentence for the client.
    struct Problem: Error, Equatable {
        let detail: String
    }

    /// - Parameter query: as it came, `from=2026-11-01&line=52`; nil: all defaults.
    /// - Parameter name: of the parameter that asks for one line, or one zone.
    init(_ query: String?, today: ServiceDate, oneOf name: String = "line") throws(Problem) {
        var given: [String: String] = [:]
        for part in (query ?? "").utf8.split(separator: 38) {
            let sides = part.split(separator: 61, maxSplits: 1, omittingEmptySubsequences: false).map {
                PercentText.decoded(String(decoding: $0.map { $0 == 43 ? 32 : $0 }, as: UTF8.self))
            }
            guard let key = sides[0], sides.count == 2, let value = sides[1] else {
                throw Problem(detail: "The query is malformed: expected name=value, with & between them.")
            }
            guard ["from", "to", name].contains(key) else {
                throw Problem(detail: "There is no parameter `\(key.prefix(40))`: expected `from`, `to` or `\(name)`.")
            }
            guard given.updateValue(value, forKey: key) == nil else {
                throw Problem(detail: "parameter `\(key)`: expected once.")
            }
        }
        try self.init(from: given["from"], to: given["to"], line: given[name], today: today, oneOf: name)
    }

    init(
        from: String?, to: String?, line: String?, today: ServiceDate, oneOf name: String = "line"
    ) throws(Problem) {
        let to = try Self.date("to", to) ?? today
        let from = try Self.date("from", from) ?? to + (1 - Self.usualDays)
        guard from <= to else {
            throw Problem(detail: "parameter `from`: expected a day up to \(to) (`to`), got \(from).")
        }
        guard to.days - from.days < Self.mostDays else {
            throw Problem(
                detail: "parameters `from` and `to`: expected at most \(Self.mostDays) days, got "
                    + "\(to.days - from.days + 1). Ask for a part at a time.")
        }
        if let line, line.isEmpty || line.utf8.count > 64 {
            throw Problem(detail: "parameter `\(name)`: expected an id of 1 to 64 characters.")
        }
        // Any line or zone may be known; of routes none is, so only what can't be one is refused.
        if name == "route", let line, !MapID.isRoute(line) {
            throw Problem(
                detail:
                    "parameter `route`: expected an id of 1 to 64 of A-Z a-z 0-9 _ . : -, a letter or digit first.")
        }
        (self.from, self.to, self.line) = (from, to, line)
    }

    var dates: [ServiceDate] { (0...(to.days - from.days)).map { from + $0 } }

    private static func date(_ name: String, _ text: String?) throws(Problem) -> ServiceDate? {
        guard let text else { return nil }
        guard let date = ServiceDate(text), "\(date)" == text else {
            throw Problem(detail: "parameter `\(name)`: expected a day such as 2026-11-21, got \(text.prefix(40)).")
        }
        return date
    }
}
