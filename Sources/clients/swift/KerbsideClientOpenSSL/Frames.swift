/// A frame of RFC 6455, or a message that came in several.
struct Frame: Equatable {
    enum Kind: UInt8 {
        case part = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10
    }

    var kind: Kind
    var payload: [UInt8]

    /// As a client sends it, which is masked.
    func bytes(mask: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0x80 | kind.rawValue]
        switch payload.count {
        case ..<126: bytes.append(0x80 | UInt8(payload.count))
        case ..<65_536: bytes += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        default:
            bytes.append(0x80 | 127)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        bytes += mask
        bytes += payload.enumerated().map { $1 ^ mask[$0 & 3] }
        return bytes
    }
}

/// What comes, put together to messages.
struct FrameReader {
    /// Frames that are none, or too large.
    struct Broken: Error {}

    /// The largest message that is taken, so that a stranger can't fill the memory.
    static let largest = 16 * 1024 * 1024

    private var bytes: [UInt8] = []
    private var message: Frame?

    mutating func add(_ more: some Sequence<UInt8>) {
        bytes += more
    }

    /// The next that is whole: a text or binary message, or a control frame.
    mutating func next() throws -> Frame? {
        while let (isLast, frame) = try frame() {
            if frame.kind.rawValue >= 8 { return frame }
            if frame.kind == .part {
                guard message != nil else { throw Broken() }
                message?.payload += frame.payload
            } else {
                guard message == nil else { throw Broken() }
                message = frame
            }
            guard isLast else { continue }
            defer { message = nil }
            return message
        }
        return nil
    }

    private mutating func frame() throws -> (isLast: Bool, frame: Frame)? {
        guard bytes.count >= 2 else { return nil }
        let (isLast, isMasked) = (bytes[0] & 0x80 != 0, bytes[1] & 0x80 != 0)
        guard let kind = Frame.Kind(rawValue: bytes[0] & 15), bytes[0] & 0x70 == 0, !isMasked else { throw Broken() }
        let short = Int(bytes[1] & 127)
        if kind.rawValue >= 8, !isLast || short > 125 { throw Broken() }
        let extended = short == 126 ? 2 : short == 127 ? 8 : 0
        guard bytes.count >= 2 + extended else { return nil }
        var length = extended == 0 ? short : 0
        for byte in bytes[2..<2 + extended] {
            guard length <= FrameReader.largest else { throw Broken() }
            length = length << 8 | Int(byte)
        }
        guard length + (message?.payload.count ?? 0) <= FrameReader.largest else { throw Broken() }
        let end = 2 + extended + length
        guard bytes.count >= end else { return nil }
        defer { bytes.removeFirst(end) }
        return (isLast, Frame(kind: kind, payload: Array(bytes[2 + extended..<end])))
    }
}
