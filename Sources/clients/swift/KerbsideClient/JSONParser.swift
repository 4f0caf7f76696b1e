/// A text that is no JSON, at a byte of it.
public struct JSONError: Error, CustomStringConvertible {
    public let offset: Int
    public var description: String { "no JSON at byte \(offset)" }
}

/// Reads RFC 8259. `JSONDecoder` needs the type of a value beforehand, and a message's is known when it is read.
struct JSONParser {
    /// Arrays and objects in one another: deeper is nothing that the hub sends.
    static let deepest = 100

    private let bytes: [UInt8]
    private var at = 0
    private var depth = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func document() throws -> JSON {
        let value = try value()
        skipSpace()
        if at < bytes.count { throw error }
        return value
    }

    private var error: JSONError { JSONError(offset: at) }

    private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard next == byte else { return false }
        at += 1
        return true
    }

    private mutating func value() throws -> JSON {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try nested { try $0.object() }
        case UInt8(ascii: "["): return try nested { try $0.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func nested(_ read: (inout JSONParser) throws -> JSON) throws -> JSON {
        depth += 1
        if depth > JSONParser.deepest { throw error }
        at += 1
        let value = try read(&self)
        depth -= 1
        return value
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws -> JSON {
        for index in 0..<word.utf8CodeUnitCount {
            guard next == word.utf8Start[index] else { throw error }
            at += 1
        }
        return value
    }

    private mutating func object() throws -> JSON {
        var fields: [String: JSON] = [:]
        if take(UInt8(ascii: "}")) { return .object(fields) }
        repeat {
            skipSpace()
            let name = try string()
            guard take(UInt8(ascii: ":")) else { throw error }
            fields[name] = try value()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw error }
        return .object(fields)
    }

    private mutating func array() throws -> JSON {
        var items: [JSON] = []
        if take(UInt8(ascii: "]")) { return .array(items) }
        repeat { items.append(try value()) } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw error }
        return .array(items)
    }

    private mutating func number() throws -> JSON {
        let start = at
        var isWhole = true
        while let byte = next {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): break
            case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "+"): isWhole = false
            default: return try number(from: start, isWhole: isWhole)
            }
            at += 1
        }
        return try number(from: start, isWhole: isWhole)
    }

    private func number(from start: Int, isWhole: Bool) throws -> JSON {
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        if isWhole, let value = Int(text) { return .int(value) }
        guard let value = Double(text), value.isFinite else { throw JSONError(offset: start) }
        return .double(value)
    }

    private mutating func string() throws -> String {
        guard next == UInt8(ascii: "\"") else { throw error }
        at += 1
        var text: [UInt8] = []
        var start = at
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                text += bytes[start..<at]
                at += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                text += bytes[start..<at]
                at += 1
                text += Array(String(try escaped()).utf8)
                start = at
            case 0..<0x20: throw error
            default: at += 1
            }
        }
        throw error
    }

    private mutating func escaped() throws -> Character {
        guard let byte = next else { throw error }
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Character(Unicode.Scalar(byte))
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let first = try unit()
            guard first & 0xFC00 == 0xD800, next == UInt8(ascii: "\\") else {
                return Character(Unicode.Scalar(first) ?? "\u{FFFD}")
            }
            let before = at
            at += 1
            if next == UInt8(ascii: "u") {
                at += 1
                let second = try unit()
                if second & 0xFC00 == 0xDC00 {
                    let scalar = 0x10000 + (UInt32(first & 0x3FF) << 10) + UInt32(second & 0x3FF)
                    return Character(Unicode.Scalar(scalar) ?? "\u{FFFD}")
                }
            }
            at = before
            return "\u{FFFD}"
        default: throw error
        }
    }

    /// Four hexadecimal digits.
    private mutating func unit() throws -> UInt16 {
        guard at + 4 <= bytes.count else { throw error }
        var value: UInt16 = 0
        for byte in bytes[at..<at + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw error }
            value = value << 4 | UInt16(digit)
        }
        at += 4
        return value
    }
}
