/// Why a command has no reply. `server` is an answer; after the others the command may or may not have taken effect,
/// except where it says so.
public enum RedisFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The link was down when the command was given (it was not sent), or died before the answer (outcome unknown).
    case disconnected
    /// No answer in time: the outcome is unknown, and the link is taken for dead.
    case timeout
    /// Too much is waiting for answers already: the command was not sent.
    case overloaded
    /// Redis can do nothing now (its disk or its memory is full, it is loading, it is a replica), and has not tried. The
    /// same may be sent again later. The text is its answer.
    case notServing(String)
    /// Redis answered with another error; the text starts with its code, such as `WRONGTYPE`.
    case server(String)

    /// What Redis answers when it is not the command that is wrong.
    private static let passing = [
        "MISCONF ", "OOM ", "LOADING ", "READONLY ", "NOREPLICAS ", "MASTERDOWN ", "CLUSTERDOWN ", "TRYAGAIN ", "BUSY ",
    ]

    /// The failure that an error answer means.
    init(answer text: String) {
        self = Self.passing.contains { text.hasPrefix($0) } ? .notServing(text) : .server(text)
    }

    public var description: String {
        switch self {
        case .disconnected: "not connected to Redis"
        case .timeout: "Redis did not answer in time"
        case .overloaded: "too many commands are waiting for Redis"
        case .notServing(let text), .server(let text): "Redis: \(text)"
        }
    }
}
