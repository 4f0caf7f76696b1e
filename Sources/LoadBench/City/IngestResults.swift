/// The results of the ingest benchmark.
public struct IngestResults: Sendable {
    /// By the hub's own counters.
    public var acceptedPerSecond: Double
    public var ignoredPerSecond: Double
    /// Positions that were not sent because the hub had not yet read what came before.
    public var heldBack: Int
    public var load: LoadResults

    /// Accepted positions per CPU second of the workers, Redis left out; nil when no worker was named.
    public var perWorkerSecond: Double? {
        let cpu = load.servers.filter { !$0.name.hasPrefix("redis") }.reduce(0) { $0 + ($1.cpu ?? 0) }
        return cpu > 0 ? acceptedPerSecond * load.seconds / cpu : nil
    }
}
