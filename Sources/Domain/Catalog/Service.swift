/// A day of the calendar, as the number of days since 1970-01-01 (proleptic Gregorian).
public struct ServiceDate: Hashable, Comparable, Sendable, CustomStringConvertible {
    public var days: Int

    public init(days: Int) { self.days = days }

    /// Nil when there is no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        self.init(days: Self.days(year, month, day))
        guard parts == (year, month, day) else { return nil }
    }

    /// `20261121` (GTFS) or `2026-11-21`; nil otherwise.
    public init?(_ text: some StringProtocol) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
        guard digits.count == 8, text.utf8.count == 8 || text.utf8.count == 10,
            digits.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1 - 48) }
        self.init(year: number / 10_000, month: number / 100 % 100, day: number % 100)
    }

    /// 0 is Monday.
    public var weekday: Int { ((days + 3) % 7 + 7) % 7 }

    public var parts: (year: Int, month: Int, day: Int) {
        // Years that begin in March, in eras of 400 (H. Hinnant's civil_from_days).
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// `2026-11-21`.
    public var description: String {
        let (year, month, day) = parts
        func padded(_ number: Int, _ width: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    public static func < (a: Self, b: Self) -> Bool { a.days < b.days }
    public static func + (date: Self, days: Int) -> Self { Self(days: date.days + days) }

    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

/// The days on which trips run.
public struct Service: Equatable, Sendable {
    /// Bit 0 is Monday. Holds from `start` to `end`, both included.
    public var weekdays: UInt8
    public var start: ServiceDate
    public var end: ServiceDate
    /// Runs although the weekday does not say so.
    public var added: Set<ServiceDate>
    /// Does not run although the weekday says so.
    public var removed: Set<ServiceDate>

    public init(
        weekdays: UInt8, start: ServiceDate, end: ServiceDate, added: Set<ServiceDate> = [],
        removed: Set<ServiceDate> = []
    ) {
        self.weekdays = weekdays
        self.start = start
        self.end = end
        self.added = added
        self.removed = removed
    }

    public func runs(on date: ServiceDate) -> Bool {
        if added.contains(date) { return true }
        return date >= start && date <= end && weekdays & 1 << date.weekday != 0 && !removed.contains(date)
    }

    /// The first day on which it runs; nil when there is none.
    public var firstDay: ServiceDate? { firstDay(from: min(start, added.min() ?? start)) }

    /// The same of those from a day on.
    public func firstDay(from: ServiceDate) -> ServiceDate? {
        let other = added.lazy.filter { $0 >= from }.min()
        var day = max(from, start)
        // At most a week, and the days that were taken out.
        while weekdays & 0x7f != 0, day <= min(end, other ?? end) {
            if runs(on: day) { return day }
            day = day + 1
        }
        return other
    }

    /// The last day on which it runs; nil when there is none.
    public var lastDay: ServiceDate? {
        let other = added.max()
        var day = end
        while weekdays & 0x7f != 0, day >= max(start, other ?? start) {
            if runs(on: day) { return day }
            day = day + -1
        }
        return other
    }
}
