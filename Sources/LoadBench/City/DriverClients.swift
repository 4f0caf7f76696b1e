import ClientSupport
import EventLoop
import Wire

/// Drivers at a hub: their connections, and how they become available. Used on the loop's thread.
final class DriverClients {
    private let links: LoadLinks
    private let hub: HubClients
    private var first = 0
    private var drivers: [CirclingVehicle] = []
    private var available = 0
    private(set) var refused = 0
    private var lastRefusal = ""
    private var frame: [UInt8] = []

    init(_ links: LoadLinks, _ hub: HubClients) {
        self.links = links
        self.hub = hub
    }

    func add(_ drivers: [CirclingVehicle]) {
        self.drivers = drivers
        first = links.count
        for index in drivers.indices { links.add(hub.client(first + index, role: "driver", subject: "B\(index)")) }
    }

    var clients: Range<Int> { first..<first + drivers.count }

    /// Each says where it is and goes available, some hundred at a time.
    func goAvailable(_ context: LoadContext) async throws(RunError) {
        let prefix = "b" + String(EventLoop.wallClock(), radix: 36)
        for start in stride(from: 0, to: drivers.count, by: 100) {
            let some = start..<min(start + 100, drivers.count)
            for driver in some {
                send(driver, drivers[driver].fix(atMs: links.hubMs(Monotonic.microseconds)))
                links.send(
                    first + driver,
                    text: ClientMessage(id: 2, key: "\(prefix)-\(driver)", command: .rides(.driverAvailable)).encoded())
            }
            guard await context.wait(seconds: 20, until: { available + refused >= some.upperBound }), refused == 0
            else {
                throw RunError("only \(available) of \(drivers.count) drivers are available (\(lastRefusal))")
            }
        }
    }

    func send(_ driver: Int, _ fix: PositionFix) {
        PositionText.write(fix, into: &frame)
        links.send(first + driver, text: frame)
    }

    func heard(_ payload: UnsafeRawBufferPointer) {
        let isReply = ChannelPublishers.isReply(payload) { detail in
            refused += 1
            lastRefusal = detail
        }
        if isReply { available += 1 }
    }
}
