/// What a server has done since it was made. Only ever grows.
public struct ServerCounters: Sendable {
    /// Sockets accepted, and WebSockets opened on them.
    public internal(set) var accepted = 0
    public internal(set) var opened = 0
    /// Those of them whose session of TLS was resumed.
    public internal(set) var resumedTLS = 0
    public internal(set) var httpRequests = 0

    /// Refusals, by reason.
    public internal(set) var refusedTotalLimit = 0
    public internal(set) var refusedAddressLimit = 0
    public internal(set) var refusedNoDescriptor = 0
    public internal(set) var refusedOrigin = 0
    public internal(set) var refusedSubprotocol = 0
    public internal(set) var refusedMalformed = 0
    public internal(set) var timedOutHeader = 0
    /// Answers that were taken too slowly, and those that were refused because too much waited, or who were sent away for it.
    public internal(set) var timedOutAnswer = 0
    public internal(set) var refusedFull = 0

    /// Ends of WebSockets, by reason.
    public internal(set) var closedSlow = 0
    public internal(set) var closedDead = 0
    public internal(set) var closedProtocol = 0

    /// Bytes as read and written (inside TLS), messages in, frames and writes out.
    public internal(set) var bytesIn = 0
    public internal(set) var bytesOut = 0
    public internal(set) var messagesIn = 0
    public internal(set) var framesOut = 0
    public internal(set) var writes = 0
    public internal(set) var pings = 0
    /// How often a connection was held back, as there was too much to read of its subject (``InboundRate``).
    public internal(set) var heldBack = 0
}
