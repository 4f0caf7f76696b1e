/// Reads a time as recordings write it: Unix seconds or milliseconds, or ISO 8601 with or without an offset.
enum TimeText {
    struct Reading: Equatable {
        /// Unix ms. Times without an offset are taken as UTC.
        var unixMs: Int64
        /// Minutes east of UTC, where the text says so.
        var offsetMinutes: Int?
    }

    /// From here on a plain number is milliseconds: as seconds it would lie beyond the year 5138.
    private static let millisecondsFrom = 100_000_000_000.0

    static func read(_ text: ArraySlice<UInt8>) -> Reading? {
        if let number = text.number, abs(number) < 1e15 {
            let ms = abs(number) >= millisecondsFrom ? number : number * 1000
            return Reading(unixMs: Int64(ms.rounded()), offsetMinutes: nil)
        }
        return readISO(text)
    }

    /// `2014-02-01 00:00:00.739166+01`, `2014-02-01T00:00:00Z`, `2014-02-01T00:00:00+01:00`.
    private static func readISO(_ text: ArraySlice<UInt8>) -> Reading? {
        var cursor = Cursor(rest: text)
        guard let year = cursor.digits(4), cursor.take(0x2D), let month = cursor.digits(2), cursor.take(0x2D),
            let day = cursor.digits(2), cursor.take(0x54) || cursor.take(0x20),
            let hour = cursor.digits(2), cursor.take(0x3A), let minute = cursor.digits(2)
        else { return nil }
        var second = 0
        var ms = 0
        if cursor.take(0x3A) {
            guard let value = cursor.digits(2) else { return nil }
            second = value
            if cursor.take(0x2E) || cursor.take(0x2C) {
                guard let value = cursor.fractionMs() else { return nil }
                ms = value
            }
        }
        guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61 else { return nil }
        guard let offset = cursor.offset(), cursor.rest.isEmpty else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        let seconds = Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second) - Int64(offset.minutes * 60)
        return Reading(unixMs: seconds * 1000 + Int64(ms), offsetMinutes: offset.given ? offset.minutes : nil)
    }

    /// Days from 1970-01-01 in the Gregorian calendar. The year is counted from March, so that the leap day is its last.
    static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Minutes after midnight of `HH:MM`, or nil.
    static func clock(_ text: String) -> Int? {
        var cursor = Cursor(rest: ArraySlice(text.utf8))
        guard let hour = cursor.digits(2), cursor.take(0x3A), let minute = cursor.digits(2), cursor.rest.isEmpty,
            hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }

    /// Milliseconds of `90s`, `20m`, `1h`, or nil.
    static func span(_ text: String) -> Int64? {
        let units: [Character: Double] = ["s": 1000, "m": 60_000, "h": 3_600_000]
        guard let last = text.last, let unit = units[last], let count = Double(text.dropLast()), count > 0,
            count.isFinite, count < 1e6
        else { return nil }
        return Int64(count * unit)
    }

    /// `18:05:00` of a Unix time, `offsetMinutes` east of UTC.
    static func clock(ofMs ms: Int64, offsetMinutes: Int) -> String {
        let second = ((ms / 1000 + Int64(offsetMinutes) * 60) % 86_400 + 86_400) % 86_400
        return [second / 3600, second / 60 % 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
    }

    private struct Cursor {
        var rest: ArraySlice<UInt8>

        mutating func take(_ byte: UInt8) -> Bool {
            guard rest.first == byte else { return false }
            rest.removeFirst()
            return true
        }

        mutating func digits(_ count: Int) -> Int? {
            guard rest.count >= count else { return nil }
            var value = 0
            for byte in rest.prefix(count) {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int(byte - 0x30)
            }
            rest.removeFirst(count)
            return value
        }

        mutating func fractionMs() -> Int? {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            rest.removeFirst(digits.count)
            let three = (digits.map { Int($0) - 0x30 } + [0, 0]).prefix(3)
            return three.reduce(0) { $0 * 10 + $1 }
        }

        /// `Z`, `+01`, `+0100`, `-07:00` or nothing; nil when it is none of these.
        mutating func offset() -> (minutes: Int, given: Bool)? {
            if rest.isEmpty { return (0, false) }
            if take(0x5A) { return (0, true) }
            let east = take(0x2B)
            guard east || take(0x2D), let hours = digits(2) else { return nil }
            _ = take(0x3A)
            var minutes = 0
            if !rest.isEmpty {
                guard let value = digits(2) else { return nil }
                minutes = value
            }
            return ((east ? 1 : -1) * (hours * 60 + minutes), true)
        }
    }
}
