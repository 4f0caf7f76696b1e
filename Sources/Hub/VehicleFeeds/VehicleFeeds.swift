import DequeModule
import Domain
import EventLoop
import RedisLink
import Settings
import WebSocketServer
import Wire

/// Feeds of vehicles: who watches what, and what each is sent at a tick. What they show arrives by FeedSources.swift.
final class VehicleFeeds: MessageListener, PushListener {
    let services: WorkerServices
    let followedVehicles: FollowedVehicles
    let patterns: RoutePatterns

    /// What is shown of vehicles, as far as somebody watches it here.
    let board: FeedBoard
    var watchers: [ConnectionID: Watcher] = [:]
    /// All feeds by the slice in which they are told.
    var feeds = [[Feed]](repeating: [], count: WorkerServices.slicesPerTick)

    // Telling
    /// Feeds whose state has been read since the present slice began: it is on the board with the next one.
    var freshFeeds: [Feed] = []
    /// Those whose snapshot is due, whatever their slice is.
    var snapshots = SubjectQueue<Feed>()
    /// Slices begun so far, how far the present one has come, and those that have come due meanwhile.
    var slicesBegun = 0
    var nextFeed = 0
    var isSliceTold = true
    var slicesDue = 0
    /// More is to be told in the next turn.
    var isTelling = false

    // FeedSources
    var followed: [FeedSource: Following] = [:]
    /// Those of them that no feed needs now.
    var lingering: Set<FeedSource> = []
    /// Cells to be read, in the order in which they were wanted, calls under way, and what nobody needs any more: the next slice leaves its
    /// channel, and forgets its vehicles.
    var cellsToRead: Deque<(cell: CellID, following: Following)> = []
    var cellCalls = 0
    var sourcesToLeave: Set<FeedSource> = []
    /// What the names of feeds' channels in Redis begin with.
    let feedPrefix: [UInt8]

    // SingleVehicles
    var vehicleReadings = VehicleReadings()
    var unknownVehicles = UnknownVehicles()

    // AnnouncedPaths
    /// The ways that vehicles go, while somebody watches with a destination: as they were announced, in an index that was made
    /// with this version of the catalog.
    var announced: [String: String] = [:]
    var pathIndex: PathIndex?
    /// How many ways the index had that was closed last.
    var waysLast = 0
    var pathIndexVersion = ""

    // Circles
    /// Those whose circle is to move when it may, and those for which the time has come: more of these are moved in the next turn.
    var circlesToMove: [Watcher] = []
    var movingCircles = SubjectQueue<Watcher>()
    var moveShare = TurnShare()
    var isMovingCircles = false

    /// Feeds that have ended, and whose sources are yet to be left: more of them in the next turn.
    private var endedFeeds: Deque<Feed> = []
    private var leaveShare = TurnShare()
    private var isLeavingFeeds = false

    /// Feeds told in one slice of a tick before another slice is taken, too: some 25 ms of sends.
    private static let feedsPerSlice = 4_096

