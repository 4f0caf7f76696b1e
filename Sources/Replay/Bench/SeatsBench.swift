import Glibc
public import WebSocketServer
import Wire

/// A bus driver counts seats while many watch the line: how long a change takes to reach them, and what it costs.
///
/// A delivery is one change at one watcher: its `seats.set` sent → the `bus` state received. A change that a newer one
/// overtook at a watcher which was behind is not delivered there, and is missing from what was due.
public struct SeatsBench: Sendable {
    public struct Configuration: Sendable {
        /// A hub's WebSocket address.
        public var url: String
        /// Whose certificates are believed, for wss:// URLs.
        public var trust = ClientTrust.system
        public var token: @Sendable (_ role: String, _ subject: String) -> String
        /// Of the hub's catalog: a line with something to drive, and a bus with 99 seats.
        public var line: String
        public var bus: String
        public var watchers = 1000
        /// Changes a second.
        public var rate = 10.0
        public var warmUpSeconds = 2.0
        public var seconds = 10.0
        /// A run with a p99 above it has failed, ms.
        public var maxP99Ms: Double?
        public var servers: [ServerProcess] = []
        public var isJSON = false

        public init(
            url: String, line: String, bus: String,
            token: @escaping @Sendable (_ role: String, _ subject: String) -> String
        ) {
            self.url = url
            self.line = line
            self.bus = bus
            self.token = token
        }
    }

    /// Seats that the bus must have, so that no two changes that are under way look alike.
    public static let seats = SeatScan.mostSeats

    private let configuration: Configuration

    public init(_ configuration: Configuration) { self.configuration = configuration }

    /// Measures and prints. 0: measured. 1: the p99 is above what was asked for. 2: it could not be measured; standard error
    /// says why.
    public func run() -> Int32 {
        var isTooSlow = false
        let code = LoadReport.print(isJSON: configuration.isJSON) { () throws(ReplayError) in
            let figures = try measure()
            if let most = configuration.maxP99Ms {
                isTooSlow = (figures.latency.milliseconds(percentile: 99) ?? .infinity) > most
            }
            return report(figures)
        }
        return code == 0 && isTooSlow ? 1 : code
    }

    /// The same without a word, for those who judge the figures themselves.
    public func measure() throws(ReplayError) -> LoadFigures {
        let configuration = configuration
        return try LoadStage.run { stage throws(ReplayError) in
            let load = try SeatsLoad(stage, configuration)
            defer { load.shutdown() }
            return try await load.perform()
        }
    }

    private func report(_ figures: LoadFigures) -> LoadReport {
        let cost = figures.serverCPU > 0 ? figures.serverCPU / Double(max(1, figures.deliveries)) * 1e6 : nil
        var table = TextTable()
        table.add("seats", "\(configuration.watchers) watchers of one line")
        figures.add(to: &table, sent: "changes of seats", delivered: "deliveries")
        if let cost { table.add("server CPU for each delivery", "\(LoadFigures.two(cost)) µs") }
        return LoadReport(
            name: "seats", table: table, figures: figures,
            more: ["server_us_per_delivery": cost.map { .number($0) } ?? .null])
    }
}

/// The driver and the watchers. Used on the loop's thread.
final class SeatsLoad {
    /// After the last change it is waited so long for those who have not got it, s.
    private static let restSeconds = 1.0
    private static let driverReply: Int64 = 3

    private let stage: LoadStage
    private let configuration: SeatsBench.Configuration
    private let links: LoadLinks
    private let meter: LoadMeter
    private let pace: LoadPace
    private let hub: HubSeats
    private let channel: String
    private var subscribed = 0
    private var isOnTour = false
    private var lastRefusal = ""
    private var refused = 0
    /// Changes so far, and which of them each watcher got last.
    private var changes = 0
    private var seen: [Int]
    /// Of each number of seats, the last change to it: its number, when it was sent, whether it counts.
    private var sent = [Change?](repeating: nil, count: SeatScan.mostSeats + 1)

    private struct Change {
        var number: Int
        var atUs: Int64
        var counts: Bool
    }

    init(_ stage: LoadStage, _ configuration: SeatsBench.Configuration) throws(ReplayError) {
        self.stage = stage
        self.configuration = configuration
        links = try LoadLinks(loop: stage.loop, trust: configuration.trust)
        meter = try LoadMeter(configuration.servers, links)
        pace = LoadPace(stage.loop)
        hub = HubSeats(urls: [configuration.url], token: configuration.token)
        channel = "line:" + configuration.line
        seen = Array(repeating: 0, count: configuration.watchers)
        links.onLive = { [unowned self] seat in greet(seat) }
        links.onMessage = { [unowned self] seat, payload in received(seat, payload) }
    }

