/// Walks through a piece of XML and gives its elements and texts: enough for GPX. Comments, processing instructions and
/// the document type are passed over, prefixes of names are cut off, and only the five own entities and numbers are known
/// (so nothing can be expanded without end).
struct XMLScanner {
    enum Token: Equatable {
        case open(String, [String: [UInt8]])
        case close(String)
        case text([UInt8])
    }

    private let bytes: [UInt8]
    private var at = 0
    private var pendingClose: String?
    /// The line that was reached, from 1.
    private(set) var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    }

    /// Nil at the end.
    mutating func next() throws(TraceError) -> Token? {
        if let name = pendingClose {
            pendingClose = nil
            return .close(name)
        }
        while at < bytes.count {
            if bytes[at] != Self.less { return .text(try text()) }
            if starts("<!--") {
                try skip(past: "-->")
            } else if starts("<![CDATA[") {
                return .text(try characterData())
            } else if starts("<?") {
                try skip(past: "?>")
            } else if starts("<!") {
                try skip(past: ">")
            } else if starts("</") {
                advance(2)
                let name = try self.name()
                skipSpace()
                try expect(Self.greater, "\">\" after </\(name)")
                return .close(name)
            } else {
                return try element()
            }
        }
        return nil
    }

    private mutating func element() throws(TraceError) -> Token {
        advance(1)
        let name = try self.name()
        var attributes: [String: [UInt8]] = [:]
        while true {
            skipSpace()
            guard at < bytes.count else { throw error("the file ends inside <\(name)>") }
            if bytes[at] == Self.greater {
                advance(1)
                return .open(name, attributes)
            }
            if starts("/>") {
                advance(2)
                pendingClose = name
                return .open(name, attributes)
            }
            let attribute = try self.name()
            skipSpace()
            try expect(UInt8(ascii: "="), "\"=\" after \(attribute)")
            skipSpace()
            attributes[attribute] = try quoted(attribute)
        }
    }

    private mutating func quoted(_ attribute: String) throws(TraceError) -> [UInt8] {
        guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") || bytes[at] == UInt8(ascii: "'") else {
            throw error("the value of \(attribute) needs quotes")
        }
        let quote = bytes[at]
        advance(1)
        let start = at
        while at < bytes.count, bytes[at] != quote { advance(1) }
        guard at < bytes.count else { throw error("the value of \(attribute) has no end") }
        let raw = bytes[start..<at]
        advance(1)
        return try unescaped(raw)
    }

    private mutating func text() throws(TraceError) -> [UInt8] {
        let start = at
        while at < bytes.count, bytes[at] != Self.less { advance(1) }
        return try unescaped(bytes[start..<at])
    }

    private mutating func characterData() throws(TraceError) -> [UInt8] {
        advance(9)
        let start = at
        while at < bytes.count, !starts("]]>") { advance(1) }
        guard at < bytes.count else { throw error("a CDATA section has no end") }
        defer { advance(3) }
        return Array(bytes[start..<at])
    }

    private func unescaped(_ raw: ArraySlice<UInt8>) throws(TraceError) -> [UInt8] {
        guard raw.contains(UInt8(ascii: "&")) else { return Array(raw) }
        var result: [UInt8] = []
        var rest = raw
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "&") else {
                result.append(byte)
                continue
            }
            guard let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let character = Self.entity(rest[rest.startIndex..<end].text)
            else { throw error("\"&\" begins no entity that is known") }
            result += Array(String(character).utf8)
            rest = rest[(end + 1)...]
        }
        return result
    }

    private static func entity(_ name: String) -> Character? {
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.hasPrefix("#") else { return nil }
            let code = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
            return code.flatMap(Unicode.Scalar.init).map(Character.init)
        }
    }

    /// The name without its prefix.
    private mutating func name() throws(TraceError) -> String {
        let start = at
        while at < bytes.count, Self.isNameByte(bytes[at]) { advance(1) }
        guard at > start else { throw error("expected a name after \"<\"") }
        let name = bytes[start..<at]
        guard let colon = name.lastIndex(of: UInt8(ascii: ":")) else { return name.text }
        return name[(colon + 1)...].text
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: ":"), 0x80...0xFF:
            true
        default: false
        }
    }

    private mutating func skip(past end: String) throws(TraceError) {
        while at < bytes.count, !starts(end) { advance(1) }
        guard at < bytes.count else { throw error("expected \"\(end)\" before the end of the file") }
        advance(end.utf8.count)
    }

    private mutating func skipSpace() {
        while at < bytes.count, bytes[at] <= 0x20 { advance(1) }
    }

    private mutating func expect(_ byte: UInt8, _ what: String) throws(TraceError) {
        guard at < bytes.count, bytes[at] == byte else { throw error("expected \(what)") }
        advance(1)
    }

    private func starts(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { wanted in bytes[at...].starts(with: wanted) }
    }

    private func starts(_ text: String) -> Bool { bytes[at...].starts(with: text.utf8) }

    private mutating func advance(_ count: Int) {
        for _ in 0..<count where at < bytes.count {
            if bytes[at] == 0x0A { line += 1 }
            at += 1
        }
    }

    private func error(_ message: String) -> TraceError { TraceError(line: line, message: message) }

    private static let less = UInt8(ascii: "<")
    private static let greater = UInt8(ascii: ">")
}
