public import Domain
public import WebSocketServer
import Wire

/// A city that is watched: vehicles that move, and watchers of its zones, or of what is near them.
///
/// A delivery is one vehicle's position at one watcher. At a peer, vehicles' positions are messages published on their zone's
/// channel.
public struct CityBench: Sendable {
    /// What each watcher watches.
    public enum Watching: Sendable, Equatable {
        case zone
        /// What is within so many metres of a place in the city.
        case near(radius: Double)
    }

    public struct Configuration: Sendable {
        /// A hub's WebSocket address; a peer's without a path.
        public var url: String
        public var dialect = LoadDialect.kerbside
        /// Whose certificates are believed, for wss:// URLs.
        public var trust = ClientTrust.system
        public var token: @Sendable (_ role: String, _ subject: String) -> String
        /// The hub's zones.
        public var zones: ZoneSet
        public var zonesGeoJSON: [UInt8]
        public var vehicles = 2000
        public var watchers = 4000
        public var watching = Watching.zone
        /// Positions a second of each vehicle.
        public var positionsPerSecond = 1.0
        /// At a peer: bytes of a position's message, and the connections that publish them.
        public var bytes = 100
        public var publishers = 20
        public var warmUpSeconds = 3.0
        public var seconds = 10.0
        public var servers: [ServerProcess] = []
        public var isJSON = false

        public init(
            url: String, zones: ZoneSet, zonesGeoJSON: [UInt8],
            token: @escaping @Sendable (_ role: String, _ subject: String) -> String
        ) {
            self.url = url
            self.zones = zones
            self.zonesGeoJSON = zonesGeoJSON
            self.token = token
        }
    }

    private let configuration: Configuration

    public init(_ configuration: Configuration) { self.configuration = configuration }

    /// Measures and prints. 0: measured. 2: it could not be; standard error says why.
    public func run() -> Int32 {
        LoadReport.print(isJSON: configuration.isJSON) { () throws(ReplayError) in report(try measure()) }
    }

    /// The same without a word, for those who judge the figures themselves.
    public func measure() throws(ReplayError) -> LoadFigures {
        let configuration = configuration
        return try LoadStage.run { stage throws(ReplayError) in
            let load = try CityLoad(stage, configuration)
            defer { load.shutdown() }
            return try await load.perform()
        }
    }

    private func report(_ figures: LoadFigures) -> LoadReport {
        var table = TextTable()
        let what =
            switch configuration.watching {
            case .zone: "each one of \(configuration.zones.zones.count) zones"
            case .near(let radius): "each what is within \(Int(radius)) m"
            }
        table.add(
            "city",
            "\(configuration.vehicles) vehicles, \(configuration.watchers) watchers, \(what), \(configuration.dialect.rawValue)"
        )
        figures.add(to: &table, sent: "positions sent", delivered: "rows")
        return LoadReport(
            name: "city", table: table, figures: figures,
            more: [
                "dialect": .string(configuration.dialect.rawValue), "vehicles": .number(Double(configuration.vehicles)),
                "watchers": .number(Double(configuration.watchers)),
                "zones": .number(Double(configuration.zones.zones.count)),
            ])
    }
}

/// Watchers, then vehicles (at a hub) or publishers (at a peer). Used on the loop's thread.
final class CityLoad {
    private let stage: LoadStage
    private let configuration: CityBench.Configuration
    private let links: LoadLinks
    private let meter: LoadMeter
    private let pace: LoadPace
    private let publishers: ChannelPublishers
    private let fleet: DriverSeats
    private let city: BenchCity
    private let vehicles: [Roundabout]
    private let isHub: Bool
    /// By zone.
    private let channels: [String]
    private var watchersOfZone: [Int]
    private var subscribed = 0
    private var turn = 0
    private var message: [UInt8] = []

    init(_ stage: LoadStage, _ configuration: CityBench.Configuration) throws(ReplayError) {
        self.stage = stage
        self.configuration = configuration
        isHub = configuration.dialect == .kerbside
        links = try LoadLinks(loop: stage.loop, trust: configuration.trust)
        meter = try LoadMeter(configuration.servers, links)
        pace = LoadPace(stage.loop)
        city = try BenchCity(configuration.zones, geoJSON: configuration.zonesGeoJSON)
        vehicles = city.vehicles(configuration.vehicles)
        publishers = ChannelPublishers(
            links, dialect: configuration.dialect, url: configuration.url, token: configuration.token)
        fleet = DriverSeats(links, HubSeats(urls: [configuration.url], token: configuration.token))
        channels = configuration.zones.zones.indices.map { "z\($0)" }
        watchersOfZone = channels.map { _ in 0 }
        links.onLive = { [unowned self] seat in greet(seat) }
        links.onMessage = { [unowned self] seat, payload in received(seat, payload) }
    }

