import Domain
import EventLoop
import RedisLink
import Settings
import Telemetry
import WebSocketServer
import Wire

/// Feeds: who watches what, and what each is sent at a tick. What they show arrives by Worker+Following.
extension Worker {
    /// Feeds told before the loop goes round: offers and acceptances wait for no more than that.
    static let feedsAtOnce = 128
    /// A feed whose ways have to be decided takes as long as so many others.
    private static let feedsPerDecision = 32
    /// Feeds told in one slice of a tick before another slice is taken, too: some 25 ms of sends.
    static let feedsPerSlice = 4_096

    // MARK: subscribing

    func unwatch(_ message: ClientMessage, _ session: Session) {
        dropNextCircle(session)
        endFeed(Channel.near, session)
        reply(session, message.id, Self.channelReply(Channel.near), to: .unwatch)
    }

    /// `zone:<id>`, `vehicle:<id>` and `city`. False: it is no channel of these.
    func subscribeFeed(
        _ channel: String, _ options: FeedOptions, _ message: ClientMessage, _ session: Session, _ identity: Identity
    ) -> Bool {
        let parts = channel.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let view = view(identity, options)
        switch (parts[0], parts.count) {
        case ("zone", 2):
            guard seesTheCity(identity) else { return refuseFeed(channel, message, session) }
            let id = String(parts[1])
            guard let zones else {
                refuse(session, message.id, .zonesUnknown, "The zones are being loaded; try again in a moment.")
                return true
            }
            guard let sources = sources(of: id, zones) else {
                refuse(
                    session, message.id, .notFound, "field `channel`: \(settings.city.id) has no zone \(id).",
                    field: "channel")
                return true
            }
            let price = CommandPrice.cells(sources.count)
            guard isWithinRate(session, message.id, price: price),
                begin(channel, [.zone(id)], sources, view, options, message, session)
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
            let isOwn = session.taxi == id || identity.role == .driver && identity.subject == id
            guard isOwn || seesTheCity(identity) else { return refuseFeed(channel, message, session) }
            let seen = FeedView(visibility: isOwn ? .own : view.visibility, filter: options.filter)
            guard begin(channel, [.vehicle(id)], [.vehicle(id)], seen, options, message, session) else { return true }
        case ("city", 1):
            guard identity.role == .operator || identity.role == .service else {
                return refuseFeed(channel, message, session)
            }
            guard begin(channel, [.city], [.city], view, options, message, session) else { return true }
        default: return false
        }
        reply(session, message.id, Self.channelReply(channel), to: .subscribe)
        return true
    }

    /// The cells of a zone; nil when there is no such zone. A vehicle within the margin outside the border counts as in it.
    private func sources(of zone: String, _ zones: ZoneSet) -> [FeedSource]? {
        guard let index = zones.index(ofID: zone) else { return nil }
        return CellGrid.cells(in: zones.bounds(of: index).widened(byMetres: settings.zones.marginM)).map { .cell($0) }
    }

    /// The zones are others: who watches one that has other cells now begins anew, with a snapshot.
    func rewatchZones() {
        guard let zones else { return }
        for feed in Array(feeds.joined()) {
            let channel = feed.subscription.channel
            guard case .zone(let id)? = feed.subscription.scopes.first?.key, let sources = sources(of: id, zones),
                sources != feed.sources, let options = feed.asked
            else { continue }
            _ = begin(channel, [.zone(id)], sources, feed.subscription.view, options, nil, feed.session)
        }
    }

    /// True when the session had such a feed.
    @discardableResult
    func endFeed(_ channel: String, _ session: Session) -> Bool {
        guard let feed = session.feeds.removeValue(forKey: channel) else { return false }
        let slice = feed.slice
        var hole = feed.index
        if isTelling, slice == slicesTold % Self.slicesPerTick, hole < nextFeed {
            // Of those that were told the last takes its place: the slice's last has not been told yet.
            nextFeed -= 1
            feeds[slice].swapAt(hole, nextFeed)
            feeds[slice][hole].index = hole
            hole = nextFeed
        }
        feeds[slice].swapAt(hole, feeds[slice].count - 1)
        feeds[slice][hole].index = hole
        feeds[slice].removeLast()
        for scope in feed.subscription.scopes { board.release(scope) }
        for source in feed.sources { unfollow(source, for: feed) }
        return true
    }

    func endFeeds(_ session: Session) {
        for channel in session.feeds.keys { endFeed(channel, session) }
    }

    /// The taxi of a passenger's ride: seen whatever it does, as long as the ride lasts.
    func followTaxi(_ id: String, _ session: Session) {
        let channel = Channel.vehicle(id)
        _ = begin(
            channel, [.vehicle(id)], [.vehicle(id)], FeedView(visibility: .own, filter: FeedFilter()), FeedOptions(),
            nil,
            session)
    }

    /// The ride is over: who asked for the taxi's channel sees it as any other taxi's, and nobody else does.
    func leaveTaxi(_ id: String, _ session: Session) {
        let channel = Channel.vehicle(id)
        guard let feed = session.feeds[channel] else { return }
        guard let asked = feed.asked, let identity = session.identity else {
            // It goes off the map as it came, unasked.
            if feed.subscription.sentTick != nil, session.phase == .live {
                board.clear(feed.subscription)
                board.scratch.withUnsafeBytes { _ = server.send(session.connection, feedFrame($0, session.encoding)) }
            }
            endFeed(channel, session)
            return
        }
        _ = begin(channel, [.vehicle(id)], [.vehicle(id)], view(identity, asked), asked, nil, session)
    }

