/// Writes one Protocol Buffers message, field by field, into bytes.
///
/// Every field is written as it is told, also 0 and the empty text: who writes knows which of them mean absence. Fields of
/// a message may stand in any order. Not for the hot path of rows, which have a form of their own (`FeedBytes`).
public struct ProtobufWriter: Sendable {
    /// What has been written so far.
    public private(set) var bytes: [UInt8] = []

    public init() {}

    /// A field of `uint32`, `uint64` or an enumeration.
    public mutating func integer(_ field: UInt32, _ value: UInt64) {
        varint(UInt64(field) << 3)
        varint(value)
    }

    /// A field of `int32` or `int64`.
    public mutating func signed(_ field: UInt32, _ value: Int64) { integer(field, UInt64(bitPattern: value)) }

    /// A field of `sint32`.
    public mutating func zigzag(_ field: UInt32, _ value: Int32) {
        integer(field, UInt64(UInt32(bitPattern: value << 1 ^ value >> 31)))
    }

    /// A field of `bool`.
    public mutating func flag(_ field: UInt32, _ value: Bool) { integer(field, value ? 1 : 0) }

    /// A field of `double`.
    public mutating func double(_ field: UInt32, _ value: Double) {
        varint(UInt64(field) << 3 | 1)
        withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// A field of `float`.
    public mutating func float(_ field: UInt32, _ value: Float) {
        varint(UInt64(field) << 3 | 5)
        withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// A field of `string`.
    public mutating func text(_ field: UInt32, _ value: String) {
        var value = value
        value.withUTF8 { self.bytes(field, UnsafeRawBufferPointer($0)) }
    }

    /// A field of `bytes`.
    public mutating func bytes(_ field: UInt32, _ value: UnsafeRawBufferPointer) {
        varint(UInt64(field) << 3 | 2)
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// A field that is a message, whose own fields `body` writes. What was written of it stays there if `body` throws.
    public mutating func message<Failure: Error>(
        _ field: UInt32, _ body: (inout ProtobufWriter) throws(Failure) -> Void
    ) throws(Failure) {
        varint(UInt64(field) << 3 | 2)
        let start = bytes.count
        try body(&self)
        // Its length is only known now, and has one byte nearly always.
        var length = UInt64(bytes.count - start)
        var head: [UInt8] = []
        while length >= 0x80 {
            head.append(UInt8(truncatingIfNeeded: length) | 0x80)
            length >>= 7
        }
        head.append(UInt8(truncatingIfNeeded: length))
        bytes.insert(contentsOf: head, at: start)
    }

    /// Takes back what was written after there were so many bytes.
    public mutating func takeBack(to count: Int) { bytes.removeSubrange(count...) }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
