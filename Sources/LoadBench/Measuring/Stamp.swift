import Glibc

/// A message that says when it was sent: `{"t":"@<16 digits>","p":"xxx…"}`.
enum Stamp {
    static let digits = 16

    /// The message with this number (microseconds, for instance), filled up to so many bytes; never shorter than its stamp.
    static func message(_ number: Int64, bytes: Int, into buffer: inout [UInt8]) {
        buffer.removeAll(keepingCapacity: true)
        buffer += #"{"t":"@"#.utf8
        let start = buffer.count
        buffer.append(contentsOf: repeatElement(48, count: digits))
        var rest = number
        var place = start + digits - 1
        while rest > 0, place >= start {
            buffer[place] = 48 + UInt8(rest % 10)
            rest /= 10
            place -= 1
        }
        // "}, or ","p":"…"} with as much in it as is missing.
        buffer.append(UInt8(ascii: "\""))
        let missing = bytes - buffer.count - 1
        if missing >= 7 {
            buffer += #","p":""#.utf8
            buffer.append(contentsOf: repeatElement(UInt8(ascii: "x"), count: missing - 7))
            buffer.append(UInt8(ascii: "\""))
        }
        buffer.append(UInt8(ascii: "}"))
    }

    /// Calls with each stamp in the payload, which may hold several messages.
    @inline(__always)
    static func scan(_ payload: UnsafeRawBufferPointer, _ body: (Int64) -> Void) {
        guard var place = payload.baseAddress else { return }
        let end = place + payload.count
        while end - place > digits, let found = memchr(place, 64, end - place) {
            place = UnsafeRawPointer(found) + 1
            guard end - place >= digits else { return }
            var value: Int64 = 0
            var index = 0
            while index < digits {
                let digit = place.load(fromByteOffset: index, as: UInt8.self) &- 48
                guard digit < 10 else { break }
                value = value &* 10 &+ Int64(digit)
                index += 1
            }
            if index == digits { body(value) }
            place += index
        }
    }
}