    func shutdown() {
        pace.close()
        links.shutdown()
    }

    func perform() async throws(ReplayError) -> LoadFigures {
        for watcher in 0..<configuration.watchers {
            let zone = watcher % channels.count
            watchersOfZone[zone] += 1
            links.add(
                publishers.seat(
                    of: watcher, role: "passenger", subject: "W\(watcher)", channel: channels[zone], publishes: false))
        }
        if isHub { fleet.add(vehicles) } else { publishers.add(configuration.publishers, channels: channels) }
        // The vehicles first: a watcher's first message is then a snapshot of them, as in a city that lives.
        try await stage.connect(links, configuration.watchers..<links.count)
        if isHub { try await fleet.goAvailable(stage) }
        try await stage.connect(links, 0..<configuration.watchers)
        if isHub {
            guard await stage.wait(seconds: 20, until: { subscribed == configuration.watchers }) else {
                throw ReplayError(
                    "only \(subscribed) of \(configuration.watchers) watchers could subscribe (\(publishers.failure))")
            }
        }
        await stage.seconds(1)
        if !vehicles.isEmpty {
            pace.start(perSecond: Double(vehicles.count) * configuration.positionsPerSecond, flush: links.flush) {
                [unowned self] in move()
            }
        }
        stage.gatherTurns()
        await stage.seconds(configuration.warmUpSeconds)
        var figures = await meter.count(stage, seconds: configuration.seconds, pace)
        pace.stop()
        if figures.deliveries == 0, configuration.watchers > 0 {
            throw ReplayError("no position was delivered (\(publishers.failure))")
        }
        figures.refused = publishers.refused + fleet.refused
        return figures
    }

    private func greet(_ seat: Int) {
        if seat < configuration.watchers {
            if isHub {
                links.send(seat, text: watch(seat))
            } else {
                publishers.send(seat, configuration.dialect.subscription(to: channels[seat % channels.count]))
            }
        } else if !isHub {
            publishers.send(seat, configuration.dialect.publisherGreeting)
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
            meter.figures.sent += 1
            if configuration.watching == .zone, let zone = city.zone(of: vehicle.point(atMs: atMs)) {
                expect(watchersOfZone[zone])
            }
        } else if let zone = city.zone(of: vehicle.point(atMs: nowUs / 1000)) {
            Stamp.message(nowUs, bytes: configuration.bytes, into: &message)
            publishers.publish(message, channel: zone, turn: number)
            guard meter.isCounting else { return }
            meter.figures.sent += 1
            expect(watchersOfZone[zone])
        }
    }

    private func expect(_ count: Int) { meter.figures.expected = (meter.figures.expected ?? 0) + count }

    private func received(_ seat: Int, _ payload: UnsafeRawBufferPointer) {
        guard seat < configuration.watchers else {
            if isHub { fleet.heard(payload) } else { _ = publishers.isReply(payload, seat) }
            return
        }
        if meter.isCounting {
            let arrivedUs = meter.heard(payload)
            if isHub { countRows(payload, arrivedUs) } else { countStamps(payload, arrivedUs) }
        }
        if publishers.isReply(payload, seat) { subscribed += 1 }
    }

    private func countRows(_ payload: UnsafeRawBufferPointer, _ arrivedUs: Int64) {
        let hubUs = arrivedUs + links.hubOffsetMs * 1000
        let scan = RowScan(payload) { atMs in meter.figures.latency.record(hubUs - atMs * 1000) }
        if scan.kind == .delta { meter.figures.deliveries += scan.rows }
    }

    private func countStamps(_ payload: UnsafeRawBufferPointer, _ arrivedUs: Int64) {
        Stamp.scan(payload) { sentUs in
            meter.figures.deliveries += 1
            meter.figures.latency.record(arrivedUs - sentUs)
        }
    }
}
