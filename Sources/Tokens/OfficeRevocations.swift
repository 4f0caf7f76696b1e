import Wire

/// Tokens that the office has revoked. They are many only if somebody revokes on and on; for one more, or one that goes, nothing is copied.
struct OfficeRevocations: Sendable {
    /// Unix seconds by `<role> <subject>`; and by `<role> <subject> others`, for tokens of other issuers (office_sessions.lua).
    private var before: [String: Int64] = [:]
    /// The second of the newest one; nil: there is none.
    private(set) var newest: Int64?
    /// What was revoked, by the day of its second: an old day is let go of without looking at the others.
    private var days: [Int64: [String]] = [:]

    private static let dayS: Int64 = 86_400
    /// So many go at most for one call: 0.3 ms or so.
    private static let mostDropped = 1_000

    /// How many are kept to be let go of.
    var kept: Int { days.values.reduce(0) { $0 + $1.count } }

    private static func key(_ role: Role, _ subject: String, isOfOthers: Bool = false) -> String {
        TokenRevocations.key(role, subject) + (isOfOthers ? " others" : "")
    }

    /// Counts these, too. Answers whether one of them was not known.
    mutating func add(_ more: [TokenRevocation]) -> Bool {
        var isNew = false
        for one in more {
            let key = Self.key(one.role, one.subject, isOfOthers: one.isOfOthers)
            let known = before[key]
            guard one.before > known ?? .min else { continue }
            isNew = true
            before[key] = one.before
            newest = max(newest ?? .min, one.before)
            let day = one.before / Self.dayS
            // Who is revoked again and again is kept once a day.
            if known.map({ $0 / Self.dayS }) != day { days[day, default: []].append(key) }
        }
        return isNew
    }

    /// Lets go of what was revoked up to a second, a day later at most: all those tokens have ended.
    mutating func drop(upTo second: Int64) {
        var left = Self.mostDropped
        while left > 0, let day = days.keys.min(), (day + 1) * Self.dayS <= second {
            while left > 0, let key = days[day]?.popLast() {
                // It may have been revoked again since.
                if let known = before[key], known / Self.dayS <= day { before[key] = nil }
                left -= 1
            }
            if days[day]?.isEmpty == true { days[day] = nil }
        }
    }

    /// See ``TokenRevocations/revokes(_:_:issuedAt:)``. `othersAt`: what a token of another issuer says of it.
    func revokes(_ role: Role, _ subject: String, issuedAt: Int64, othersAt: Int64?) -> Bool {
        guard !before.isEmpty else { return false }
        if let othersAt, othersAt < before[Self.key(role, subject, isOfOthers: true)] ?? .min { return true }
        return issuedAt < before[Self.key(role, subject)] ?? .min
    }
}