    func begin(
        _ channel: String, _ scopes: [FeedScopeKey], _ sources: [FeedSource], _ view: FeedView, _ options: FeedOptions,
        _ message: ClientMessage?, _ session: Session
    ) -> Bool {
        if let message, session.feeds[channel] == nil,
            session.feeds.count + session.topics.count >= WireLimits.feedChannels
        {
            refuse(
                session, message.id, .badMessage,
                "field `channel`: at most \(WireLimits.feedChannels) channels are watched at once; leave one first.",
                field: "channel")
            return false
        }
        let old = session.feeds[channel]
        // The zones of vehicles are known from the first watcher of any zone on.
        if case .zone? = scopes.first, !board.watchesZones { board.rezone { self.zoneOf($0) } }
        let subscription = FeedSubscription(
            channel: channel, scopes: scopes.map { board.retain($0) }, view: view, encoding: session.encoding)
        let feed = Feed(session, subscription, sources: sources, everyTicks: ticks(channel, options))
        feed.asked = message == nil ? old?.asked : options
        // First the new, then the old: what both watch is not forgotten in between.
        follow(sources, for: feed)
        if old != nil { endFeed(channel, session) }
        session.feeds[channel] = feed
        feed.slice = emptiestSlice
        feed.index = feeds[feed.slice].count
        feeds[feed.slice].append(feed)
        if feed.waitsFor == 0 { freshFeeds.append(feed) }
        return true
    }

    // MARK: who may see what

    func seesTheCity(_ identity: Identity) -> Bool {
        identity.role == .passenger || identity.role == .operator || identity.role == .service
    }

    func view(_ identity: Identity, _ options: FeedOptions) -> FeedView {
        FeedView(visibility: identity.role == .passenger ? .available : .all, filter: options.filter)
    }

    private func refuseFeed(_ channel: String, _ message: ClientMessage, _ session: Session) -> Bool {
        forbidFeed(channel, message, session)
        return true
    }

    func forbidFeed(_ channel: String, _ message: ClientMessage, _ session: Session) {
        refuse(
            session, message.id, .forbidden,
            "field `channel`: \(channel) is not for the role \(session.identity?.role.rawValue ?? "") to watch.",
            field: "channel")
    }

    // MARK: telling

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

    /// A slice: what has come until now is one state, and the slice's feeds are told what of it is new to them.
    func tellFeeds() {
        // A worker that can't keep up does slices later and never leaves one out.
        slicesDue = min(slicesDue + 1, Self.slicesPerTick)
        guard !isTelling else { return }
        tellNextSlice()
    }

    private func tellNextSlice() {
        isTelling = true
        slicesDue -= 1
        slicesTold += 1
        renewPathIndex()
        board.advance(now: now())
        // What comes later waits for the next slice: its state is not in this one.
        tellingFresh = freshFeeds
        freshFeeds.removeAll(keepingCapacity: true)
        nextFeed = 0
        tellSomeFeeds()
    }

    private func tellSomeFeeds() {
        let slice = slicesTold % Self.slicesPerTick
        var left = Self.feedsAtOnce
        while left > 0, let feed = tellingFresh.popLast() {
            guard feed.session.feeds[feed.subscription.channel] === feed else { continue }
            left -= isUndecided(feed) ? Self.feedsPerDecision : 1
            tell(feed)
        }
        while left > 0, nextFeed < feeds[slice].count {
            let feed = feeds[slice][nextFeed]
            left -= isUndecided(feed) ? Self.feedsPerDecision : 1
            nextFeed += 1
            tell(feed)
        }
        if nextFeed < feeds[slice].count || !tellingFresh.isEmpty {
            feedPace.start(afterMs: 0) { self.tellSomeFeeds() }
        } else if slicesDue > 0 {
            feedPace.start(afterMs: 0) { self.tellNextSlice() }
        } else {
            isTelling = false
        }
    }

    private func tell(_ feed: Feed) {
        let session = feed.session
        guard feed.waitsFor == 0, session.phase == .live || session.phase == .catchingUp else { return }
        let slot = slicesTold / (Self.slicesPerTick * feed.everyTicks)
        guard slot != feed.slot || feed.subscription.sentTick == nil else { return }
        // A reader that has not taken what it was sent gets, once it has, the latest of each vehicle instead of everything.
        guard server.isCaughtUp(session.connection) else {
            metrics.feedsConflated.increment()
            return
        }
        feed.slot = slot
        if feed.journey != nil { decide(feed) }
        switch board.update(feed.subscription) {
        case nil: return
        case .shared(let message)?:
            if message.frame.isEmpty {
                message.frame = message.payload.withUnsafeBytes { feedFrame($0, session.encoding).bytes }
            }
            server.send(session.connection, Frame(encoded: message.frame))
        case .own?:
            board.scratch.withUnsafeBytes { _ = server.send(session.connection, feedFrame($0, session.encoding)) }
        }
        metrics.feedMessages.increment()
    }

    /// What the board has written is in the feed's encoding already.
    private func feedFrame(_ payload: UnsafeRawBufferPointer, _ encoding: FeedEncoding) -> Frame {
        encoding == .json ? Frame.text(payload) : Frame.binary(payload)
    }
}
