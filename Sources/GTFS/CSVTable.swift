/// One file of a feed: comma-separated text with a head line (RFC 4180), read row by row in place.
///
/// Column names and values are trimmed, as feeds come with blanks after commas; a row may lack its last fields.
struct CSVTable {
    let name: String
    /// The line on which the present row begins; the head stands on 1.
    private(set) var line = 0
    private let bytes: [UInt8]
    private var columns: [String: Int] = [:]
    private var fields: [(range: Range<Int>, hasQuotes: Bool)] = []
    private var next: Int
    private var nextLine = 1

    /// A column of the file; there may be none of that name.
    struct Column {
        fileprivate let index: Int
        var isThere: Bool { index >= 0 }
    }

    /// Throws a sentence when it is no text of this form.
    init(name: String, bytes: [UInt8]) throws(FeedRefusal) {
        self.name = name
        self.bytes = bytes
        next = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw FeedRefusal("\(name):\(Self.firstBadLine(bytes)): this is not UTF-8 text; save the file as UTF-8")
        }
        guard !bytes.contains(0) else { throw FeedRefusal("\(name) holds zero bytes; save the file as UTF-8") }
        guard readRow() else { return }
        for index in fields.indices where columns[text(index)] == nil { columns[text(index)] = index }
    }

    var hasHead: Bool { !columns.isEmpty }

    func column(_ name: String) -> Column { Column(index: columns[name] ?? -1) }

    /// Columns that a file can't do without. Throws a sentence that names those that are missing.
    func require(_ names: String...) throws(FeedRefusal) {
        let missing = names.filter { columns[$0] == nil }
        guard missing.isEmpty else {
            let what = missing.count == 1 ? "the column" : "the columns"
            throw FeedRefusal("\(name):1: \(what) \(missing.joined(separator: ", ")) is missing in the first line")
        }
    }

    /// Goes to the next row that is not empty; false at the end.
    mutating func readNext() -> Bool {
        while readRow() {
            if fields.count > 1 || !(fields.first?.range.isEmpty ?? true) { return true }
        }
        return false
    }

    /// The present row's value, trimmed; empty when the column or the value is missing.
    func text(_ column: Column) -> String { text(column.index) }

    func isEmpty(_ column: Column) -> Bool {
        !fields.indices.contains(column.index) || fields[column.index].range.isEmpty
    }

    /// Whether the value stands there as these bytes, for rows that repeat a value.
    func has(_ column: Column, _ value: String.UTF8View) -> Bool {
        guard fields.indices.contains(column.index) else { return value.isEmpty }
        return bytes[fields[column.index].range].elementsEqual(value)
    }

    /// Nil when there is no whole number.
    func integer(_ column: Column) -> Int? {
        guard fields.indices.contains(column.index) else { return nil }
        return Int(text(column))
    }

    /// Nil when there is no finite number.
    func double(_ column: Column) -> Double? {
        guard !isEmpty(column), let value = Double(text(column)), value.isFinite else { return nil }
        return value
    }

    /// `H:MM:SS` or `HH:MM:SS`, also beyond 24 h, as seconds; nil when it is empty or something else.
    func seconds(_ column: Column) -> Int? {
        guard fields.indices.contains(column.index) else { return nil }
        return TimeOfDay.seconds(bytes[fields[column.index].range])
    }

    private func text(_ index: Int) -> String {
        guard fields.indices.contains(index) else { return "" }
        let (range, hasQuotes) = fields[index]
        guard hasQuotes else { return String(decoding: bytes[range], as: UTF8.self) }
        var text: [UInt8] = []
        var isAfterQuote = false
        for byte in bytes[range] {
            // Of two quotes one stays.
            if byte == UInt8(ascii: "\""), !isAfterQuote {
                isAfterQuote = true
                continue
            }
            isAfterQuote = false
            text.append(byte)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func readRow() -> Bool {
        fields.removeAll(keepingCapacity: true)
        line = nextLine
        guard next < bytes.count else { return false }
        let end = bytes.withUnsafeBufferPointer { bytes in
            var index = next
            while true {
                let field = Self.field(in: bytes, from: index, &nextLine)
                fields.append((field.range, field.hasQuotes))
                index = field.end
                guard index < bytes.count, bytes[index] == UInt8(ascii: ",") else { break }
                index += 1
            }
            // One end of line: CR, LF or both.
            if index < bytes.count, bytes[index] == 13 { index += 1 }
            if index < bytes.count, bytes[index] == 10 {
                index += 1
            }
            nextLine += 1
            return index
        }
        next = end
        return true
    }

    /// A field's value, trimmed, and where what ends it stands.
    private static func field(
        in bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ line: inout Int
    ) -> (range: Range<Int>, hasQuotes: Bool, end: Int) {
        func isBlank(_ index: Int) -> Bool { bytes[index] == 32 || bytes[index] == 9 }
        var first = start
        while first < bytes.count, isBlank(first) { first += 1 }
        if first < bytes.count, bytes[first] == UInt8(ascii: "\"") {
            var index = first + 1
            var hasQuotes = false
            while index < bytes.count {
                if bytes[index] == UInt8(ascii: "\"") {
                    guard index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "\"") else { break }
                    hasQuotes = true
                    index += 1
                }
                if bytes[index] == 10 { line += 1 }
                index += 1
            }
            var low = first + 1
            var high = min(index, bytes.count)
            while low < high, isBlank(low) { low += 1 }
            while high > low, isBlank(high - 1) { high -= 1 }
            var end = min(index + 1, bytes.count)
            while end < bytes.count, !isEnd(bytes[end]) { end += 1 }
            return (low..<high, hasQuotes, end)
        }
        var end = first
        while end < bytes.count, !isEnd(bytes[end]) { end += 1 }
        var high = end
        while high > first, isBlank(high - 1) { high -= 1 }
        return (first..<high, false, end)
    }

    private static func isEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ",") || byte == 10 || byte == 13 }

    private static func firstBadLine(_ bytes: [UInt8]) -> Int {
        let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        return 1 + (lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0)
    }
}

/// Times of day as feeds and people write them.
enum TimeOfDay {
    /// The latest that is taken: a week, for ferries and night lines that a feed counts on from their first day.
    private static let most = 7 * 86_400

    /// `H:MM` (only if `allowsMinutes`) or `H:MM:SS`, with one to three digits of hours.
    static func seconds(_ text: some Collection<UInt8>, allowsMinutes: Bool = false) -> Int? {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 3 || allowsMinutes && parts.count == 2 else { return nil }
        var seconds = 0
        for (index, part) in parts.enumerated() {
            guard part.count == 2 || index == 0 && (1...3).contains(part.count) else { return nil }
            var value = 0
            for digit in part {
                guard (48...57).contains(digit) else { return nil }
                value = value * 10 + Int(digit - 48)
            }
            guard index == 0 || value < 60 else { return nil }
            seconds = seconds * 60 + value
        }
        if parts.count == 2 { seconds *= 60 }
        return seconds <= most ? seconds : nil
    }

    /// `8:05`, or `8:05:30` where there are seconds.
    static func text(_ seconds: Int) -> String {
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let minutes = "\(seconds / 3600):\(two(seconds / 60 % 60))"
        return seconds % 60 == 0 ? minutes : "\(minutes):\(two(seconds % 60))"
    }
}
