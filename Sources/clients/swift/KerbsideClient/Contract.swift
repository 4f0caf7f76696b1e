// What the types of the contract (the folder Messages) are. They are read from JSON and written to it without `Codable`, whose
// code for so many types takes minutes to compile.

/// What is made of JSON.
public protocol Readable {
    /// Throws `Unreadable` where it is something else. Fields that nobody knows are left out.
    init(_ json: JSON) throws
}

/// What becomes JSON.
public protocol Writable {
    var json: JSON { get }
}

/// The `data` of a message.
public protocol Event: Told, Readable {}

extension Event {
    public static func read(_ told: any Sendable) throws -> Self {
        guard let message = told as? Message else { throw Misuse(reason: "\(told) is no message") }
        return try Self(message.data)
    }
}

/// The fields of a command.
public protocol Command: Sendable {
    associatedtype Reply: Readable & Sendable
    static var name: String { get }
    var fields: [String: JSON] { get }
}

/// A part of what is sent.
public protocol Part: Readable, Writable, Sendable {
    var fields: [String: JSON] { get }
}

extension Part {
    public var json: JSON { .object(fields) }
}

/// One of a list of words, which may become longer: a `switch` needs a `default`.
public protocol Word: Readable, Writable, Sendable, Equatable, ExpressibleByStringLiteral {
    var rawValue: String { get }
    init(rawValue: String)
}

extension Word {
    public var json: JSON { .string(rawValue) }

    public init(_ json: JSON) throws {
        self.init(rawValue: try String(json))
    }

    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

/// Of a command's field that may be left out, or be null, which means something else.
public enum OrNull<Value: Readable & Writable & Sendable>: Readable, Writable, Sendable {
    case null
    case value(Value)

    public init(_ json: JSON) throws {
        self = json == .null ? .null : .value(try Value(json))
    }

    public var json: JSON {
        if case .value(let value) = self { value.json } else { .null }
    }
}

/// What came is not what the contract says.
public struct Unreadable: Error, CustomStringConvertible {
    /// Names of fields, from the outermost one on.
    public let path: [String]
    public let reason: String
    public var description: String { (path.isEmpty ? "" : path.joined(separator: ".") + ": ") + reason }

    init(_ json: JSON, isNo type: String) {
        path = []
        reason = "\(json.text.prefix(100)) is no \(type)"
    }

    init(_ path: [String], _ reason: String) {
        self.path = path
        self.reason = reason
    }

    fileprivate func within(_ name: String) -> Unreadable {
        Unreadable([name] + path, reason)
    }
}

extension JSON {
    /// A field that has to be there.
    func field<Value: Readable>(_ name: String) throws -> Value {
        guard let value: Value = try maybe(name) else { throw Unreadable([name], "is missing") }
        return value
    }

    /// A field that may be missing, or null.
    func maybe<Value: Readable>(_ name: String) throws -> Value? {
        guard case .object(let fields) = self else { throw Unreadable(self, isNo: "object") }
        guard let json = fields[name], json != .null else { return nil }
        do {
            return try Value(json)
        } catch let error as Unreadable {
            throw error.within(name)
        }
    }
}

extension JSON: Readable, Writable {
    public init(_ json: JSON) { self = json }
    public var json: JSON { self }
}

extension String: Readable, Writable {
    public init(_ json: JSON) throws {
        guard let text = json.string else { throw Unreadable(json, isNo: "text") }
        self = text
    }

    public var json: JSON { .string(self) }
}

extension Int: Readable, Writable {
    public init(_ json: JSON) throws {
        guard let number = json.int else { throw Unreadable(json, isNo: "whole number") }
        self = number
    }

    public var json: JSON { .int(self) }
}

extension Double: Readable, Writable {
    public init(_ json: JSON) throws {
        guard let number = json.double else { throw Unreadable(json, isNo: "number") }
        self = number
    }

    public var json: JSON { .double(self) }
}

extension Bool: Readable, Writable {
    public init(_ json: JSON) throws {
        guard let value = json.bool else { throw Unreadable(json, isNo: "truth value") }
        self = value
    }

    public var json: JSON { .bool(self) }
}

extension Optional: Readable where Wrapped: Readable {
    public init(_ json: JSON) throws {
        self = json == .null ? nil : try Wrapped(json)
    }
}

extension Optional: Writable where Wrapped: Writable {
    public var json: JSON { self?.json ?? .null }
}

extension Array: Readable where Element: Readable {
    public init(_ json: JSON) throws {
        guard let items = json.array else { throw Unreadable(json, isNo: "array") }
        self = try items.map { try Element($0) }
    }
}

extension Array: Writable where Element: Writable {
    public var json: JSON { .array(map(\.json)) }
}

extension Dictionary: Readable where Key == String, Value: Readable {
    public init(_ json: JSON) throws {
        guard let fields = json.object else { throw Unreadable(json, isNo: "object") }
        self = try fields.mapValues { try Value($0) }
    }
}

extension Dictionary: Writable where Key == String, Value: Writable {
    public var json: JSON { .object(mapValues(\.json)) }
}
