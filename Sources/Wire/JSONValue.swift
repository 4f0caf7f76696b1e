/// A JSON value as a small tree: for start-up files, tests and clients. Messages on the hub's path are read with
/// `decode` and written with `JSONWriter` instead.
public enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    /// Whole numbers are exact up to 2^53 - 1.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    public var isNull: Bool { self == .null }

    public var boolean: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    public var double: Double? {
        if case .number(let value) = self { value } else { nil }
    }

    /// The number if it is a whole one and known exactly: within ±(2^53 - 1).
    public var integer: Int64? {
        guard case .number(let value) = self, let whole = Int64(exactly: value) else { return nil }
        return whole.magnitude <= WireLimits.largestInteger.magnitude ? whole : nil
    }

    public var text: String? {
        if case .string(let value) = self { value } else { nil }
    }

    public var elements: [JSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    public var members: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The member of an object; nil if this is no object or has no such key.
    public subscript(key: String) -> JSONValue? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    /// The element of an array; nil if this is no array or is shorter.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let values) = self, values.indices.contains(index) else { return nil }
        return values[index]
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int) { self = .number(Double(value)) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (key, value) in elements { object[key] = value }
        self = .object(object)
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as JSON text, without white space.
    public func serialized() -> [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }

    public var description: String { String(decoding: serialized(), as: UTF8.self) }
}
