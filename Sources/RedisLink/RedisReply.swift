/// An answer of Redis (RESP2).
public enum RedisReply: Equatable, Sendable {
    case null
    case integer(Int64)
    /// A bulk string: any bytes.
    case string([UInt8])
    /// A simple string, such as `OK`.
    case status([UInt8])
    case array([RedisReply])
    /// An error within an array, as EXEC answers; an error by itself is `RedisFailure.server`.
    case error(String)
}

extension RedisReply {
    public var isNull: Bool { self == .null }

    /// The bytes of a string or status.
    public var bytes: [UInt8]? {
        switch self {
        case .string(let bytes), .status(let bytes): bytes
        default: nil
        }
    }

    /// A string or status as text (what isn't UTF-8 is replaced), or an integer as digits.
    public var text: String? {
        switch self {
        case .string(let bytes), .status(let bytes): String(decoding: bytes, as: UTF8.self)
        case .integer(let value): String(value)
        default: nil
        }
    }

    /// An integer, or a string that is one.
    public var int: Int64? {
        switch self {
        case .integer(let value): value
        case .string(let bytes), .status(let bytes): Int64(String(decoding: bytes, as: UTF8.self))
        default: nil
        }
    }

    /// A number, which Redis sends as a string unless it is whole.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .string(let bytes), .status(let bytes): Double(String(decoding: bytes, as: UTF8.self))
        default: nil
        }
    }

    public var array: [RedisReply]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The element at `index` of an array; null when this is no array or it has no such element.
    public subscript(index: Int) -> RedisReply {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return .null }
        return elements[index]
    }

    /// The value after the name `field` in a flat array of names and values (HGETALL, the fields of XRANGE); null if none.
    public subscript(field: String) -> RedisReply {
        guard case .array(let elements) = self else { return .null }
        for index in stride(from: 0, to: elements.count - 1, by: 2)
        where elements[index].bytes?.elementsEqual(field.utf8) == true {
            return elements[index + 1]
        }
        return .null
    }
}

extension [UInt8] {
    init(ascii text: StaticString) {
        self = text.withUTF8Buffer { Array($0) }
    }
}
