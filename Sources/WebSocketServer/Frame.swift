/// A complete unmasked WebSocket frame, header and payload, as it goes over the wire of a server.
///
/// Encoded once and shared: giving it to one more reader costs a reference.
public struct Frame: Sendable {
    /// Header and payload.
    public let bytes: [UInt8]

    /// Bytes on the wire.
    public var count: Int { bytes.count }

    /// Takes finished bytes over as they are: header and unmasked payload of one message.
    public init(encoded bytes: [UInt8]) { self.bytes = bytes }

    /// A whole text message. The payload must be UTF-8; it is not checked here.
    public static func text(_ payload: [UInt8]) -> Frame {
        payload.withUnsafeBytes { Frame(.text, $0) }
    }

    public static func text(_ payload: UnsafeRawBufferPointer) -> Frame { Frame(.text, payload) }

    public static func text(_ payload: String) -> Frame { text(Array(payload.utf8)) }

    /// A whole binary message.
    public static func binary(_ payload: [UInt8]) -> Frame {
        payload.withUnsafeBytes { Frame(.binary, $0) }
    }

    public static func binary(_ payload: UnsafeRawBufferPointer) -> Frame { Frame(.binary, payload) }

    /// At most 125 bytes of payload; more are cut off.
    public static func ping(_ payload: [UInt8] = []) -> Frame {
        payload.withUnsafeBytes { Frame(.ping, UnsafeRawBufferPointer(rebasing: $0.prefix(125))) }
    }

    static func pong(_ payload: UnsafeRawBufferPointer) -> Frame { Frame(.pong, payload) }

    /// A close frame; `code` nil sends none. The reason is cut at 123 bytes, between characters.
    static func close(_ code: UInt16?, _ reason: String = "") -> Frame {
        guard let code else { return Frame(.close, UnsafeRawBufferPointer(start: nil, count: 0)) }
        var payload = [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)]
        for character in reason {
            guard payload.count + character.utf8.count <= 125 else { break }
            payload.append(contentsOf: character.utf8)
        }
        return payload.withUnsafeBytes { Frame(.close, $0) }
    }

    init(_ opcode: Opcode, _ payload: UnsafeRawBufferPointer) {
        let header = payload.count < 126 ? 2 : payload.count < 65_536 ? 4 : 10
        bytes = [UInt8](unsafeUninitializedCapacity: header + payload.count) { buffer, count in
            let start = UnsafeMutableRawPointer(buffer.baseAddress!)
            FrameHeader.write(opcode, payloadCount: payload.count, isMasked: false, to: start)
            if let source = payload.baseAddress { (start + header).copyMemory(from: source, byteCount: payload.count) }
            count = header + payload.count
        }
    }
}

/// The opcodes of RFC 6455 5.2; the others are reserved.
enum Opcode: UInt8 {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    var isControl: Bool { rawValue & 0x8 != 0 }
}

enum FrameHeader {
    /// Writes the header of an unfragmented frame, without the masking key. Returns its size: 2, 4 or 10.
    @discardableResult
    static func write(
        _ opcode: Opcode, payloadCount: Int, isMasked: Bool, to start: UnsafeMutableRawPointer
    ) -> Int {
        let mask: UInt8 = isMasked ? 0x80 : 0
        start.storeBytes(of: 0x80 | opcode.rawValue, as: UInt8.self)
        switch payloadCount {
        case ..<126:
            start.storeBytes(of: mask | UInt8(payloadCount), toByteOffset: 1, as: UInt8.self)
            return 2
        case ..<65_536:
            start.storeBytes(of: mask | 126, toByteOffset: 1, as: UInt8.self)
            start.storeBytes(of: UInt16(payloadCount).bigEndian, toByteOffset: 2, as: UInt16.self)
            return 4
        default:
            start.storeBytes(of: mask | 127, toByteOffset: 1, as: UInt8.self)
            start.storeBytes(of: UInt64(payloadCount).bigEndian, toByteOffset: 2, as: UInt64.self)
            return 10
        }
    }
}
