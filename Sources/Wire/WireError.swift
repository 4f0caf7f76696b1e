/// Why a JSON text was refused, and where. The one error that this module throws for bytes that can't be read.
///
/// `offset` counts bytes from 0. `line` and `column` count from 1, columns in characters; they are 0 when the error
/// comes from `JSONReader` itself, which doesn't look back to count them.
public struct WireError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The closed list of reasons; the raw value is the sentence for people.
    public enum Reason: String, Sendable, CaseIterable {
        case empty = "the text is empty"
        case unexpectedEnd = "the text ends before the value does"
        case expectedValue = "expected a value"
        case expectedKey = "expected a key in double quotes"
        case expectedColon = "expected a `:` after the key"
        case expectedCommaOrBrace = "expected a `,` or a `}`"
        case expectedCommaOrBracket = "expected a `,` or a `]`"
        case badLiteral = "expected `true`, `false` or `null`"
        case badNumber = "not a number as JSON writes them"
        case numberTooLarge = "the number is too large"
        case unterminatedString = "the string has no closing quote"
        case controlCharacter = "a control character in a string must be escaped"
        case badEscape = "unknown escape in a string"
        case badUnicodeEscape = "`\\u` must be followed by four hexadecimal digits"
        case loneSurrogate = "half of a surrogate pair"
        case badUTF8 = "the bytes are not UTF-8"
        case tooDeep = "nested deeper than 32 levels"
        case tooManyMembers = "more than 64 members in one object"
        case trailingBytes = "something follows the value"
        case wrongKind = "the value is of another kind"
        case notAnObject = "expected one JSON object"
        case notAServerMessage = "not a message of the hub"
    }

    public let reason: Reason
    public let offset: Int
    public internal(set) var line = 0
    public internal(set) var column = 0

    init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// For people: "line 3, column 7: expected a `:` after the key", or with the byte when lines were not counted.
    public var description: String {
        line > 0
            ? "line \(line), column \(column): \(reason.rawValue)"
            : "byte \(offset): \(reason.rawValue)"
    }

    /// The same error with line and column counted in the text it came from.
    func located(in bytes: UnsafeRawBufferPointer) -> WireError {
        var located = self
        located.line = 1
        located.column = 1
        for byte in bytes.prefix(offset) {
            if byte == UInt8(ascii: "\n") {
                located.line += 1
                located.column = 1
            } else if byte & 0xC0 != 0x80 {
                located.column += 1
            }
        }
        return located
    }
}
