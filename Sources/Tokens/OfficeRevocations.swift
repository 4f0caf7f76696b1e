import Wire

/// Tokens that the office has revoked. They are many only if somebody revokes on and on; for one more, or one that goes, nothing is copied.
struct OfficeRevocations: Sendable {
    /// Unix seconds by `<role> <subject>`; and by `<role> <subject> others`, for tokens of other issuers (office_sessions.lua).
    private var before: [String: Int64] = [:]
    /// The same keys by the day of their second: the oldest ones are found without looking at the others.
    private var days: [Int64: Set<String>] = [:]
    /// So many are kept, as in Redis; the oldest go, to the day. None goes by its age: a clock that is ahead would decide that for good.
    private let most: Int

    private static let dayS: Int64 = 86_400

    init(most: Int = 400_000) { self.most = most }

    var count: Int { before.count }

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
            let (day, old) = (one.before / Self.dayS, known.map { $0 / Self.dayS })
            if day == old { continue }
            if let old { drop(key, of: old) }
            days[day, default: []].insert(key)
            if before.count > most { dropOldest() }
        }
        return isNew
    }

    private mutating func drop(_ key: String, of day: Int64) {
        days[day]?.remove(key)
        if days[day]?.isEmpty == true { days[day] = nil }
    }

    /// One of the oldest day. Days are as many as there were with revocations: to look through some hundreds takes microseconds.
    private mutating func dropOldest() {
        guard let day = days.keys.min(), let key = days[day]?.first else { return }
        before[key] = nil
        drop(key, of: day)
    }

    /// See ``TokenRevocations/revokes(_:_:issuedAt:)``. `othersAt`: what a token of another issuer says of it.
    func revokes(_ role: Role, _ subject: String, issuedAt: Int64, othersAt: Int64?) -> Bool {
        guard !before.isEmpty else { return false }
        if let othersAt, othersAt < before[Self.key(role, subject, isOfOthers: true)] ?? .min { return true }
        return issuedAt < before[Self.key(role, subject)] ?? .min
    }
}
