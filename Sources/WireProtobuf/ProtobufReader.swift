/// Why bytes are not a message of kerbside.proto, and of which field that was found.
struct ProtobufFault: Error {
    /// The closed list of reasons; the raw value is the sentence for people.
    enum Reason: String {
        case unexpectedEnd = "the bytes end before the field does"
        case longNumber = "a number of more than 64 bits"
        case badFieldNumber = "a field number that there can't be"
        case badWireType = "a wire type that is not used"
        case wrongWireType = "the field is of another type"
        case badUTF8 = "the text is not UTF-8"
        case notFinite = "the number is not finite"
        case badJSON = "the bytes are not one JSON value"
        case tooManyFields = "more than 256 fields"
        case tooLong = "what it says takes more than twice its bytes and 4 KiB as JSON"
    }

    var reason: Reason
    /// Bytes before the place.
    var offset: Int
    /// The field as kerbside.proto names it, if it was known.
    var field: String?

    /// The same fault of a field within that one.
    func within(_ outer: String) -> ProtobufFault {
        ProtobufFault(reason: reason, offset: offset, field: field.map { "\(outer).\($0)" })
    }
}

/// How a field's value is written.
enum ProtobufWireType: UInt8 {
    case varint = 0
    case fixed64 = 1
    case bytes = 2
    case fixed32 = 5
}

/// A pull reader of one Protocol Buffers message over borrowed bytes: it allocates nothing, and no bytes make it trap.
/// Groups, which proto3 does not have, are refused. Not Sendable; valid as long as the bytes are.
struct ProtobufReader {
    private let bytes: UnsafeRawBufferPointer
    /// Where the bytes stand in the whole message, for faults.
    private let base: Int
    private(set) var offset = 0
    /// The type of the field whose tag was read last.
    private var type = ProtobufWireType.varint

    init(_ bytes: UnsafeRawBufferPointer, base: Int = 0) {
        self.bytes = bytes
        self.base = base
    }

    /// A fault at the present place.
    func fault(_ reason: ProtobufFault.Reason, _ field: String? = nil) -> ProtobufFault {
        ProtobufFault(reason: reason, offset: base + offset, field: field)
    }

    /// The number of the next field, whose value must then be read or skipped; nil at the end.
    mutating func nextField() throws(ProtobufFault) -> UInt32? {
        guard offset < bytes.count else { return nil }
        let start = offset
        let tag = try varint()
        guard tag >> 3 > 0, tag >> 3 < 1 << 29 else {
            offset = start
            throw fault(.badFieldNumber)
        }
        guard let type = ProtobufWireType(rawValue: UInt8(tag & 7)) else {
            offset = start
            throw fault(.badWireType)
        }
        self.type = type
        return UInt32(tag >> 3)
    }

    /// Reads over the value.
    mutating func skip() throws(ProtobufFault) {
        switch type {
        case .varint: _ = try varint()
        case .fixed64: try advance(8)
        case .fixed32: try advance(4)
        case .bytes: _ = try slice()
        }
    }

    /// The value as a whole number.
    mutating func integer(_ field: String) throws(ProtobufFault) -> UInt64 {
        guard type == .varint else { throw fault(.wrongWireType, field) }
        return try varint()
    }

    /// The value as a double.
    mutating func double(_ field: String) throws(ProtobufFault) -> Double {
        guard type == .fixed64 else { throw fault(.wrongWireType, field) }
        let start = offset
        try advance(8)
        let pattern = bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
        let value = Double(bitPattern: UInt64(littleEndian: pattern))
        guard value.isFinite else { throw fault(.notFinite, field) }
        return value
    }

    /// The value as bytes. Valid as long as the message is.
    mutating func bytes(_ field: String) throws(ProtobufFault) -> UnsafeRawBufferPointer {
        guard type == .bytes else { throw fault(.wrongWireType, field) }
        return try slice()
    }

    /// The value as bytes that are UTF-8. Valid as long as the message is.
    mutating func text(_ field: String) throws(ProtobufFault) -> UnsafeRawBufferPointer {
        let text = try bytes(field)
        guard Self.isUTF8(text) else { throw fault(.badUTF8, field) }
        return text
    }

    /// The value as a message of its own.
    mutating func message(_ field: String) throws(ProtobufFault) -> ProtobufReader {
        let message = try bytes(field)
        return ProtobufReader(message, base: base + offset - message.count)
    }

    private mutating func varint() throws(ProtobufFault) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count {
            let byte = bytes[offset]
            // The tenth byte has room for one bit.
            guard shift < 63 || byte <= 1 else { throw fault(.longNumber) }
            value |= UInt64(byte & 0x7F) << shift
            offset += 1
            if byte < 0x80 { return value }
            shift += 7
        }
        throw fault(.unexpectedEnd)
    }

    private mutating func slice() throws(ProtobufFault) -> UnsafeRawBufferPointer {
        let count = try varint()
        guard count <= UInt64(bytes.count - offset) else { throw fault(.unexpectedEnd) }
        let start = offset
        offset += Int(count)
        return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    }

    private mutating func advance(_ count: Int) throws(ProtobufFault) {
        guard bytes.count - offset >= count else { throw fault(.unexpectedEnd) }
        offset += count
    }

    /// Texts are ASCII nearly always, which costs no memory to see.
    private static func isUTF8(_ text: UnsafeRawBufferPointer) -> Bool {
        if text.allSatisfy({ $0 < 0x80 }) { return true }
        return String(validating: text, as: UTF8.self) != nil
    }
}
