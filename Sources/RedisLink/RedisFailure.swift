/// Why a command has no reply. `server` is an answer; after the others the command may or may not have taken effect,
/// except where it says so.
public enum RedisFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The link was down when the command was given (it was not sent), or died before the answer (outcome unknown).
    case disconnected
    /// No answer in time: the outcome is unknown, and the link is taken for dead.
    case timeout
    /// Too much is waiting for answers already: the command was not sent.
    case overloaded
    /// Redis answered with an error; the text starts with its code, such as `WRONGTYPE`.
    case server(String)

    public var description: String {
        switch self {
        case .disconnected: "not connected to Redis"
        case .timeout: "Redis did not answer in time"
        case .overloaded: "too many commands are waiting for Redis"
        case .server(let text): "Redis: \(text)"
        }
    }
}
