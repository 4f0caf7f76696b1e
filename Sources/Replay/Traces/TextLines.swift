/// The lines of a text, with their numbers; `\n` and `\r\n` end a line, a byte order mark is passed over.
struct TextLines: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var position: Int
    private var number = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    mutating func next() -> (number: Int, text: ArraySlice<UInt8>)? {
        guard position < bytes.count else { return nil }
        number += 1
        let start = position
        while position < bytes.count, bytes[position] != 0x0A { position += 1 }
        var end = position
        position += 1
        if end > start, bytes[end - 1] == 0x0D { end -= 1 }
        return (number, bytes[start..<end])
    }
}

extension ArraySlice<UInt8> {
    /// Without the blanks around it.
    var trimmed: ArraySlice<UInt8> {
        var part = self
        while let first = part.first, first == 0x20 || first == 0x09 { part.removeFirst() }
        while let last = part.last, last == 0x20 || last == 0x09 { part.removeLast() }
        return part
    }

    var text: String { String(decoding: self, as: UTF8.self) }

    /// A finite number, or nil.
    var number: Double? {
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }
}
