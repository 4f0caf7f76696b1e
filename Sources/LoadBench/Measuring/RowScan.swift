import Glibc

/// Reads a feed's message without understanding more of it than a load must: how many rows, and how old each is.
struct RowScan {
    enum Kind {
        /// Changes: `positions`.
        case delta
        case snapshot
        /// No feed's message.
        case other
    }

    private(set) var kind = Kind.other
    private(set) var rows = 0
    /// Vehicles that are said to have gone.
    private(set) var gone = 0

    /// Calls with the time of each row: Unix ms of the hub.
    @inline(__always)
    init(_ payload: UnsafeRawBufferPointer, _ body: (Int64) -> Void) {
        var reader = Reader(payload)
        guard reader.skip(past: Self.type) else { return }
        kind = reader.byte == UInt8(ascii: "p") ? .delta : reader.byte == UInt8(ascii: "s") ? .snapshot : .other
        guard kind != .other, reader.skip(past: Self.time), let time = reader.integer() else {
            kind = .other
            return
        }
        if reader.at(Self.gone) {
            while reader.byte == UInt8(ascii: "\"") {
                gone += 1
                reader.skipString()
                if reader.byte == UInt8(ascii: ",") { reader.advance(1) }
            }
        }
        guard reader.skip(past: Self.data) else { return }
        while reader.byte == UInt8(ascii: "[") {
            reader.advance(1)
            reader.skipString()
            // lat, lon, heading.
            for _ in 0..<4 { reader.skipPast(UInt8(ascii: ",")) }
            if reader.byte == UInt8(ascii: "\"") {
                // state, seats, at.
                for _ in 0..<2 { reader.skipPast(UInt8(ascii: ",")) }
                if let at = reader.integer() { body(at) }
            } else if let age = reader.integer() {
                body(time - age)
            }
            rows += 1
            reader.skipPast(UInt8(ascii: "]"))
            if reader.byte == UInt8(ascii: ",") { reader.advance(1) }
        }
    }

    private static let type: StaticString = #""type":""#
    private static let time: StaticString = #""time":"#
    private static let gone: StaticString = #","gone":["#
    private static let data: StaticString = #""data":["#

    /// Goes through bytes; at the end it stays there and gives 0.
    private struct Reader {
        private var place: UnsafeRawPointer
        private let end: UnsafeRawPointer

        @inline(__always)
        init(_ payload: UnsafeRawBufferPointer) {
            // An empty payload has no address: any will do where nothing is read.
            place = payload.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!
            end = place + payload.count
        }

        @inline(__always)
        var byte: UInt8 { place < end ? place.load(as: UInt8.self) : 0 }

        @inline(__always)
        mutating func advance(_ count: Int) { place = min(end, place + count) }

        @inline(__always)
        mutating func skipPast(_ byte: UInt8) {
            while place < end {
                let found = place.load(as: UInt8.self) == byte
                place += 1
                if found { return }
            }
        }

        /// A string without escapes, which ids have none of.
        @inline(__always)
        mutating func skipString() {
            advance(1)
            skipPast(UInt8(ascii: "\""))
        }

        /// Behind the text if it stands here.
        @inline(__always)
        mutating func at(_ text: StaticString) -> Bool {
            let count = text.utf8CodeUnitCount
            guard end - place >= count, memcmp(place, text.utf8Start, count) == 0 else { return false }
            place += count
            return true
        }

        /// Behind the first occurrence of the text.
        @inline(__always)
        mutating func skip(past text: StaticString) -> Bool {
            while place < end, let found = memchr(place, Int32(text.utf8Start.pointee), end - place) {
                place = UnsafeRawPointer(found)
                if at(text) { return true }
                place += 1
            }
            place = end
            return false
        }

        @inline(__always)
        mutating func integer() -> Int64? {
            var value: Int64 = 0
            var count = 0
            let isNegative = byte == UInt8(ascii: "-")
            if isNegative { place += 1 }
            while place < end {
                let digit = place.load(as: UInt8.self) &- 48
                guard digit < 10 else { break }
                value = value &* 10 &+ Int64(digit)
                place += 1
                count += 1
            }
            return count == 0 ? nil : isNegative ? -value : value
        }
    }
}
