/// The times of a feed.
public struct FeedRules: Sendable {
    /// Milliseconds since a vehicle was heard of, after which it is told to be stale.
    public var staleAfterMs: Int64
    /// Milliseconds since a vehicle was heard of, after which it is gone.
    public var expireAfterMs: Int64
    /// How many ticks a reader may miss and still be told only what changed.
    public var logTicks: Int

    /// With a fix every 60 s a parked taxi is never stale.
    public static let staleAfterMs: Int64 = 90_000
    public static let expireAfterMs: Int64 = 600_000

    public init(
        staleAfterMs: Int64 = Self.staleAfterMs, expireAfterMs: Int64 = Self.expireAfterMs, logTicks: Int = 64
    ) {
        self.staleAfterMs = staleAfterMs
        self.expireAfterMs = expireAfterMs
        self.logTicks = logTicks
    }
}

/// What can be watched as a whole.
public enum FeedScopeKey: Hashable, Sendable {
    case cell(CellID)
    case zone(String)
    case city
    /// Is told of by `FeedBoard.applyWatched` alone.
    case vehicle(String)
}
