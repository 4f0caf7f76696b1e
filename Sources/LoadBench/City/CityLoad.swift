import ClientSupport
import Domain

/// Watchers, then vehicles (at a hub) or publishers (at a peer). Used on the loop's thread.
final class CityLoad {
    private let context: LoadContext
    private let configuration: CityBench.Configuration
    private let links: LoadLinks
    private let meter: LoadMeter
    private let pace: LoadPace
    private let publishers: ChannelPublishers
    private let fleet: DriverClients
    private let city: BenchCity
    private let vehicles: [CirclingVehicle]
    private let isHub: Bool
    /// By zone.
    private let channels: [String]
    private var watchersOfZone: [Int]
    private var subscribed = 0
    /// A hub sends its feeds in five slices of a tick.
    private static let sliceSeconds = 0.05
    private var turn = 0
    private var message: [UInt8] = []

    init(_ context: LoadContext, _ configuration: CityBench.Configuration) throws(RunError) {
        self.context = context
        self.configuration = configuration
        isHub = configuration.dialect == .kerbside
        links = try LoadLinks(loop: context.loop, trust: configuration.trust)
        meter = try LoadMeter(configuration.servers, links)
        pace = LoadPace(context.loop)
        city = try BenchCity(configuration.zones, geoJSON: configuration.zonesGeoJSON)
        vehicles = city.vehicles(configuration.vehicles)
        publishers = ChannelPublishers(
            links, dialect: configuration.dialect, url: configuration.url, token: configuration.token)
        fleet = DriverClients(links, HubClients(urls: [configuration.url], token: configuration.token))
        channels = configuration.zones.zones.indices.map { "z\($0)" }
        watchersOfZone = channels.map { _ in 0 }
        links.onLive = { [unowned self] client in greet(client) }
        links.onMessage = { [unowned self] client, payload in received(client, payload) }
    }

    func shutdown() {
        pace.close()
        links.shutdown()
    }

    func perform() async throws(RunError) -> LoadResults {
        for watcher in 0..<configuration.watchers {
            let zone = watcher % channels.count
            watchersOfZone[zone] += 1
            links.add(
                publishers.client(
                    of: watcher, role: "passenger", subject: "W\(watcher)", channel: channels[zone], publishes: false))
        }
        if isHub { fleet.add(vehicles) } else { publishers.add(configuration.publishers, channels: channels) }
        // The vehicles first: a watcher's first message is then a snapshot of them, as in a city that lives.
        try await context.connect(links, configuration.watchers..<links.count)
        if isHub { try await fleet.goAvailable(context) }
        try await context.connect(links, 0..<configuration.watchers)
        if isHub {
            guard await context.wait(seconds: 20, until: { subscribed == configuration.watchers }) else {
                throw RunError(
                    "only \(subscribed) of \(configuration.watchers) watchers could subscribe (\(publishers.failure))")
            }
        }
        await context.seconds(1)
        if !vehicles.isEmpty {
            pace.start(perSecond: Double(vehicles.count) * configuration.positionsPerSecond, flush: links.flush) {
                [unowned self] in move()
            }
        }
        context.gatherTurns()
        await context.seconds(configuration.warmUpSeconds)
        let asked = configuration.hasFloor && configuration.watchers > 0
        let before = asked ? HubSends.read(configuration.url, configuration.dialect) : nil
        var results = await meter.count(context, seconds: configuration.seconds, pace)
        let after = asked ? HubSends.read(configuration.url, configuration.dialect) : nil
        pace.stop()
        if results.deliveries == 0, configuration.watchers > 0 {
            throw RunError("no position was delivered (\(publishers.failure))")
        }
        results.refused = publishers.refused + fleet.refused
        if let before, let rate = after?.rate(since: before) {
            links.shutdown()
            results.floor = try await FloorLoad.measure(
                context, rate, sockets: configuration.watchers, burst: Int(rate.perSecond * Self.sliceSeconds),
                server: configuration.servers.worker)
        }
        return results
    }

    private func greet(_ client: Int) {
        if client < configuration.watchers {
            if isHub {
                links.send(client, text: watch(client))
            } else {
                publishers.send(client, configuration.dialect.subscription(to: channels[client % channels.count]))
            }
        } else if !isHub {
            publishers.send(client, configuration.dialect.publisherGreeting)
        }
    }

    /// The command by which a watcher of a hub begins.
    private func watch(_ watcher: Int) -> [UInt8] {
        switch configuration.watching {
        case .zone:
            let zone = configuration.zones.zones[watcher % channels.count].id
            return Array(#"{"id":2,"cmd":"subscribe","channel":"zone:\#(zone)"}"#.utf8)
        case .near(let radius):
            let place = city.place(of: watcher)
            return Array(#"{"id":2,"cmd":"watch","lat":\#(place.lat),"lon":\#(place.lon),"radius":\#(radius)}"#.utf8)
        }
    }

    private func move() {
        let number = turn % vehicles.count
        let nowUs = Monotonic.microseconds
        turn += 1
        let vehicle = vehicles[number]
        if isHub {
            let atMs = links.hubMs(nowUs)
            fleet.send(number, vehicle.fix(atMs: atMs))
            guard meter.isCounting else { return }
            meter.results.sent += 1
            if configuration.watching == .zone, let zone = city.zone(of: vehicle.point(atMs: atMs)) {
                expect(watchersOfZone[zone])
            }
        } else if let zone = city.zone(of: vehicle.point(atMs: nowUs / 1000)) {
            Stamp.message(nowUs, bytes: configuration.bytes, into: &message)
            publishers.publish(message, channel: zone, turn: number)
            guard meter.isCounting else { return }
            meter.results.sent += 1
            expect(watchersOfZone[zone])
        }
    }

    private func expect(_ count: Int) { meter.results.expected = (meter.results.expected ?? 0) + count }

    private func received(_ client: Int, _ payload: UnsafeRawBufferPointer) {
        guard client < configuration.watchers else {
            if isHub { fleet.heard(payload) } else { _ = publishers.isReply(payload, client) }
            return
        }
        if meter.isCounting {
            let arrivedUs = meter.heard(payload)
            if isHub { countRows(payload, arrivedUs) } else { countStamps(payload, arrivedUs) }
        }
        if publishers.isReply(payload, client) { subscribed += 1 }
    }

    private func countRows(_ payload: UnsafeRawBufferPointer, _ arrivedUs: Int64) {
        let hubUs = arrivedUs + links.hubOffsetMs * 1000
        let scan = RowScan(payload) { atMs in meter.results.latency.record(hubUs - atMs * 1000) }
        if scan.kind == .delta { meter.results.deliveries += scan.rows }
    }

    private func countStamps(_ payload: UnsafeRawBufferPointer, _ arrivedUs: Int64) {
        Stamp.scan(payload) { sentUs in
            meter.results.deliveries += 1
            meter.results.latency.record(arrivedUs - sentUs)
        }
    }
}
