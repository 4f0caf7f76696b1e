/// What can be watched as a whole: who is in it, and what changed in it over the last ticks.
public final class FeedUnit {
    public let key: FeedUnitKey
    /// How often it was retained.
    var watchers = 0
    /// Numbers of the vehicles that are shown to be in it.
    var members: [UInt32] = []

    init(_ key: FeedUnitKey) { self.key = key }
}
