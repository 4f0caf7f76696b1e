internal import EventLoop

/// One connection of a `WebSocketClient`. A plain object of the loop's thread.
final class ClientConnection {
    enum Phase {
        case connecting
        case securing
        case upgrading
        case open
        /// Our close frame is out; the server's, or the end, is awaited.
        case closing
        /// Its owner is told, or will be at the end of the turn.
        case ended
    }

    let id: ConnectionID
    let url: ClientURL
    /// The value that the server has to prove it has read.
    let accept: String
    var socket: ClientSocket
    /// The session of TLS to be resumed, until it is.
    var session: TLSSession?
    let poll: LoopPoll
    var phase = Phase.connecting
    /// The head of the server's answer, until it is whole.
    var head: [UInt8] = []
    var frames: FrameParser
    /// Bytes to be written, and how many of them have been.
    var outbound: [UInt8] = []
    var written = 0
    var isDirty = false
    /// What the poll is set to.
    var watched: LoopPoll.Events = .writable
    /// The last operation under TLS waits for room, whatever it was.
    var tlsWantsRoom = false

    init(
        id: ConnectionID, url: ClientURL, accept: String, socket: consuming ClientSocket, session: TLSSession?,
        loop: EventLoop, maxMessageBytes: Int
    )
        throws
    {
        self.id = id
        self.url = url
        self.accept = accept
        poll = try LoopPoll(loop, descriptor: socket.descriptor)
        self.socket = socket
        self.session = session
        frames = FrameParser(expectsMask: false, maxMessageBytes: maxMessageBytes)
    }
}
