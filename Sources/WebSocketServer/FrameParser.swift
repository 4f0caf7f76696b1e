/// Reads one peer's byte stream as WebSocket messages (RFC 6455 5 and 7), strictly, and as early as it can be told:
/// a wrong bit fails at its byte, invalid UTF-8 at its byte, a message that is too long at its header.
///
/// Pure: bytes in, events out. Nothing is allocated for a message that lies in one piece of input in one frame.
struct FrameParser: ~Copyable {
    enum Event {
        /// A whole message; valid until the next call.
        case message(UnsafeRawBufferPointer, isText: Bool)
        case ping(UnsafeRawBufferPointer)
        case pong(UnsafeRawBufferPointer)
        /// The peer's close frame, with its code unless it had none. Nothing may follow it.
        case close(UInt16?, UnsafeRawBufferPointer)
        /// The peer broke the protocol or a limit: send this close code, and read no more.
        case failure(FrameFailure)
    }

    private enum HeaderStep {
        case needsMore
        case complete
        case wrong(FrameFailure)
    }

    private enum Stage {
        case header
        case payload
        case ended
    }

    /// True on a server: a client's frames must be masked, a server's must not.
    private let expectsMask: Bool
    /// May grow while a message is coming.
    private(set) var maxMessageBytes: Int
    /// Frames that may still begin: those without payload cost their reader as much as others.
    var framesLeft = Int.max

    private var stage = Stage.header
    private var header = InlineArray<14, UInt8>(repeating: 0)
    private var headerCount = 0
    private var headerNeeded = 2

    private var opcode = Opcode.continuation
    private var isFinal = false
    /// The payload of the frame in hand: its size, and what is still to come.
    private var payloadCount = 0
    private var remaining = 0
    private var key = MaskingKey(0)

    /// The kind of the message whose frames are coming, or nil between messages.
    private var messageKind: Opcode?
    /// Of that message, without payload: they never make it too long. Few clients send any.
    private var emptyFragments = 0
    static let mostEmptyFragments = 64
    private var utf8 = UTF8Check()
    private var message = GrowingBytes()
    private var control = GrowingBytes()

    init(expectsMask: Bool, maxMessageBytes: Int) {
        self.expectsMask = expectsMask
        self.maxMessageBytes = maxMessageBytes
    }

    /// Takes bytes off the front of `input`, which it may change in place, until there is something to tell.
    /// nil: `input` is used up, or `framesLeft` is. What an event points to is valid until the next call.
    mutating func next(_ input: inout UnsafeMutableRawBufferPointer) -> Event? {
        message.freeIfTaken()
        control.freeIfTaken()
        while true {
            switch stage {
            case .header:
                guard framesLeft > 0 || headerCount > 0 else { return nil }
                switch readHeader(&input) {
                case .needsMore: return nil
                case .wrong(let failure): return fail(failure)
                case .complete: framesLeft -= 1
                }
            case .payload:
                guard remaining == 0 || !input.isEmpty else { return nil }
                if let event = readPayload(&input) { return event }
            case .ended:
                message.free()
                control.free()
                input = UnsafeMutableRawBufferPointer(rebasing: input.suffix(0))
                return nil
            }
        }
    }

    /// What comes from now on is thrown away. The last event's bytes stay valid.
    mutating func end() { stage = .ended }

    /// The same, and what was collected is freed.
    mutating func discard() {
        end()
        message.free()
        control.free()
    }

    /// Memory of what was collected of an unfinished message, bytes.
    var heldBytes: Int { message.capacity + control.capacity }

    /// From now on messages may have so many bytes, unless they could have more before.
    mutating func allow(messageBytes: Int) { maxMessageBytes = max(maxMessageBytes, messageBytes) }

    private mutating func fail(_ failure: FrameFailure) -> Event {
        end()
        return .failure(failure)
    }

    // MARK: Header

    private mutating func readHeader(_ input: inout UnsafeMutableRawBufferPointer) -> HeaderStep {
        while headerCount < headerNeeded {
            guard let byte = input.first else { return .needsMore }
            input = UnsafeMutableRawBufferPointer(rebasing: input.dropFirst())
            header[headerCount] = byte
            headerCount += 1
            if headerCount == 1, let failure = checkFirst(byte) { return .wrong(failure) }
            if headerCount == 2, let failure = checkSecond(byte) { return .wrong(failure) }
        }
        if let failure = finishHeader() { return .wrong(failure) }
        return .complete
    }

