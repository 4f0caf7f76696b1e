import ClientSupport

/// Fills in the results: begins to count after the warm-up, ends after the time asked.
final class LoadMeter {
    private let servers: [ServerProcess]
    private let links: LoadLinks
    private let memoryBefore: [Int]
    private(set) var isCounting = false
    /// In bare memory: checks of exclusive access to a property took longer than the counting.
    private let counted = UnsafeMutablePointer<LoadResults>.allocate(capacity: 1)
    private var lastArrivalUs: Int64 = 0

    var results: LoadResults {
        @inline(__always) get { counted.pointee }
        @inline(__always) _modify { yield &counted.pointee }
    }

    /// Made before anything is connected.
    init(_ servers: [ServerProcess], _ links: LoadLinks) throws(RunError) {
        var before: [Int] = []
        for server in servers {
            guard let bytes = ProcessUsage.residentBytes(of: server.pid) else {
                throw RunError("there is no process \(server.pid) (\(server.name))")
            }
            before.append(bytes)
        }
        self.servers = servers
        self.links = links
        memoryBefore = before
        counted.initialize(to: LoadResults())
    }

    deinit {
        counted.deinitialize(count: 1)
        counted.deallocate()
    }

    /// A message for a reader. Answers when it arrived, monotonic microseconds.
    @inline(__always)
    func heard(_ payload: UnsafeRawBufferPointer) -> Int64 {
        results.messages += 1
        results.bytes += payload.count
        let arrivedUs = links.arrivedUs
        if arrivedUs != lastArrivalUs {
            lastArrivalUs = arrivedUs
            results.readDelay.record(Monotonic.microseconds - arrivedUs)
        }
        return arrivedUs
    }

    /// What was used until now.
    struct Reading {
        fileprivate var atUs: Int64
        fileprivate var own: Double
        fileprivate var servers: [Double?]
        fileprivate var lost: Int
    }

    func read() -> Reading {
        Reading(
            atUs: Monotonic.microseconds, own: ProcessUsage.own, servers: servers.map { ProcessUsage.cpu(of: $0.pid) },
            lost: links.lostCount)
    }

    /// What was counted, and used since then.
    func results(since begin: Reading) -> LoadResults {
        let end = read()
        var result = results
        result.seconds = Double(end.atUs - begin.atUs) / 1e6
        result.ownCPU = end.own - begin.own
        result.lost = end.lost - begin.lost
        result.connections = links.liveCount
        result.servers = servers.indices.map { index in
            LoadResults.Use(
                name: servers[index].name,
                cpu: begin.servers[index].flatMap { first in end.servers[index].map { $0 - first } },
                memoryBefore: memoryBefore[index],
                memoryAfter: ProcessUsage.residentBytes(of: servers[index].pid) ?? 0)
        }
        return result
    }

    /// Counts for so long what this load sends and hears.
    func count(_ context: LoadContext, seconds: Double, _ pace: LoadPace) async -> LoadResults {
        results = LoadResults()
        pace.lateness = Latency()
        let begin = read()
        isCounting = true
        await context.seconds(seconds)
        isCounting = false
        results.lateness = pace.lateness
        return results(since: begin)
    }
}