    init(_ services: WorkerServices, _ followedVehicles: FollowedVehicles, _ patterns: RoutePatterns) {
        self.services = services
        self.followedVehicles = followedVehicles
        self.patterns = patterns
        board = FeedBoard(rules: services.settings.feedRules)
        feedPrefix = Array(services.keys.feed("").utf8)
        followedVehicles.show = { vehicle, session, isTold in self.show(vehicle, session, isTold: isTold) }
        followedVehicles.hide = { vehicle, session in self.hide(vehicle, session) }
    }

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        guard case .channels(let command) = message.command else { return false }
        switch command {
        case .watch(let lat, let lon, let radius, let options):
            watch(lat, lon, radius, options, message, session, identity)
        case .unwatch: unwatch(message, session)
        case .subscribe(let channel, let options, _):
            return subscribe(channel, options, message, session, identity)
        case .unsubscribe(let channel):
            guard !Channel.hasEvents(channel), !channel.hasPrefix(Channel.events), channel != identity.channel else {
                return false
            }
            end(channel, watcher(session))
            reply(session, message.id, Self.channelReply(channel), to: message.command.name)
        }
        return true
    }

    func closed(_ session: Session) {
        guard let watcher = watchers.removeValue(forKey: session.connection) else { return }
        for channel in Array(watcher.feeds.keys) { end(channel, watcher) }
    }

    func slice(_ number: Int) {
        leaveSources()
        moveCircles()
        tellFeeds()
    }

    func second() {
        leaveLingering()
        vehicleReadings.advance()
        refreshSources()
        readSomeVehicles()
    }

    func subscriptionLost() {
        for following in followed.values {
            following.isCurrent = false
            following.wasInterrupted = following.isReading
        }
        refuseUndecided()
    }

    func subscriptionBack() { refreshSources() }

    func settingsChanged() {
        board.rezone { self.zones.id(of: $0) }
        rewatchZones()
    }

    func watcher(_ session: Session) -> Watcher {
        if let known = watchers[session.connection] { return known }
        let watcher = Watcher(session)
        watchers[session.connection] = watcher
        return watcher
    }

    // MARK: subscribing

    private func unwatch(_ message: ClientMessage, _ session: Session) {
        let watcher = watcher(session)
        dropNextCircle(watcher)
        end(Channel.near, watcher)
        reply(session, message.id, Self.channelReply(Channel.near), to: message.command.name)
    }

    /// `zone:<id>`, `vehicle:<id>` and `city`. False: it is no channel of these.
    private func subscribe(
        _ channel: String, _ options: FeedOptions, _ message: ClientMessage, _ session: Session, _ identity: Identity
    ) -> Bool {
        let parts = channel.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let view = view(identity, options)
        switch (parts[0], parts.count) {
        case ("zone", 2):
            guard Self.seesTheCity(identity) else { return refuseFeed(channel, message, session) }
            let id = String(parts[1])
            guard let set = zones.set else {
                refuse(session, message.id, .zonesUnknown, "The zones are being loaded; try again in a moment.")
                return true
            }
            guard let sources = sources(of: id, set) else {
                refuse(
                    session, message.id, .notFound, "field `channel`: \(settings.city.id) has no zone \(id).",
                    field: "channel")
                return true
            }
            let price = price(of: sources, identity)
            let paid = CommandPrice.of(message.command)
            guard services.budgets.take(cells: price, besides: paid, of: session, message.id),
                begin(channel, [.zone(id)], sources, view, options, message, watcher(session))
            else { return true }
        case ("vehicle", 2):
            let id = String(parts[1])
            guard Channel.isVehicle(channel) else {
                refuse(
                    session, message.id, .badMessage,
                    "field `channel`: expected vehicle: and an id of 1 to 64 of A-Z a-z 0-9 _ . : -.",
                    field: "channel")
                return true
            }
            let isOwn =
                followedVehicles.vehicle(of: session) == id || identity.role == .driver && identity.subject == id
            guard isOwn || Self.seesTheCity(identity) else { return refuseFeed(channel, message, session) }
            let seen = FeedView(visibility: isOwn ? .own : view.visibility, filter: options.filter)
            subscribe(vehicle: id, seen, options, message, session)
            return true
        case ("city", 1):
            guard identity.role == .operator || identity.role == .service else {
                return refuseFeed(channel, message, session)
            }
            guard begin(channel, [.city], [.city], view, options, message, watcher(session)) else { return true }
        default: return false
        }
        reply(session, message.id, Self.channelReply(channel), to: message.command.name)
        return true
    }

    /// The cells of a zone; nil when there is no such zone. A vehicle within the margin outside the border counts as in it.
    private func sources(of zone: String, _ zones: ZoneSet) -> [FeedSource]? {
        guard let index = zones.index(ofID: zone) else { return nil }
        return CellGrid.cells(in: zones.bounds(of: index).widened(byMetres: settings.zones.marginM)).map { .cell($0) }
    }

    /// The zones are others: who watches one that has other cells now begins anew, with a snapshot.
    private func rewatchZones() {
        guard let set = zones.set else { return }
        for feed in Array(feeds.joined()) {
            let channel = feed.subscription.channel
            guard case .zone(let id)? = feed.subscription.scopes.first?.key, let sources = sources(of: id, set),
                sources != feed.sources, let options = feed.asked
            else { continue }
            _ = begin(channel, [.zone(id)], sources, feed.subscription.view, options, nil, watcher(feed.session))
        }
    }

    func end(_ channel: String, _ watcher: Watcher) {
        guard let feed = watcher.feeds.removeValue(forKey: channel) else { return }
        watcher.session.channels -= 1
        let slice = feed.slice
        var hole = feed.index
        if !isSliceTold, slice == slicesBegun % WorkerServices.slicesPerTick, hole < nextFeed {
            // Of those that were told the last takes its place: the slice's last has not been told yet.
            nextFeed -= 1
            feeds[slice].swapAt(hole, nextFeed)
            feeds[slice][hole].index = hole
            hole = nextFeed
        }
        feeds[slice].swapAt(hole, feeds[slice].count - 1)
        feeds[slice][hole].index = hole
        feeds[slice].removeLast()
        feed.hasEnded = true
        // Whether somebody may follow one more vehicle that nobody knows depends on those that are followed now.
        guard feed.sources.count > 1 else { return leaveSources(of: feed) }
        endedFeeds.append(feed)
        if !isLeavingFeeds { leaveEndedFeeds() }
    }

    /// A circle leaves 530 cells, which takes 0.2 ms, and many connections may end at once: a turn has a share for that.
    private func leaveEndedFeeds() {
        while leaveShare.isLeft(at: loop.now), let feed = endedFeeds.popFirst() {
            let began = EventLoop.currentTimeNs()
            leaveSources(of: feed)
            leaveShare.spend(EventLoop.currentTimeNs() - began)
        }
        isLeavingFeeds = !endedFeeds.isEmpty
        if isLeavingFeeds { loop.inNextTurn { self.leaveEndedFeeds() } }
    }

    private func leaveSources(of feed: Feed) {
        for scope in feed.subscription.scopes { board.release(scope) }
        for source in feed.sources { unfollow(source, for: feed) }
    }

    /// The vehicle that comes for a passenger: seen whatever it does, as long as the ride lasts.
    private func show(_ id: String, _ session: Session, isTold: Bool) {
        let channel = Channel.vehicle(id)
        _ = begin(
            channel, [.vehicle(id)], [.vehicle(id)], FeedView(visibility: .own, filter: FeedFilter()), FeedOptions(),
            nil, watcher(session), isTold: isTold)
    }

    /// The ride is over: who asked for the taxi's channel sees it as any other taxi's, and nobody else does.
    private func hide(_ id: String, _ session: Session) {
        let channel = Channel.vehicle(id)
        let watcher = watcher(session)
        guard let feed = watcher.feeds[channel] else { return }
        guard let asked = feed.asked, let identity = session.identity else {
            // It goes off the map as it came, unasked; also while its passenger catches up, as nothing tells that later.
            if feed.subscription.sentTick != nil {
                board.clear(feed.subscription)
                board.scratch.withUnsafeBytes { _ = server.send(session.connection, feedFrame($0, session.encoding)) }
            }
            end(channel, watcher)
            return
        }
        _ = begin(channel, [.vehicle(id)], [.vehicle(id)], view(identity, asked), asked, nil, watcher)
    }

    func begin(
        _ channel: String, _ scopes: [FeedScopeKey], _ sources: [FeedSource], _ view: FeedView, _ options: FeedOptions,
        _ message: ClientMessage?, _ watcher: Watcher, isTold: Bool = false
    ) -> Bool {
        let session = watcher.session
        if let message, watcher.feeds[channel] == nil, session.channels >= WireLimits.feedChannels {
            refuse(
                session, message.id, .badMessage,
                "field `channel`: at most \(WireLimits.feedChannels) channels are watched at once; leave one first.",
                field: "channel")
            return false
        }
        let old = watcher.feeds[channel]
        // The zones of vehicles are known from the first watcher of any zone on.
        if case .zone? = scopes.first, !board.watchesZones { board.rezone { self.zones.id(of: $0) } }
        let subscription = FeedSubscription(
            channel: channel, scopes: scopes.map { board.retain($0) }, view: view, encoding: session.encoding)
        let feed = Feed(session, subscription, sources: sources, everyTicks: ticks(channel, options))
        feed.asked = message == nil ? old?.asked : options
        // First the new, then the old: what both watch is not forgotten in between.
        follow(sources, for: feed, isTold: isTold)
        if old != nil { end(channel, watcher) }
        watcher.feeds[channel] = feed
        session.channels += 1
        feed.slice = emptiestSlice
        feed.index = feeds[feed.slice].count
        feeds[feed.slice].append(feed)
        if feed.waitsFor == 0 { wasRead(feed) }
        return true
    }

    private func ticks(_ channel: String, _ options: FeedOptions) -> Int {
        let kind: Int =
            switch channel {
            case Channel.near: settings.feeds.nearMs
            case "city": settings.feeds.cityMs
            default: channel.hasPrefix("zone:") ? settings.feeds.zoneMs : settings.feeds.vehicleMs
            }
        let wanted = max(Double(kind), options.maxRate.map { 1000 / $0 } ?? 0)
        return max(1, Int((wanted / Double(settings.positions.tickMs)).rounded(.up)))
    }

    /// The first slice with room for one more feed; with none left the one with the fewest.
    private var emptiestSlice: Int {
        feeds.firstIndex { $0.count < Self.feedsPerSlice } ?? feeds.indices.min { feeds[$0].count < feeds[$1].count }
            ?? 0
    }

    // MARK: who may see what

    private static func seesTheCity(_ identity: Identity) -> Bool {
        identity.role == .passenger || identity.role == .operator || identity.role == .service
    }

    func view(_ identity: Identity, _ options: FeedOptions) -> FeedView {
        FeedView(visibility: identity.role == .passenger ? .available : .all, filter: options.filter)
    }

    private func refuseFeed(_ channel: String, _ message: ClientMessage, _ session: Session) -> Bool {
        refuse(
            session, message.id, .forbidden,
            "field `channel`: \(channel) is not for the role \(session.identity?.role.rawValue ?? "") to watch.",
            field: "channel")
        return true
    }
}
