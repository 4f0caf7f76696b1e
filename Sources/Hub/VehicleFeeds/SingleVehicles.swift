import Domain
import RedisLink
import WebSocketServer
import Wire

/// Vehicles that are watched by themselves: subscribed, and read from Redis, which tells of each only while it knows that it is watched.
extension VehicleFeeds {
    /// How long Redis tells of a vehicle before it has to be asked again, ms: three periods, so that it may be late.
    private static let watchedMs = 3 * VehicleReadings.periodS * 1000

    /// `vehicle:<id>`.
    func subscribe(
        vehicle id: String, _ view: FeedView, _ options: FeedOptions, _ message: ClientMessage, _ session: Session
    ) {
        let channel = Channel.vehicle(id)
        let mayBeUnknown = mayBeUnknown(id, session)
        guard mayBeUnknown || subscriber.isUp && commands.isUp else {
            return refuse(session, message.id, .unavailable, Self.cannotAsk)
        }
        let watcher = watcher(session)
        guard begin(channel, [.vehicle(id)], [.vehicle(id)], view, options, message, watcher) else { return }
        if let following = followed[.vehicle(id)], !following.wasRead {
            guard mayBeUnknown else {
                if let feed = watcher.feeds[channel] { following.undecided.append((feed, message)) }
                return
            }
            countAsUnknown(following, for: session.budget)
        }
        reply(session, message.id, Self.channelReply(channel), to: message.command.name)
    }

    /// Whether it may be followed, be it there or not. One that is followed already costs little more.
    private func mayBeUnknown(_ id: String, _ session: Session) -> Bool {
        if let following = followed[.vehicle(id)], following.wasRead || following.countedFor != nil { return true }
        return hasRoom(session.budget)
    }

    private func hasRoom(_ budget: Budget) -> Bool {
        unknownVehicles.hasRoom(for: budget.key, in: budget.group?.key)
    }

    /// It counts for who followed it first, until it turns out to be known.
    private func countAsUnknown(_ following: Following, for budget: Budget) {
        guard following.countedFor == nil else { return }
        following.countedFor = budget
        unknownVehicles.add(for: budget.key, in: budget.group?.key)
    }

    // MARK: reading

    func readSomeVehicles() {
        readVehicles(.first)
        // What has been read once can wait until what changes is heard again.
        if subscriber.isUp, commands.isUp { readVehicles(.again) }
    }

    private func readVehicles(_ kind: VehicleReadings.Kind) {
        let vehicles = vehicleReadings.next(kind)
        guard !vehicles.isEmpty else { return }
        for (_, following) in vehicles { following.isReading = true }
        let arguments: FunctionArguments = ["for_ms": RedisArgument(Self.watchedMs)]
        functions.call("feed_watch", arguments, more: vehicles.map { RedisArgument($0.id) }) { result in
            self.vehicleReadings.ended(kind)
            guard let lines = self.elements(result, of: "feed_watch"), lines.count == vehicles.count else {
                return self.wereNotRead(vehicles)
            }
            for ((id, following), line) in zip(vehicles, lines) where self.isFollowed(.vehicle(id), by: following) {
                if line.isNull {
                    guard self.mayStayUnknown(id, following) else { continue }
                } else {
                    self.isKnown(following)
                    self.applyWatched(line.bytes ?? [])
                }
                self.wasRead(.vehicle(id), following)
            }
            self.readSomeVehicles()
        }
    }

    /// It is tried again in a second, and the others wait for that, too: but not those who have no answer yet.
    private func wereNotRead(_ vehicles: [VehicleReadings.Vehicle]) {
        for (_, following) in vehicles { following.isCurrent = false }
        wasNotRead(vehicles.map { (.vehicle($0.id), $0.following) })
        for (_, following) in vehicles { refuseUndecided(following, .unavailable, Self.cannotAsk) }
        refuseUndecided { $0.isQueued }
    }

    /// Redis can't be asked: who waits for an answer as to these gets one.
    func refuseUndecided(_ isMeant: (Following) -> Bool = { _ in true }) {
        for following in followed.values where !following.undecided.isEmpty && isMeant(following) {
            refuseUndecided(following, .unavailable, Self.cannotAsk)
        }
    }

    // MARK: those that Redis does not know

    /// It is there, or has been.
    func isKnown(_ following: Following) {
        guard let budget = following.countedFor else { return }
        following.countedFor = nil
        unknownVehicles.remove(for: budget.key, in: budget.group?.key)
    }

    /// Redis does not know it. False: nobody who wants it may follow one more of those, and it is left.
    private func mayStayUnknown(_ id: String, _ following: Following) -> Bool {
        // What was heard of it since it was asked for is later.
        guard following.held.isEmpty else {
            isKnown(following)
            return true
        }
        guard !following.wasRead, following.countedFor == nil else { return true }
        let undecided = following.undecided
        let taker =
            following.waiting.first { feed in !feed.hasEnded && !undecided.contains { $0.feed === feed } }
            ?? following.waiting.first { !$0.hasEnded && hasRoom($0.session.budget) }
        guard let budget = taker?.session.budget else {
            let detail =
                "field `channel`: the hub does not know vehicle \(id), and you, or all in your network, follow as many of "
                + "those as you may: leave one first."
            refuseUndecided(following, .notAvailable, detail)
            return false
        }
        countAsUnknown(following, for: budget)
        return true
    }

    /// Those that have waited for the first reading may follow it.
    func acceptUndecided(_ following: Following) {
        guard !following.undecided.isEmpty else { return }
        let accepted = following.undecided
        following.undecided = []
        for (feed, message) in accepted { accept(feed, message) }
    }

    /// It was left, or asked for anew, before that.
    func acceptUndecided(_ following: Following, of feed: Feed) {
        guard let index = following.undecided.firstIndex(where: { $0.feed === feed }) else { return }
        accept(feed, following.undecided.remove(at: index).message)
    }

    private func accept(_ feed: Feed, _ message: ClientMessage) {
        reply(feed.session, message.id, Self.channelReply(feed.subscription.channel), to: message.command.name)
    }

    private func refuseUndecided(_ following: Following, _ code: ErrorCode, _ detail: String) {
        let refused = following.undecided
        following.undecided = []
        for (feed, message) in refused {
            if let watcher = watchers[feed.session.connection] { end(feed.subscription.channel, watcher) }
            refuse(feed.session, message.id, code, detail)
        }
    }

    private static let cannotAsk = "The hub can't reach its store now; subscribe again."
}
