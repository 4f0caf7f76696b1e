/// A pull reader of one JSON text (RFC 8259, strictly) over borrowed bytes: it allocates nothing.
///
/// The caller asks for what it expects: `kind()` tells what comes next; then `enterObject`, `string`, `number` and so
/// on consume it, or `skipValue` does, which checks just as strictly. Checked are grammar, UTF-8, escapes with
/// surrogate pairs, numbers and depth (`WireLimits.depth`). After the first error the reader must not be used again.
/// Not Sendable; valid as long as the bytes are.
public struct JSONReader {
    /// What comes next.
    public enum Kind: UInt8, Sendable {
        case object, array, string, number, bool, null
    }

    let bytes: UnsafeRawBufferPointer
    /// Bytes read so far.
    public internal(set) var offset = 0
    private var depth = 0
    /// A container was just opened: no comma is due before its first member.
    private var isFresh = false

    public init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    @inline(__always)
    private mutating func skipSpace() {
        while offset < bytes.count {
            let byte = bytes[offset]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            offset += 1
        }
    }

    /// The byte at `offset`, or 0 at the end: 0 stands nowhere in a JSON text, so it needs no further check.
    @inline(__always)
    private var current: UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    private func failure(_ reason: WireError.Reason) -> WireError {
        WireError(offset < bytes.count ? reason : .unexpectedEnd, at: offset)
    }

    /// Skips white space and tells the kind of the value that begins there.
    public mutating func kind() throws(WireError) -> Kind {
        skipSpace()
        switch current {
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): return .number
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"): return .null
        default:
            if depth == 0, offset == bytes.count { throw WireError(.empty, at: offset) }
            throw failure(.expectedValue)
        }
    }

    private mutating func enter(_ opening: UInt8) throws(WireError) {
        skipSpace()
        guard current == opening else { throw failure(.wrongKind) }
        guard depth < WireLimits.depth else { throw WireError(.tooDeep, at: offset) }
        depth += 1
        offset += 1
        isFresh = true
    }

    private mutating func leave() {
        depth -= 1
        offset += 1
        isFresh = false
    }

    /// Goes into an object; then `nextKey` until it gives nil.
    public mutating func enterObject() throws(WireError) { try enter(UInt8(ascii: "{")) }
    /// Goes into an array; then `nextElement` until it gives false.
    public mutating func enterArray() throws(WireError) { try enter(UInt8(ascii: "[")) }

    /// The next key of the object that was entered, with the colon behind it; nil when the object has ended.
    public mutating func nextKey() throws(WireError) -> JSONStringToken? {
        skipSpace()
        if current == UInt8(ascii: "}") {
            leave()
            return nil
        }
        if !isFresh {
            guard current == UInt8(ascii: ",") else { throw failure(.expectedCommaOrBrace) }
            offset += 1
            skipSpace()
        }
        isFresh = false
        guard current == UInt8(ascii: "\"") else { throw failure(.expectedKey) }
        let key = try string()
        skipSpace()
        guard current == UInt8(ascii: ":") else { throw failure(.expectedColon) }
        offset += 1
        return key
    }

    /// Whether the array that was entered has another element, which then comes next; false when it has ended.
    public mutating func nextElement() throws(WireError) -> Bool {
        skipSpace()
        if current == UInt8(ascii: "]") {
            leave()
            return false
        }
        if !isFresh {
            guard current == UInt8(ascii: ",") else { throw failure(.expectedCommaOrBracket) }
            offset += 1
        }
        isFresh = false
        return true
    }

    /// Reads `true` or `false`.
    public mutating func bool() throws(WireError) -> Bool {
        skipSpace()
        if current == UInt8(ascii: "t") {
            try literal("true")
            return true
        }
        try literal("false")
        return false
    }

    /// Reads `null`.
    public mutating func null() throws(WireError) {
        skipSpace()
        try literal("null")
    }

    private mutating func literal(_ text: StaticString) throws(WireError) {
        let count = text.utf8CodeUnitCount
        guard bytes.count - offset >= count,
            text ~= ByteText(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
        else { throw WireError(.badLiteral, at: offset) }
        offset += count
    }

    /// Reads over the next value, whatever it is, with every check.
    public mutating func skipValue() throws(WireError) {
        switch try kind() {
        case .object:
            try enterObject()
            while try nextKey() != nil { try skipValue() }
        case .array:
            try enterArray()
            while try nextElement() { try skipValue() }
        case .string: _ = try string()
        case .number: try skipNumber()
        case .bool: _ = try bool()
        case .null: try null()
        }
    }

    /// To be called after the outermost value: nothing but white space may follow it.
    public mutating func finish() throws(WireError) {
        skipSpace()
        guard offset == bytes.count else { throw WireError(.trailingBytes, at: offset) }
    }
}
