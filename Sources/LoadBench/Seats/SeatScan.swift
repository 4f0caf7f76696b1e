import Glibc

/// Reads how many seats are taken from a line's state or snapshot with one bus, and nothing else of it.
enum SeatScan {
    /// As many as a bus can have.
    static let mostSeats = 99

    /// Nil when the payload is no such message.
    @inline(__always)
    static func taken(in payload: UnsafeRawBufferPointer) -> Int? {
        // Replies begin with {"id": and events and states with {"ch":
        guard payload.count > 8, payload[2] == UInt8(ascii: "c"), var place = payload.baseAddress else { return nil }
        let end = place + payload.count
        let size = mark.utf8CodeUnitCount
        while end - place > size, let found = memchr(place, 34, end - place) {
            place = UnsafeRawPointer(found)
            guard end - place > size, memcmp(place, mark.utf8Start, size) != 0 else { break }
            place += 1
        }
        guard end - place > size, memcmp(place, mark.utf8Start, size) == 0 else { return nil }
        place += size
        var value = 0
        var count = 0
        while place < end, case let digit = place.load(as: UInt8.self) &- 48, digit < 10, count < 3 {
            value = value * 10 + Int(digit)
            count += 1
            place += 1
        }
        return count > 0 && value <= mostSeats ? value : nil
    }

    private static let mark: StaticString = #""taken":"#
}
