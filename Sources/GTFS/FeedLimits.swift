/// Every limit of an import, each with its reason.
public struct FeedLimits: Sendable {
    /// One file unpacked: a metropolis' stop_times.txt has 150 MB; more than this is a country, or a trap.
    public var maxFileBytes = 256 << 20
    /// All files that are read.
    public var maxTotalBytes = 512 << 20
    /// Trips left out, as a share of all: what is left of a feed that loses more is not what its author meant.
    public var maxSkippedShare = 0.1
    /// From a stop to its line's way, metres: beyond it the way is not that of the line.
    public var maxStopToShape = 1_000.0
    /// Said in the report, metres: the stop or the way is drawn badly.
    public var farStopToShape = 150.0
    /// Findings of one kind that the report tells one by one.
    public var toldOfAKind = 5
    /// On one of so many days from today on, or from the feed's first, each line must have a ride: else whoever waits there
    /// waits in vain. A feed is made anew more often than monthly, and a line that rests so long is worth a look.
    public var daysWithRides = 30
    /// Runs of one frequency: one every 9 s of a day.
    public var maxRuns = 10_000

    public init() {}
}
