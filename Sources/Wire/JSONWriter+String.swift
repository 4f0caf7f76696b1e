extension JSONWriter {
    /// A string, escaped where JSON requires it.
    public mutating func string(_ text: String) {
        beginValue()
        var text = text
        text.withUTF8 { appendQuoted($0) }
    }

    /// A string given as bytes; what is not UTF-8 becomes U+FFFD.
    public mutating func string(utf8 text: UnsafeRawBufferPointer) {
        string(String(decoding: text, as: UTF8.self))
    }

    /// A string given as bytes that are known to be UTF-8: no String is made.
    public mutating func string(checkedUTF8 text: UnsafeRawBufferPointer) {
        beginValue()
        text.withMemoryRebound(to: UInt8.self) { appendQuoted($0) }
    }

    /// A key given as bytes that are known to be UTF-8. The value comes next.
    public mutating func key(checkedUTF8 name: UnsafeRawBufferPointer) {
        string(checkedUTF8: name)
        endKey()
    }

    /// Appends runs that need no escape in one go.
    private mutating func appendQuoted(_ text: UnsafeBufferPointer<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        var run = 0
        for index in 0..<text.count {
            let byte = text[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[run..<index]))
            appendEscape(of: byte)
            run = index + 1
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[run...]))
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendEscape(of byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x08: append("\\b")
        case 0x0C: append("\\f")
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        default:
            append("\\u00")
            bytes.append(hexadecimal(byte >> 4))
            bytes.append(hexadecimal(byte & 0xF))
        }
    }

    private func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }
}
