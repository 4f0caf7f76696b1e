import Domain
import Wire

/// Writes positions as drivers send them, without allocating.
enum PositionText {
    /// In place of what the buffer held.
    static func write(_ fix: PositionFix, into buffer: inout [UInt8]) {
        buffer.removeAll(keepingCapacity: true)
        buffer += #"{"cmd":"position","lat":"#.utf8
        append(millionths: fix.lat, &buffer)
        buffer += #","lon":"#.utf8
        append(millionths: fix.lon, &buffer)
        buffer += #","at":"#.utf8
        append(fix.at, &buffer)
        if let heading = fix.heading {
            buffer += #","heading":"#.utf8
            append(Int64(heading), &buffer)
        }
        if let speed = fix.speed {
            buffer += #","speed":"#.utf8
            append(Int64(speed.rounded()), &buffer)
        }
        if let accuracy = fix.accuracy {
            buffer += #","accuracy":"#.utf8
            append(Int64(accuracy.rounded()), &buffer)
        }
        buffer.append(UInt8(ascii: "}"))
    }

    private static func append(millionths degrees: Double, _ buffer: inout [UInt8]) {
        let whole = Int64((degrees * 1e6).rounded())
        if whole < 0 { buffer.append(UInt8(ascii: "-")) }
        append(abs(whole) / 1_000_000, &buffer)
        buffer.append(UInt8(ascii: "."))
        append(abs(whole) % 1_000_000, digits: 6, &buffer)
    }

    private static func append(_ value: Int64, digits: Int = 1, _ buffer: inout [UInt8]) {
        let start = buffer.count
        var rest = value
        repeat {
            buffer.append(48 + UInt8(rest % 10))
            rest /= 10
        } while rest > 0 || buffer.count - start < digits
        buffer[start...].reverse()
    }
}
