/// Why a text is no table of this form: where, and what to do.
public struct CSVFault: Error, Equatable, Sendable, CustomStringConvertible {
    public let file: String
    /// Counted from 1; nil where the file as a whole is meant.
    public let line: Int?
    public let message: String

    public var description: String { "\(file)\(line.map { ":\($0)" } ?? ""): \(message)" }
}

/// Separated values with or without a head line (RFC 4180), read row by row in place.
///
/// The file is held in memory once, and no value is copied before it is asked for. Names and values are trimmed, as feeds
/// come with blanks after commas. Empty rows are passed over; a row may lack its last fields.
public struct CSVTable {
    public let name: String
    /// The line on which the present row begins, counted from 1.
    public private(set) var line = 0
    /// The names of the columns; empty for an empty file, or one that is read without a head line.
    public private(set) var head: [String] = []
    private let bytes: [UInt8]
    private let separator: UInt8
    private var columns: [String: Int] = [:]
    private var fields: [(range: Range<Int>, hasQuotes: Bool)] = []
    private var next: Int
    private var nextLine = 1

    /// A column of the file; there may be none of that name.
    public struct Column: Sendable {
        fileprivate let index: Int

        /// The column of that number, counted from 0, for a file without a head line.
        public init(at index: Int) { self.index = index }

        public var isThere: Bool { index >= 0 }
    }

    /// Reads the head line, if there is one. `name` is for messages. Throws when it is no UTF-8 text.
    public init(
        name: String, bytes: [UInt8], separator: Character = ",", hasHeadLine: Bool = true
    ) throws(CSVFault) {
        self.name = name
        self.bytes = bytes
        self.separator = separator.asciiValue ?? UInt8(ascii: ",")
        next = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw CSVFault(
                file: name, line: Self.firstBadLine(bytes), message: "this is not UTF-8 text; save the file as UTF-8")
        }
        guard !bytes.contains(0) else {
            throw CSVFault(file: name, line: nil, message: "there are zero bytes in it; save the file as UTF-8")
        }
        guard hasHeadLine, readNext() else { return }
        head = fields.indices.map { text($0) }
        columns = Dictionary(head.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The column of that name; the first, if there are several.
    public func column(_ name: String) -> Column { Column(at: columns[name] ?? -1) }

    /// Goes to the next row that is not empty; false at the end.
    public mutating func readNext() -> Bool {
        while readRow() {
            if fields.count > 1 || !(fields.first?.range.isEmpty ?? true) { return true }
        }
        return false
    }

    /// How many fields the present row has.
    public var fieldCount: Int { fields.count }

    /// The present row's value, trimmed; empty when the column or the value is missing.
    public func text(_ column: Column) -> String { text(column.index) }

    /// The same as it stands in the file: a quote within quotes is still doubled.
    public func bytes(_ column: Column) -> ArraySlice<UInt8> {
        fields.indices.contains(column.index) ? bytes[fields[column.index].range] : []
    }

    /// Whether the present row has no value there.
    public func isEmpty(_ column: Column) -> Bool {
        !fields.indices.contains(column.index) || fields[column.index].range.isEmpty
    }

    /// Nil when there is no whole number.
    public func integer(_ column: Column) -> Int? { isEmpty(column) ? nil : Int(text(column)) }

    /// Nil when there is no finite number.
    public func double(_ column: Column) -> Double? {
        guard !isEmpty(column), let value = Double(text(column)), value.isFinite else { return nil }
        return value
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
                let field = Self.field(in: bytes, from: index, separator, &nextLine)
                fields.append((field.range, field.hasQuotes))
                index = field.end
                guard index < bytes.count, bytes[index] == separator else { break }
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
        in bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ separator: UInt8, _ line: inout Int
    ) -> (range: Range<Int>, hasQuotes: Bool, end: Int) {
        func isBlank(_ index: Int) -> Bool { bytes[index] == 32 || bytes[index] == 9 }
        func isEnd(_ index: Int) -> Bool { bytes[index] == separator || bytes[index] == 10 || bytes[index] == 13 }
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
            while end < bytes.count, !isEnd(end) { end += 1 }
            return (low..<high, hasQuotes, end)
        }
        var end = first
        while end < bytes.count, !isEnd(end) { end += 1 }
        var high = end
        while high > first, isBlank(high - 1) { high -= 1 }
        return (first..<high, false, end)
    }

    private static func firstBadLine(_ bytes: [UInt8]) -> Int {
        let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        return 1 + (lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0)
    }
}
