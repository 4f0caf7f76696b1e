/// Why a text is no table of this form: where, and what to do.
public struct CSVFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// Empty where the message says it.
    public let file: String
    /// Counted from 1; nil where the file as a whole is meant.
    public let line: Int?
    public let message: String

    public init(file: String = "", line: Int? = nil, message: String) {
        self.file = file
        self.line = line
        self.message = message
    }

    public var description: String {
        file.isEmpty ? message : "\(file)\(line.map { ":\($0)" } ?? ""): \(message)"
    }
}

/// Separated values with or without a head line (RFC 4180), read row by row in place.
///
/// The file is held in memory once, or only a window of it (``init(name:separator:hasHeadLine:source:)``), and no value is
/// copied before it is asked for. Names and values are trimmed, as feeds come with blanks after commas. Empty rows are passed
/// over; a row may lack its last fields.
public struct CSVTable {
    /// Appends the next bytes of a file; false when there are none any more.
    public typealias Source = (inout [UInt8]) throws(CSVFault) -> Bool

    public let name: String
    /// The line on which the present row begins, counted from 1.
    public private(set) var line = 0
    /// The line on which a quote begins that nothing closes, so that all that follows is one value; nil: there is none in the
    /// present row.
    public private(set) var openQuote: Int?
    /// The names of the columns; empty for an empty file, or one that is read without a head line.
    public private(set) var head: [String] = []
    /// The present row, and what is read of those after it.
    @usableFromInline var window: [UInt8]
    /// Nil when the window has all of the file.
    private var source: Source?
    /// Whether it was read in parts from the beginning.
    private let isPart: Bool
    /// So much of the window is known to be text.
    private var checked = 0
    private let separator: UInt8
    private var columns: [String: Int] = [:]
    @usableFromInline var fields: [(range: Range<Int>, hasQuotes: Bool)] = []
    /// Where in the window the row after the present one begins.
    private var nextRow = 0
    private var nextLine = 1

    /// Far beyond what feeds and offices have. The messages of a table with more would fill screens; a row of nothing but
    /// separators would take 24 times its size in memory, so what stands in a row beyond is not kept.
    public static let mostColumns = 1_000

    /// A column of the file; there may be none of that name.
    public struct Column: Sendable {
        @usableFromInline let index: Int

        /// The column of that number, counted from 0, for a file without a head line.
        public init(at index: Int) { self.index = index }

        public var isThere: Bool { index >= 0 }
    }

    /// Reads the head line, if there is one. `name` is for messages. Throws when it is no UTF-8 text.
    public init(
        name: String, bytes: [UInt8], separator: Character = ",", hasHeadLine: Bool = true
    ) throws(CSVFault) {
        try self.init(name, bytes, separator, hasHeadLine, nil)
    }

    /// Likewise a file of which only a part is in memory at a time. It is checked as it is read: see ``next()``.
    public init(
        name: String, separator: Character = ",", hasHeadLine: Bool = true, source: @escaping Source
    ) throws(CSVFault) {
        try self.init(name, [], separator, hasHeadLine, source)
    }

