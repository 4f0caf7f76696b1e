import ClientSupport
import Domain
import EventLoop

/// Runs the dispatch benchmark: connect, warm up, measure, let the last rides end.
actor DispatchRunner {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let configuration: DispatchBench.Configuration
    private let pause: Pause

    init(loop: EventLoop, configuration: DispatchBench.Configuration) {
        self.loop = loop
        self.configuration = configuration
        pause = Pause(loop)
    }

    func perform() async throws(RunError) -> DispatchReport {
        let load = try DispatchLoad(loop: loop, configuration: configuration, places: places())
        defer { load.shutdown() }
        try await connect(load)
        Console.write("\(load.clients.liveCount) clients connected; warming up\n", to: Console.people)
        load.startRequests()
        await pause.milliseconds(Int64(configuration.warmUpSeconds * 1000))
        load.beginCounting()
        let before = usage()
        let startedUs = Monotonic.microseconds
        await pause.milliseconds(Int64(configuration.seconds * 1000))
        let seconds = Double(Monotonic.microseconds - startedUs) / 1e6
        let after = usage()
        let lost = load.clients.lostCount
        load.stopRequests()
        await letRidesEnd(load)
        return DispatchReport(
            configuration: configuration, counts: load.counts, lostLinks: lost, seconds: seconds,
            ownCPU: after.own - before.own,
            cpu: zip(configuration.pids, zip(before.others, after.others)).map { entry, pair in
                (entry.name, pair.0.flatMap { first in pair.1.map { $0 - first } })
            })
    }

    private func places() throws(RunError) -> [GeoPoint] {
        guard let bounds = ZoneBounds(geoJSON: configuration.zonesGeoJSON) else {
            throw RunError("the zones have no coordinates")
        }
        let zones = configuration.zones
        var random = SeededRandom(seed: 1)
        let middles = ZoneMiddles.find(bounds: bounds, random: &random) { place in
            guard case .zone(let index) = zones.lookup(place) else { return nil }
            return zones.zones[index].id
        }
        guard !middles.isEmpty else { throw RunError("no place was found inside a zone") }
        return middles.prefix(max(1, configuration.zoneCount)).map(\.middle)
    }

    private func connect(_ load: DispatchLoad) async throws(RunError) {
        let total = configuration.drivers + configuration.passengers
        while load.clients.clients.count < total {
            // 1,000 a second: a benchmark of dispatch, not of connecting.
            for _ in 0..<min(10, total - load.clients.clients.count) { try load.connectNext() }
            await pause.milliseconds(10)
        }
        let deadline = Monotonic.milliseconds + 20_000
        while Monotonic.milliseconds < deadline {
            load.callForWork()
            if load.clients.liveCount == total, load.availableDrivers == configuration.drivers { return }
            await pause.milliseconds(50)
        }
        throw RunError(
            "only \(load.clients.liveCount) of \(total) clients were greeted and \(load.availableDrivers) of \(configuration.drivers) drivers are available (\(load.failure))"
        )
    }

    private func letRidesEnd(_ load: DispatchLoad) async {
        let deadline = Monotonic.milliseconds + 5_000
        while load.openRequests > 0, Monotonic.milliseconds < deadline { await pause.milliseconds(20) }
        load.signOff()
        await pause.milliseconds(500)
        load.clients.closeAll()
        await pause.milliseconds(200)
    }

    private func usage() -> (own: Double, others: [Double?]) {
        (ProcessUsage.own, configuration.pids.map { ProcessUsage.cpu(of: $0.pid) })
    }
}