    func shutdown() {
        pace.close()
        links.shutdown()
    }

    private var driver: Int { configuration.watchers }
    private var failure: String { lastRefusal.isEmpty ? links.failure : lastRefusal }

    func perform() async throws(ReplayError) -> LoadFigures {
        for watcher in 0..<configuration.watchers {
            links.add(hub.seat(watcher, role: "passenger", subject: "W\(watcher)"))
        }
        links.add(hub.seat(driver, role: "bus_driver", subject: "seats-bench"))
        try await stage.connect(links, 0..<links.count)
        guard await stage.wait(seconds: 20, until: { isOnTour && subscribed == configuration.watchers }) else {
            throw ReplayError(
                isOnTour
                    ? "only \(subscribed) of \(configuration.watchers) watchers could subscribe to \(channel) (\(failure))"
                    : "the tour with bus \(configuration.bus) on line \(configuration.line) could not begin (\(failure))"
            )
        }
        await stage.seconds(1)
        pace.start(perSecond: configuration.rate, flush: links.flush) { [unowned self] in change() }
        await stage.seconds(configuration.warmUpSeconds)
        let wanted = Int((configuration.rate * configuration.seconds).rounded())
        last = changes + wanted
        var figures = await meter.count(stage, seconds: configuration.seconds + Self.restSeconds, pace)
        pace.stop()
        links.send(driver, text: ClientMessage(command: .tourEnd(tour: nil)).encoded())
        if figures.deliveries == 0 { throw ReplayError("no change reached anybody (\(failure))") }
        figures.refused = refused
        // Nothing was changed while it was waited.
        figures.seconds -= Self.restSeconds
        return figures
    }

    /// Behind this change none is made any more.
    private var last = Int.max

    private func greet(_ seat: Int) {
        let command: Command =
            seat == driver
            ? .tourStart(bus: configuration.bus, line: configuration.line, pattern: nil, trip: nil)
            : .subscribe(channel: channel, options: FeedOptions(), since: nil)
        links.send(seat, text: ClientMessage(id: Self.driverReply, command: command).encoded())
    }

    private func change() {
        guard changes < last else { return }
        changes += 1
        let taken = changes % (SeatScan.mostSeats + 1)
        sent[taken] = Change(number: changes, atUs: Monotonic.microseconds, counts: meter.isCounting)
        links.send(driver, text: ClientMessage(command: .seatsSet(taken: taken, reason: nil)).encoded())
        guard meter.isCounting else { return }
        meter.figures.sent += 1
        meter.figures.expected = (meter.figures.expected ?? 0) + configuration.watchers
    }

    private func received(_ seat: Int, _ payload: UnsafeRawBufferPointer) {
        if seat < configuration.watchers, let taken = SeatScan.taken(in: payload) {
            guard let change = sent[taken], change.number > seen[seat] else { return }
            seen[seat] = change.number
            guard meter.isCounting, change.counts else { return }
            let arrivedUs = meter.heard(payload)
            meter.figures.deliveries += 1
            meter.figures.latency.record(arrivedUs - change.atUs)
            return
        }
        let isReply = ChannelPublishers.isReply(payload) { detail in
            refused += 1
            lastRefusal = detail
        }
        guard isReply else { return }
        if seat == driver { isOnTour = true } else { subscribed += 1 }
    }
}

/// Reads how many seats are taken from a line's state or snapshot with one bus, and nothing else of it.
enum SeatScan {
    /// As many as a bus can have.
    static let mostSeats = 99

    /// Nil when the payload is no such message.
    @inline(__always)
    static func taken(in payload: UnsafeRawBufferPointer) -> Int? {
        // Replies begin with {"id": and events and states with {"ch":
        guard payload.count > 8, payload[2] == UInt8(ascii: "c"), var place = payload.baseAddress else { return nil }
        let end = place + payload.count
        let size = mark.utf8CodeUnitCount
        while end - place > size, let found = memchr(place, 34, end - place) {
            place = UnsafeRawPointer(found)
            guard end - place > size, memcmp(place, mark.utf8Start, size) != 0 else { break }
            place += 1
        }
        guard end - place > size, memcmp(place, mark.utf8Start, size) == 0 else { return nil }
        place += size
        var value = 0
        var count = 0
        while place < end, case let digit = place.load(as: UInt8.self) &- 48, digit < 10, count < 3 {
            value = value * 10 + Int(digit)
            count += 1
            place += 1
        }
        return count > 0 && value <= mostSeats ? value : nil
    }

    private static let mark: StaticString = #""taken":"#
}
