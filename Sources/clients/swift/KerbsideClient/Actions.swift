// What the connection has decided is to be done. The client does it. A link is a number: that of a socket, never given
// twice.

/// Where a connection is [S1].
public enum ConnectionState: String, Sendable {
    /// Nobody wants a connection, or it may not come back by itself.
    case closed
    /// A token, a socket or the reply to `hello` is awaited.
    case connecting
    /// `hello` was answered.
    case live
    /// Until the next attempt.
    case waiting
}

/// The connection has entered `state`.
public struct StateChange: Told {
    public static let type = "state"
    public let state: ConnectionState
    /// Why: the close code and its reason, or a word of the client's own; empty where all is well.
    public let reason: String
    /// ms until the next attempt, of `waiting`.
    public let wait: Int
}

enum Timer: Hashable {
    case retry
    case opening
    case hello
    case quiet
    case pong
    case renew
    case token
    /// Of the commands that wait, and not of the connection.
    case outbox
}

enum Action {
    case state(StateChange)
    case open(link: Int)
    case close(link: Int, code: Int)
    /// The link is greeted with this token.
    case hello(token: String)
    /// The living link goes by this token from now on.
    case renew(token: String)
    /// The hub is asked for a sign of life.
    case ping
    /// What belonged to the link is over.
    case lost
    /// The app is asked for a token; `refused`: the one that the hub took no more.
    case token(refused: String?)
    /// `ms` nil: stopped.
    case timer(Timer, ms: Int?)
}
