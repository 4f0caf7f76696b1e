/// Appends JSON to a byte buffer. Commas and colons come by themselves; keys, values and ends must come in a sensible
/// order, which is not checked. A value that JSON doesn't have (NaN, infinity) is written as `null`, so that the text
/// is always valid. Without Strings on the way, and numbers by integer arithmetic.
public struct JSONWriter {
    /// What was written.
    public internal(set) var bytes: [UInt8]
    /// A value stands before, in the same container.
    private var needsComma = false

    /// A writer that begins with an empty buffer of this capacity.
    public init(capacity: Int = 128) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Forgets what was written and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    @inline(__always)
    mutating func beginValue() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func open(_ byte: UInt8) {
        beginValue()
        bytes.append(byte)
        needsComma = false
    }

    private mutating func close(_ byte: UInt8) {
        bytes.append(byte)
        needsComma = true
    }

    public mutating func beginObject() { open(UInt8(ascii: "{")) }
    public mutating func endObject() { close(UInt8(ascii: "}")) }
    public mutating func beginArray() { open(UInt8(ascii: "[")) }
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// A key known when this was compiled, which must have nothing to escape. The value comes next.
    public mutating func key(_ name: StaticString) {
        beginValue()
        bytes.append(UInt8(ascii: "\""))
        append(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Any key. The value comes next.
    public mutating func key(escaping name: String) {
        string(name)
        endKey()
    }

    mutating func endKey() {
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    public mutating func null() {
        beginValue()
        append("null")
    }

    public mutating func bool(_ value: Bool) {
        beginValue()
        append(value ? "true" : "false")
    }

    /// Bytes that are one JSON value already.
    public mutating func raw(_ json: [UInt8]) {
        beginValue()
        bytes.append(contentsOf: json)
    }

    /// Bytes that are one JSON value already.
    public mutating func raw(_ json: UnsafeRawBufferPointer) {
        beginValue()
        bytes.append(contentsOf: json)
    }

    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .number(let value): double(value)
        case .string(let value): string(value)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let object):
            beginObject()
            for (key, value) in object {
                self.key(escaping: key)
                self.value(value)
            }
            endObject()
        }
    }

    mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

/// Key and value in one call.
extension JSONWriter {
    public mutating func member(_ name: StaticString, _ value: String) {
        key(name)
        string(value)
    }

    public mutating func member(_ name: StaticString, _ value: Int64) {
        key(name)
        integer(value)
    }

    public mutating func member(_ name: StaticString, _ value: Int) {
        key(name)
        integer(Int64(value))
    }

    public mutating func member(_ name: StaticString, _ value: Double) {
        key(name)
        double(value)
    }

    public mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        bool(value)
    }

    public mutating func member(_ name: StaticString, _ value: JSONValue) {
        key(name)
        self.value(value)
    }
}