    private mutating func checkFirst(_ byte: UInt8) -> FrameFailure? {
        guard byte & 0x70 == 0 else { return .reservedBits }
        guard let opcode = Opcode(rawValue: byte & 0x0F) else { return .reservedOpcode }
        self.opcode = opcode
        isFinal = byte & 0x80 != 0
        if opcode.isControl { return isFinal ? nil : .fragmentedControl }
        if opcode == .continuation { return messageKind == nil ? .nothingToContinue : nil }
        return messageKind == nil ? nil : .unfinishedMessage
    }

    private mutating func checkSecond(_ byte: UInt8) -> FrameFailure? {
        guard (byte & 0x80 != 0) == expectsMask else { return .wrongMasking }
        let length = byte & 0x7F
        if opcode.isControl && length > 125 { return .longControl }
        headerNeeded = 2 + (length == 126 ? 2 : length == 127 ? 8 : 0) + (expectsMask ? 4 : 0)
        return nil
    }

    private mutating func finishHeader() -> FrameFailure? {
        var length = UInt64(header[1] & 0x7F)
        let extended = length == 126 ? 2 : length == 127 ? 8 : 0
        if extended > 0 {
            length = 0
            for index in 2..<2 + extended { length = length << 8 | UInt64(header[index]) }
            // The shortest form is the only one, and the highest bit of the longest is not used.
            if length < (extended == 2 ? 126 : 65_536) || length > UInt64(Int64.max) { return .wrongLength }
        }
        if !opcode.isControl, length > UInt64(maxMessageBytes - message.count) { return .tooLong }
        payloadCount = Int(length)
        remaining = payloadCount
        if expectsMask {
            var bytes: UInt32 = 0
            for index in 0..<4 { bytes |= UInt32(header[2 + extended + index]) << (8 * index) }
            key = MaskingKey(bytes)
        }
        if opcode == .text || opcode == .binary {
            messageKind = opcode
            emptyFragments = 0
            utf8 = UTF8Check()
        }
        stage = .payload
        return nil
    }

    // MARK: Payload

    /// Takes what there is of the frame's payload. nil: nothing to tell yet.
    private mutating func readPayload(_ input: inout UnsafeMutableRawBufferPointer) -> Event? {
        let piece = UnsafeMutableRawBufferPointer(rebasing: input.prefix(remaining))
        input = UnsafeMutableRawBufferPointer(rebasing: input.dropFirst(piece.count))
        let isWhole = piece.count == payloadCount
        remaining -= piece.count
        if expectsMask { key.apply(piece) }
        let bytes = UnsafeRawBufferPointer(piece)
        if opcode.isControl { return readControl(bytes, isWhole: isWhole) }

        if messageKind == .text, !utf8.accept(bytes) { return fail(.invalidUTF8) }
        let isInPlace = isWhole && isFinal && message.count == 0
        if !isInPlace {
            message.append(bytes, last: isFinal ? remaining : maxMessageBytes - message.count - bytes.count)
        }
        guard remaining == 0 else { return nil }
        beginHeader()
        guard isFinal else {
            if payloadCount == 0 { emptyFragments += 1 }
            return emptyFragments > Self.mostEmptyFragments ? fail(.emptyFragments) : nil
        }
        let isText = messageKind == .text
        if isText, !utf8.isComplete { return fail(.invalidUTF8) }
        messageKind = nil
        return .message(isInPlace ? bytes : message.take(), isText: isText)
    }

    private mutating func readControl(_ bytes: UnsafeRawBufferPointer, isWhole: Bool) -> Event? {
        if !isWhole { control.append(bytes, last: remaining) }
        guard remaining == 0 else { return nil }
        beginHeader()
        let payload = isWhole ? bytes : control.take()
        switch opcode {
        case .ping: return .ping(payload)
        case .pong: return .pong(payload)
        default: return readClose(payload)
        }
    }

    private mutating func readClose(_ payload: UnsafeRawBufferPointer) -> Event {
        stage = .ended
        guard !payload.isEmpty else { return .close(nil, payload) }
        guard payload.count >= 2 else { return .failure(.wrongClose) }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        guard Self.mayBeSent(code) else { return .failure(.wrongClose) }
        let reason = UnsafeRawBufferPointer(rebasing: payload.dropFirst(2))
        var check = UTF8Check()
        guard check.accept(reason), check.isComplete else { return .failure(.invalidUTF8) }
        return .close(code, reason)
    }

    /// The close codes that may stand in a frame: RFC 6455 7.4 and the IANA registry up to 1014; libraries; applications.
    static func mayBeSent(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    private mutating func beginHeader() {
        stage = .header
        headerCount = 0
        headerNeeded = 2
    }
}
