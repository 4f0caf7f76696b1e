import ClientSupport
import EventLoop

/// Runs the connections benchmark.
actor ConnectionsRunner {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let configuration: ConnectionsBench.Configuration
    private let pause: Pause

    init(loop: EventLoop, configuration: ConnectionsBench.Configuration) {
        self.loop = loop
        self.configuration = configuration
        pause = Pause(loop)
    }

    func perform() async throws(RunError) -> ConnectionsReport {
        let clients = try BenchClients(
            loop: loop, urls: configuration.urls, trust: configuration.trust, token: configuration.token)
        defer { clients.shutdown() }
        let before = try resident()
        let startedUs = Monotonic.microseconds
        try await connect(clients)
        let seconds = Double(Monotonic.microseconds - startedUs) / 1e6
        // Buffers that were needed for greeting only are given back meanwhile.
        await pause.milliseconds(3_000)
        let after = try resident()
        guard clients.liveCount == configuration.connections else {
            throw RunError("\(clients.lostCount) connections were lost (\(clients.failure))")
        }
        return ConnectionsReport(
            connections: configuration.connections,
            growth: zip(configuration.pids, zip(before, after)).map { ($0.name, $1.0, $1.1) }, seconds: seconds)
    }

    private func connect(_ clients: BenchClients) async throws(RunError) {
        let total = configuration.connections
        while clients.clients.count < total {
            for _ in 0..<min(max(1, configuration.perSecond / 100), total - clients.clients.count) {
                let index = clients.clients.count
                do {
                    try clients.connect(role: "passenger", subject: "C\(index)")
                } catch {
                    throw RunError("connection \(index) cannot be opened: \(error)")
                }
            }
            await pause.milliseconds(10)
        }
        let deadline = Monotonic.milliseconds + 30_000
        while clients.liveCount < total, Monotonic.milliseconds < deadline, clients.lostCount == 0 {
            await pause.milliseconds(20)
        }
        guard clients.liveCount == total else {
            throw RunError("only \(clients.liveCount) of \(total) were greeted (\(clients.failure))")
        }
    }

    private func resident() throws(RunError) -> [Int] {
        var result: [Int] = []
        for (name, pid) in configuration.pids {
            guard let bytes = ProcessUsage.residentBytes(of: pid) else {
                throw RunError("there is no process \(pid) (\(name))")
            }
            result.append(bytes)
        }
        return result
    }
}
