/// The results of the reconnect benchmark.
public struct ReconnectResults: Sendable {
    /// From the cut until every client was greeted, and until every client had every event; nil: that did not happen.
    public var greetedSeconds: Double?
    public var resumedSeconds: Double?
    /// Events that were published while everybody was away, once for each who had to get it.
    public var due: Int
    public var missing: Int
    public var wrong: Int
    public var gaps: Int
    /// Clients that resumed their session of TLS.
    public var resumedTLS: Int
    public var load: LoadResults
}
