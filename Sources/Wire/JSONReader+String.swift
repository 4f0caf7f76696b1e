/// Where a string stands in the bytes of a `JSONReader`: between its quotes, escapes not yet resolved.
public struct JSONStringToken: Sendable {
    let start: Int
    let end: Int
    let hasEscapes: Bool
}

extension JSONReader {
    /// Reads a string and checks it wholly: control characters, escapes, surrogate pairs, UTF-8.
    public mutating func string() throws(WireError) -> JSONStringToken {
        guard try kind() == .string else { throw WireError(.wrongKind, at: offset) }
        let start = offset + 1
        var index = start
        var hasEscapes = false
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                offset = index + 1
                return JSONStringToken(start: start, end: index, hasEscapes: hasEscapes)
            } else if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                index = try endOfEscape(at: index)
            } else if byte < 0x20 {
                throw WireError(.controlCharacter, at: index)
            } else if byte < 0x80 {
                index += 1
            } else {
                index = try endOfScalar(at: index)
            }
        }
        throw WireError(.unterminatedString, at: start - 1)
    }

    /// The end of the escape whose backslash is at `index`; a surrogate pair is one escape.
    private func endOfEscape(at index: Int) throws(WireError) -> Int {
        guard index + 1 < bytes.count else { throw WireError(.unexpectedEnd, at: bytes.count) }
        switch bytes[index + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return index + 2
        case UInt8(ascii: "u"):
            let unit = try unicodeEscape(at: index)
            guard unit & 0xF800 == 0xD800 else { return index + 6 }
            guard unit < 0xDC00, index + 7 < bytes.count, bytes[index + 6] == UInt8(ascii: "\\"),
                bytes[index + 7] == UInt8(ascii: "u")
            else { throw WireError(.loneSurrogate, at: index) }
            guard try unicodeEscape(at: index + 6) & 0xFC00 == 0xDC00 else {
                throw WireError(.loneSurrogate, at: index)
            }
            return index + 12
        default:
            throw WireError(.badEscape, at: index)
        }
    }

    /// The UTF-16 unit of the `\uXXXX` whose backslash is at `index`.
    private func unicodeEscape(at index: Int) throws(WireError) -> UInt32 {
        guard index + 6 <= bytes.count else { throw WireError(.badUnicodeEscape, at: index) }
        var unit: UInt32 = 0
        for position in index + 2..<index + 6 {
            let digit: UInt8
            switch bytes[position] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = bytes[position] - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = bytes[position] - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = bytes[position] - UInt8(ascii: "A") + 10
            default: throw WireError(.badUnicodeEscape, at: index)
            }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    /// The end of the UTF-8 sequence at `index`, whose first byte is not ASCII (Unicode 15, table 3-7).
    private func endOfScalar(at index: Int) throws(WireError) -> Int {
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch bytes[index] {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw WireError(.badUTF8, at: index)
        }
        guard index + length <= bytes.count, second.contains(bytes[index + 1]) else {
            throw WireError(.badUTF8, at: index)
        }
        for position in index + 2..<index + length where bytes[position] & 0xC0 != 0x80 {
            throw WireError(.badUTF8, at: index)
        }
        return index + length
    }

    /// The string as text, escapes resolved. Allocates if it has more than 15 bytes.
    public func text(_ token: JSONStringToken) -> String {
        let raw = self.raw(token)
        guard token.hasEscapes else { return String(decoding: raw, as: UTF8.self) }
        return String(unsafeUninitializedCapacity: raw.count) { buffer in
            Self.unescape(raw, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    /// Gives the string's bytes with escapes resolved, without a copy if there are none. Valid only during the call.
    func withBytes<Result>(_ token: JSONStringToken, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let raw = self.raw(token)
        guard token.hasEscapes else { return body(raw) }
        return withUnsafeTemporaryAllocation(byteCount: raw.count, alignment: 1) { buffer in
            let count = Self.unescape(raw, into: buffer)
            return body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    @inline(__always)
    private func raw(_ token: JSONStringToken) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[token.start..<token.end])
    }

    /// Writes a checked string's bytes with escapes resolved; returns how many. Never more than there were.
    private static func unescape(_ raw: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var read = 0
        var sink = ByteSink(buffer)
        while read < raw.count {
            guard raw[read] == UInt8(ascii: "\\") else {
                sink.put(raw[read])
                read += 1
                continue
            }
            switch raw[read + 1] {
            case UInt8(ascii: "b"): sink.put(0x08)
            case UInt8(ascii: "f"): sink.put(0x0C)
            case UInt8(ascii: "n"): sink.put(0x0A)
            case UInt8(ascii: "r"): sink.put(0x0D)
            case UInt8(ascii: "t"): sink.put(0x09)
            case UInt8(ascii: "u"):
                let (scalar, length) = escapedScalar(raw, at: read)
                for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { sink.put(byte) }
                read += length
                continue
            case let other: sink.put(other)
            }
            read += 2
        }
        return sink.count
    }

    /// The scalar of the checked `\u` escape (or pair of them) at `index`, and its length in bytes.
    private static func escapedScalar(_ raw: UnsafeRawBufferPointer, at index: Int) -> (Unicode.Scalar, Int) {
        let reader = JSONReader(raw)
        let replacement: Unicode.Scalar = "\u{FFFD}"
        // The string was checked when it was read, so neither fails.
        guard let high = try? reader.unicodeEscape(at: index) else { return (replacement, 6) }
        guard high & 0xFC00 == 0xD800 else { return (Unicode.Scalar(high) ?? replacement, 6) }
        guard let low = try? reader.unicodeEscape(at: index + 6) else { return (replacement, 12) }
        return (Unicode.Scalar(0x10000 + (high & 0x3FF) << 10 + (low & 0x3FF)) ?? replacement, 12)
    }
}
