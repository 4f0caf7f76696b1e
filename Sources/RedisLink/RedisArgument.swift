/// One argument of a command: any bytes.
public struct RedisArgument: Sendable {
    enum Storage {
        case bytes([UInt8])
        case text(String)
        case integer(Int64)
    }

    let storage: Storage

    public init(_ bytes: [UInt8]) { storage = .bytes(bytes) }

    /// Copies the bytes.
    public init(_ bytes: UnsafeRawBufferPointer) { storage = .bytes([UInt8](bytes)) }

    public init(_ text: String) { storage = .text(text) }

    public init(_ value: Int64) { storage = .integer(value) }

    public init(_ value: Int) { storage = .integer(Int64(value)) }

    /// The shortest digits that read back as the same value; infinities as `inf` and `-inf`.
    public init(_ value: Double) { storage = .text(value.description) }
}

extension RedisArgument: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { self.init(value) }
}

extension RedisArgument: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self.init(value) }
}

extension RedisArgument: ExpressibleByFloatLiteral {
    public init(floatLiteral value: Double) { self.init(value) }
}
