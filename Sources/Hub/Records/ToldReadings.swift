/// Who reads the past of people is to be found in the log. An operator's first reading of a kind is told at once, and the first one by
/// something else; those that follow within a minute are told together when it is over, with how many they were: 50 a second would be as many
/// lines. Pure.
struct ToldReadings {
    struct Line: Equatable {
        let `operator`: String
        /// The kind of the rows.
        let of: String
        /// By what they were chosen, not by whose.
        let by: Set<String>
        let times: Int
    }

    private struct Kind: Hashable {
        let `operator`: String
        let of: String
    }

    /// What came since the first line.
    private struct More {
        let since: UInt64
        /// What they were chosen by that has been told.
        var told: Set<String>
        var by: Set<String> = []
        var times = 0
    }

    /// Each for a minute: no more than kinds of those who read within it.
    private var more: [Kind: More] = [:]

    private static let togetherMs: UInt64 = 60_000

    /// The line that is due now; nil: it is counted. `now`: ms.
    mutating func add(_ name: String, of: String, by: Set<String>, at now: UInt64) -> Line? {
        let kind = Kind(operator: name, of: of)
        if let told = more[kind]?.told {
            guard by.isSubset(of: told) else {
                more[kind]?.told.formUnion(by)
                return Line(operator: name, of: of, by: by, times: 1)
            }
            more[kind]?.times += 1
            more[kind]?.by.formUnion(by)
            return nil
        }
        more[kind] = More(since: now, told: by)
        return Line(operator: name, of: of, by: by, times: 1)
    }

    /// Lines of what has been counted for a minute. Each second.
    mutating func due(at now: UInt64) -> [Line] { take { now - $0.since >= Self.togetherMs } }

    /// Lines of all that has been counted, at the end: nobody tells of it later.
    mutating func rest() -> [Line] { take { _ in true } }

    private mutating func take(_ isOver: (More) -> Bool) -> [Line] {
        let over = more.filter { isOver($0.value) }
        for kind in over.keys { more[kind] = nil }
        return over.filter { $0.value.times > 0 }
            .map { Line(operator: $0.key.operator, of: $0.key.of, by: $0.value.by, times: $0.value.times) }
            .sorted { ($0.operator, $0.of) < ($1.operator, $1.of) }
    }
}