    private init(
        _ name: String, _ bytes: [UInt8], _ separator: Character, _ hasHeadLine: Bool, _ source: Source?
    ) throws(CSVFault) {
        self.name = name
        self.separator = separator.asciiValue ?? UInt8(ascii: ",")
        self.source = source
        isPart = source != nil
        window = bytes
        if source == nil { try check(isWhole: true) }
        while self.source != nil, window.count < 3 { try readOn() }
        if window.starts(with: [0xEF, 0xBB, 0xBF]) { nextRow = 3 }
        guard hasHeadLine, try next() else { return }
        guard fieldCount <= Self.mostColumns else { throw tooWide("the head line has \(fieldCount)") }
        head = fields.indices.map { text($0) }
        columns = Dictionary(head.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The column of that name; the first, if there are several.
    public func column(_ name: String) -> Column { Column(at: columns[name] ?? -1) }

    /// Goes to the next row that is not empty; false at the end. Throws when what is read now is no UTF-8 text, or can't be
    /// read, and where a file that is read on the way has a row of more than ``mostColumns``.
    public mutating func next() throws(CSVFault) -> Bool {
        while try readRow() {
            if fields.count > 1 || !fields[0].range.isEmpty { return true }
        }
        return false
    }

    /// Likewise in a file that was in memory from the beginning, and so is known to be text.
    public mutating func readNext() -> Bool {
        precondition(source == nil, "what is read on the way may fail")
        return (try? next()) ?? false
    }

    /// How many fields the present row has. There are no values of those beyond ``mostColumns``.
    public private(set) var fieldCount = 0

    /// The present row's value, trimmed; empty when the column or the value is missing.
    public func text(_ column: Column) -> String { text(column.index) }

    /// The same as it stands in the file: a quote within quotes is still doubled.
    public func bytes(_ column: Column) -> ArraySlice<UInt8> {
        fields.indices.contains(column.index) ? window[fields[column.index].range] : []
    }

    /// Likewise without keeping hold of the file, for what is asked millions of times.
    @inlinable public func withBytes<Result>(_ column: Column, _ read: (Span<UInt8>) -> Result) -> Result {
        let index = column.index
        let range = index >= 0 && index < fields.count ? fields[index].range : 0..<0
        return read(window.span.extracting(range))
    }

    /// Whether the present row's value stands there as these bytes.
    public func has(_ column: Column, _ value: [UInt8]) -> Bool {
        withBytes(column) { bytes in
            guard bytes.count == value.count else { return false }
            for index in value.indices where bytes[index] != value[index] { return false }
            return true
        }
    }

    /// Whether the present row has no value there.
    public func isEmpty(_ column: Column) -> Bool {
        !fields.indices.contains(column.index) || fields[column.index].range.isEmpty
    }

    /// Nil when there is no whole number.
    public func integer(_ column: Column) -> Int? {
        guard !isEmpty(column) else { return nil }
        return CSVNumber.digits(window, fields[column.index].range) ?? Int(text(column))
    }

    /// Nil when there is no finite decimal number: of hexadecimal ones no table's form knows.
    public func double(_ column: Column) -> Double? {
        guard !isEmpty(column) else { return nil }
        if let value = CSVNumber.decimal(window, fields[column.index].range) { return value }
        let text = text(column)
        guard !text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "x") }), let value = Double(text), value.isFinite
        else { return nil }
        return value
    }

    private func text(_ index: Int) -> String {
        guard fields.indices.contains(index) else { return "" }
        let (range, hasQuotes) = fields[index]
        guard hasQuotes else { return String(decoding: window[range], as: UTF8.self) }
        var text: [UInt8] = []
        var isAfterQuote = false
        for byte in window[range] {
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

    /// At least one field, unless it is the end.
    private mutating func readRow() throws(CSVFault) -> Bool {
        line = nextLine
        while true {
            fields.removeAll(keepingCapacity: true)
            nextLine = line
            let end = parseRow()
            // Its end may be far off.
            if isPart, fieldCount > Self.mostColumns { throw tooWide("there are more than \(Self.mostColumns)") }
            // What ends with the window may go on behind it, if only with the second half of an end of line.
            if end < window.count || source == nil {
                nextRow = end
                return !fields.isEmpty
            }
            try readOn()
        }
    }

    private func tooWide(_ what: String) -> CSVFault {
        CSVFault(file: name, line: line, message: "\(what) columns; a table may have \(Self.mostColumns)")
    }

    /// The fields of the row that begins at `nextRow`; answers where the one after it begins. Of a file that is read on the way it stops
    /// at the first field too many.
    private mutating func parseRow() -> Int {
        openQuote = nil
        fieldCount = 0
        guard nextRow < window.count else { return nextRow }
        return window.withUnsafeBufferPointer { bytes in
            var index = nextRow
            while true {
                let first = nextLine
                let field = Self.field(in: bytes, from: index, separator, &nextLine)
                if !field.isClosed { openQuote = first }
                fieldCount += 1
                if fieldCount <= Self.mostColumns {
                    fields.append((field.range, field.hasQuotes))
                } else if isPart {
                    return field.end
                }
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
    }

    /// Lets go what is read, and reads as much again as is left: a long row is looked through twice, and not once more for
    /// each part of it.
    private mutating func readOn() throws(CSVFault) {
        guard let source else { return }
        window.removeSubrange(..<nextRow)
        checked -= nextRow
        nextRow = 0
        let wanted = window.count * 2
        repeat {
            guard try source(&window) else {
                self.source = nil
                return try check(isWhole: true)
            }
        } while window.count < wanted
        try check(isWhole: false)
    }

    /// Whether what is new in the window is text. A character at its end may not be whole yet.
    private mutating func check(isWhole: Bool) throws(CSVFault) {
        var end = window.count
        if !isWhole {
            // Up to three bytes that begin a character of more.
            for back in 1...3 where back <= end - checked {
                let byte = window[end - back]
                guard byte >= 0x80 else { break }
                guard byte >= 0xC0 else { continue }
                let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
                if length > back { end -= back }
                break
            }
        }
        let range = checked..<end
        // The least byte, without a way out: so it is done for many at once.
        let least = window[range].withUnsafeBufferPointer { $0.reduce(UInt8.max) { min($0, $1) } }
        do { _ = try UTF8Span(validating: window.span.extracting(range)) } catch {
            throw CSVFault(
                file: name, line: max(1, line) + Self.goodLines(window[nextRow..<end]),
                message: "this is not UTF-8 text; save the file as UTF-8")
        }
        guard range.isEmpty || least > 0 else {
            throw CSVFault(file: name, message: "there are zero bytes in it; save the file as UTF-8")
        }
        checked = end
    }

    /// A field's value, trimmed, and where what ends it stands.
    private static func field(
        in bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ separator: UInt8, _ line: inout Int
    ) -> (range: Range<Int>, hasQuotes: Bool, isClosed: Bool, end: Int) {
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
            return (low..<high, hasQuotes, index < bytes.count, end)
        }
        var end = first
        while end < bytes.count, !isEnd(end) { end += 1 }
        var high = end
        while high > first, isBlank(high - 1) { high -= 1 }
        return (first..<high, false, true, end)
    }

    /// How many lines there are before the one that is no text.
    private static func goodLines(_ bytes: ArraySlice<UInt8>) -> Int {
        let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        return lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
    }
}
