/// A time zone's rules, as far as the system's compiled file (TZif, RFC 9636) tells them.
///
/// Pure: the bytes are given. Debian's files name every change until 2037; later the last one holds.
public struct CityTime: Sendable {
    /// Unix seconds from which each offset holds, rising.
    private var changes: [Int64] = []
    /// Seconds east of Greenwich, one more than changes: the first holds before all of them.
    private var offsets: [Int]

    public static let utc = CityTime()

    private init() { offsets = [0] }

    /// Nil when the bytes are no TZif file of version 2 or later.
    public init?(tzif bytes: [UInt8]) {
        let first = Header(bytes, at: 0)
        // A version 1 part with 32-bit times stands before the one that counts.
        guard let first, first.version >= UInt8(ascii: "2"), let header = Header(bytes, at: first.end(timeSize: 4)),
            header.end(timeSize: 8) <= bytes.count, header.typeCount > 0
        else { return nil }
        func number(_ at: Int, _ size: Int) -> Int64 {
            let unsigned = bytes[at..<at + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return size == 8 ? Int64(bitPattern: unsigned) : Int64(Int32(truncatingIfNeeded: unsigned))
        }
        let times = header.start
        let kinds = times + header.timeCount * 8
        let types = kinds + header.timeCount
        var known: [(offset: Int, isSummer: Bool)] = []
        for type in 0..<header.typeCount {
            known.append((Int(number(types + type * 6, 4)), bytes[types + type * 6 + 4] != 0))
        }
        offsets = [(known.first { !$0.isSummer } ?? known[0]).offset]
        for index in 0..<header.timeCount {
            let kind = Int(bytes[kinds + index])
            guard kind < known.count else { return nil }
            changes.append(number(times + index * 8, 8))
            offsets.append(known[kind].offset)
        }
        guard zip(changes, changes.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
    }

    /// Seconds east of Greenwich at a Unix second.
    public func offset(at time: Int64) -> Int {
        var low = 0
        var high = changes.count
        while low < high {
            let middle = (low + high) / 2
            if changes[middle] <= time { low = middle + 1 } else { high = middle }
        }
        return offsets[low]
    }

    /// What clocks show now and next: seconds east of Greenwich at a Unix second, until when that holds, and how many from
    /// then on. Without a change to come it holds until 0, so that what follows is the same.
    public func span(at time: Int64) -> (offset: Int, until: Int64, next: Int) {
        let now = offset(at: time)
        guard let index = changes.firstIndex(where: { $0 > time }) else { return (now, 0, now) }
        return (now, changes[index], offsets[index + 1])
    }

    /// The time of day at a Unix second as h:mm, `9:05`.
    public func clock(at time: Int64) -> String {
        let local = time + Int64(offset(at: time))
        let minute = (local % 86_400 + 86_400) % 86_400 / 60
        return "\(minute / 60):\(minute % 60 < 10 ? "0" : "")\(minute % 60)"
    }

    /// What clocks show at a time in Unix ms, and how far east of Greenwich they are set, as RFC 3339 has it: of an hour that comes twice it
    /// says which one. `2026-11-26T14:30:00+01:00`.
    public func dateTime(at milliseconds: Int64) -> String {
        func padded(_ number: Int) -> String { "\(number < 10 ? "0" : "")\(number)" }
        let second = (milliseconds >= 0 ? milliseconds : milliseconds - 999) / 1000
        let east = offset(at: second)
        let local = second + Int64(east)
        let ofDay = Int((local % 86_400 + 86_400) % 86_400)
        let minutes = abs(east) / 60
        return "\(date(at: second))T\(padded(ofDay / 3600)):\(padded(ofDay / 60 % 60)):\(padded(ofDay % 60))"
            + "\(east < 0 ? "-" : "+")\(padded(minutes / 60)):\(padded(minutes % 60))"
    }

    /// What a clock is set by at a Unix second: `UTC`, `UTC+1`, `UTC-3:30`.
    public func utcOffset(at time: Int64) -> String {
        let minutes = offset(at: time) / 60
        guard minutes != 0 else { return "UTC" }
        let (hours, rest) = (abs(minutes) / 60, abs(minutes) % 60)
        return "UTC\(minutes < 0 ? "-" : "+")\(hours)\(rest == 0 ? "" : rest < 10 ? ":0\(rest)" : ":\(rest)")"
    }

    /// Where the times of a service day count from, Unix seconds: its noon less 12 h.
    public func start(of date: ServiceDate) -> Int64 {
        let noon = Int64(date.days) * 86_400 + 43_200
        // The offset is wanted at local noon; clocks change at night, so one correction finds it.
        let near = noon - Int64(offset(at: noon))
        return noon - Int64(offset(at: near)) - 43_200
    }

    /// The calendar's day at a Unix second.
    public func date(at time: Int64) -> ServiceDate {
        let local = time + Int64(offset(at: time))
        return ServiceDate(days: Int(local >= 0 ? local / 86_400 : (local - 86_399) / 86_400))
    }

    private struct Header {
        let version: UInt8
        let start: Int
        let timeCount, typeCount: Int
        private let isUTCount, isStandardCount, leapCount, letterCount: Int

        init?(_ bytes: [UInt8], at place: Int) {
            guard bytes.count >= place + 44, bytes[place..<place + 4].elementsEqual("TZif".utf8) else { return nil }
            func count(_ index: Int) -> Int {
                bytes[(place + 20 + index * 4)..<(place + 24 + index * 4)].reduce(0) { $0 << 8 | Int($1) }
            }
            version = bytes[place + 4]
            start = place + 44
            isUTCount = count(0)
            isStandardCount = count(1)
            leapCount = count(2)
            timeCount = count(3)
            typeCount = count(4)
            letterCount = count(5)
            // Keeps the sums below from overflowing on what is no such file.
            guard
                [isUTCount, isStandardCount, leapCount, timeCount, typeCount, letterCount].allSatisfy({ $0 < 65_536 })
            else { return nil }
        }

        func end(timeSize: Int) -> Int {
            start + timeCount * (timeSize + 1) + typeCount * 6 + letterCount + leapCount * (timeSize + 4)
                + isStandardCount + isUTCount
        }
    }
}
