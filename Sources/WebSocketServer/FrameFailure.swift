/// What a peer did wrong on the level of frames: the close code that answers it, and the reason in words.
enum FrameFailure: Equatable {
    case reservedBits
    case reservedOpcode
    case fragmentedControl
    case nothingToContinue
    case unfinishedMessage
    case wrongMasking
    case longControl
    case wrongLength
    case wrongClose
    case invalidUTF8
    case tooLong
    case emptyFragments

    var closeCode: UInt16 {
        switch self {
        case .invalidUTF8: 1007
        case .tooLong: 1009
        case .emptyFragments: 1008
        default: 1002
        }
    }

    var reason: String {
        switch self {
        case .reservedBits: "reserved bits are set, but no extension was agreed on"
        case .reservedOpcode: "reserved opcode"
        case .fragmentedControl: "a control frame is fragmented"
        case .nothingToContinue: "a continuation without a message to continue"
        case .unfinishedMessage: "a new message within an unfinished one"
        case .wrongMasking: "a client's frames are masked, a server's are not"
        case .longControl: "a control frame of more than 125 bytes"
        case .wrongLength: "the length is not in its shortest form"
        case .wrongClose: "the close frame has no code that may be sent"
        case .invalidUTF8: "invalid UTF-8"
        case .tooLong: "the message is too long"
        case .emptyFragments: "too many fragments without payload"
        }
    }
}
