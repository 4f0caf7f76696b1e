import DequeModule
import Domain
import EventLoop
import Logging
import RedisLink
import Settings
import Telemetry
import WebSocketServer
import Wire

/// What feeds show: a worker follows in Redis the cells that its clients watch, and no others.
///
/// First the channel is subscribed, then the state is read: whatever is published after the reading is heard. The
/// subscriber's heartbeat tells when its connection is lost; when it is back all that is followed is read again.
extension VehicleFeeds {
    /// Cells whose state is read in one call: Redis serves nobody else meanwhile.
    private static let cellsPerCall = 40
    /// Vehicles of the city read in one call.
    private static let vehiclesPerCall = 400
    /// How long what costs Redis much to read is followed when nobody watches it any more, ms, and how many of that: who comes and goes
    /// would have it read each time, 15 µs of Redis a vehicle.
    private static let lingersMs: UInt64 = 10_000
    private static let mostLingering = 1_000
    /// Sources whose channels are left in a slice.
    private static let leftPerSlice = 1_000
    /// Calls that read cells under way: what others ask of Redis goes in between.
    private static let mostCellCalls = 2

    /// isTold: of a single vehicle, Redis tells already, and what it is now comes next (offer_accept). If it does not, it is read like
    /// all that is not current.
    func follow(_ sources: [FeedSource], for feed: Feed, isTold: Bool = false) {
        var new: [Followed] = []
        for source in sources {
            let known = followed[source]
            // What nobody tells any more must not stay because the city is followed from now on.
            if source == .city, known == nil { forgetCells(of: sourcesToLeave) }
            let following = known ?? Following()
            followed[source] = following
            following.count += 1
            if known == nil { new.append((source, following)) }
            guard !following.wasRead else { continue }
            feed.waitsFor += 1
            following.waiting.append(feed)
        }
        guard !new.isEmpty else { return }
        let channels = new.compactMap { channel(of: $0.source) }
        if !channels.isEmpty {
            for (source, _) in new { sourcesToLeave.remove(source) }
            subscriber.subscribe(channels) { self.read(new.filter { self.channel(of: $0.source) != nil }) }
        }
        for case (.vehicle(let id), let following) in new {
            vehicleReadings.add((id, following))
            if isTold {
                following.isSubscribed = true
                continue
            }
            readers.whenSubscribed(Channel.vehicle(id)) { self.read([(.vehicle(id), following)]) }
        }
    }

    func unfollow(_ source: FeedSource, for feed: Feed) {
        guard let following = followed[source] else { return }
        following.count -= 1
        // Not each time: a thousand circles may wait for the same cells.
        if following.waiting.count > 2 * following.count + 16 { following.waiting.removeAll { $0.hasEnded } }
        acceptUndecided(following, of: feed)
        guard following.count == 0 else { return }
        guard isDear(source), lingering.count < Self.mostLingering else { return leave(source) }
        following.leftAt = loop.now
        lingering.insert(source)
    }

    /// Whether it costs much to read. There are as many cells as one likes where nobody drives: they must not take the place of others.
    private func isDear(_ source: FeedSource) -> Bool {
        switch source {
        case .cell(let cell): board.hasVehicles(in: cell)
        case .city, .ways: true
        case .vehicle: false
        }
    }

    /// Those that nobody has watched for a while are not followed any more.
    func leaveLingering() {
        for source in lingering {
            guard let following = followed[source], following.count == 0 else {
                lingering.remove(source)
                continue
            }
            guard loop.now - following.leftAt >= Self.lingersMs else { continue }
            lingering.remove(source)
            leave(source)
        }
    }

    private func leave(_ source: FeedSource) {
        guard let following = followed.removeValue(forKey: source) else { return }
        following.isLeft = true
        switch source {
        case .cell: break
        case .city: board.forgetCells { self.followed[.cell($0)] == nil }
        case .vehicle: isKnown(following)
        case .ways: closePathIndex()
        }
        if channel(of: source) != nil { sourcesToLeave.insert(source) }
    }

    /// In each slice, before what has come is shown: what was left since then, its channels by one command and its cells at once. However
    /// many circles have moved, a slice leaves so many as take half a millisecond or so.
    func leaveSources() {
        guard !sourcesToLeave.isEmpty else { return }
        let left =
            sourcesToLeave.count > Self.leftPerSlice ? Set(sourcesToLeave.prefix(Self.leftPerSlice)) : sourcesToLeave
        sourcesToLeave.subtract(left)
        subscriber.unsubscribe(left.compactMap { channel(of: $0) })
        if followed[.city] == nil { forgetCells(of: left) }
    }

    private func forgetCells(of left: Set<FeedSource>) {
        var cells: Set<CellID> = []
        for case .cell(let cell) in left { cells.insert(cell) }
        board.forget(cells)
    }

    private func channel(of source: FeedSource) -> String? {
        switch source {
        case .cell(let cell): keys.feed(cell.text)
        case .city: keys.feed("city")
        case .ways: keys.feed("ways")
        case .vehicle: nil
        }
    }

    /// Reads again what is not current: after a loss of the subscription, or when a reading failed.
    func refreshSources() {
        guard subscriber.isUp, commands.isUp else { return }
        let due = followed.filter { _, following in
            following.isSubscribed && !following.isCurrent && !following.isReading && !following.isQueued
        }
        if !due.isEmpty { read(due.map { ($0.key, $0.value) }) }
    }

    // MARK: reading

    /// One that was left, and perhaps followed anew, is not this one any more: that one's own reading counts.
    func isFollowed(_ source: FeedSource, by following: Following) -> Bool { followed[source] === following }

    private func read(_ sources: [Followed]) {
        for (source, following) in sources {
            guard isFollowed(source, by: following) else { continue }
            following.isSubscribed = true
            guard !following.isReading else { continue }
            if case .vehicle(let id) = source {
                vehicleReadings.want((id, following))
                continue
            }
            following.isReading = true
            switch source {
            case .cell(let cell): cellsToRead.append((cell, following))
            case .vehicle: break
            case .city: readCity(from: "0", following)
            case .ways: readWays(following)
            }
        }
        readSomeCells()
        readSomeVehicles()
    }

    /// In the order in which they were wanted.
    private func readSomeCells() {
        while cellCalls < Self.mostCellCalls, !cellsToRead.isEmpty {
            var cells: [(CellID, Following)] = []
            while cells.count < Self.cellsPerCall, let next = cellsToRead.popFirst() {
                if isFollowed(.cell(next.cell), by: next.following) { cells.append(next) }
            }
            if !cells.isEmpty { readCells(cells) }
        }
    }

    private func readCells(_ cells: [(cell: CellID, following: Following)]) {
        cellCalls += 1
        for (cell, _) in cells { board.willRead(cell: cell) }
        let arguments: FunctionArguments = ["max_age_ms": RedisArgument(settings.feeds.goneAfterMs)]
        functions.call("feed_state", arguments, more: cells.map { RedisArgument($0.cell.text) }) { result in
            self.cellCalls -= 1
            defer { self.readSomeCells() }
            guard let lines = self.elements(result, of: "feed_state"), lines.count == cells.count else {
                return self.wasNotRead(cells.map { (.cell($0.cell), $0.following) })
            }
            for ((cell, following), text) in zip(cells, lines) where self.isFollowed(.cell(cell), by: following) {
                (text.bytes ?? []).withUnsafeBytes {
                    _ = self.board.replace(cell: cell, lines: $0) { self.zones.id(of: $0) }
                }
                self.wasRead(.cell(cell), following)
            }
        }
    }

    /// The city in portions. A vehicle that has gone meanwhile needs no word: it ages.
    private func readCity(from cursor: String, _ following: Following) {
        let arguments: FunctionArguments = [
            "max_age_ms": RedisArgument(settings.feeds.goneAfterMs), "cursor": RedisArgument(cursor),
            "most": RedisArgument(Self.vehiclesPerCall),
        ]
        functions.call("feed_city", arguments) { result in
            guard let answer = self.elements(result, of: "feed_city"), answer.count == 2, let next = answer[0].text
            else {
                return self.wasNotRead([(.city, following)])
            }
            guard self.isFollowed(.city, by: following) else { return }
            self.applyAnywhere(answer[1].bytes ?? [])
            if next == "0" { self.wasRead(.city, following) } else { self.readCity(from: next, following) }
        }
    }

    func wasRead(_ source: FeedSource, _ following: Following) {
        // What was published while the subscription was lost may be missing in what was read before: once more then.
        following.isCurrent = subscriber.isUp && !following.wasInterrupted
        following.wasRead = true
        acceptUndecided(following)
        applyHeld(source, following)
        for feed in following.waiting where !feed.hasEnded {
            feed.waitsFor -= 1
            if feed.waitsFor == 0 { wasRead(feed) }
        }
        following.waiting = []
    }

    /// It is tried again within a second.
    func wasNotRead(_ sources: [Followed]) {
        for (source, following) in sources where isFollowed(source, by: following) { applyHeld(source, following) }
    }

    private func applyHeld(_ source: FeedSource, _ following: Following) {
        following.isReading = false
        following.wasInterrupted = false
        let held = following.held
        following.held = []
        for lines in held {
            switch source {
            case .cell: break
            case .city: applyAnywhere(lines)
            case .vehicle: applyWatched(lines)
            case .ways: applyWay(lines)
            }
        }
    }

    // MARK: hearing

    func onMessage(_ channel: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) -> Bool {
        guard channel.count > feedPrefix.count, channel.starts(with: feedPrefix) else { return false }
        let name = UnsafeRawBufferPointer(rebasing: channel[feedPrefix.count...])
        let cell = CellID(text: name)
        let source = cell.map { FeedSource.cell($0) } ?? (name.elementsEqual("ways".utf8) ? .ways : .city)
        guard let following = followed[source] else { return true }
        metrics.feedRecords.increment()
        if let cell {
            // With the whole city followed it comes twice, and once is enough.
            if followed[.city]?.isCurrent != true { board.apply(lines: payload, cell: cell) { self.zones.id(of: $0) } }
        } else if following.isReading {
            following.held.append(Array(payload))
        } else if source == .ways {
            applyWay(Array(payload))
        } else {
            applyAnywhere(Array(payload))
        }
        return true
    }

    func onPublish(_ push: Push) -> Bool {
        guard push.seq.isEmpty, push.type == "record" else { return false }
        let source = FeedSource.vehicle(String(push.channel.dropFirst(Channel.vehicle("").count)))
        guard let following = followed[source] else { return true }
        metrics.feedRecords.increment()
        isKnown(following)
        guard !following.isReading else {
            following.held.append(push.data)
            return true
        }
        applyWatched(push.data)
        if !following.wasRead { wasRead(source, following) }
        return true
    }

    private func applyAnywhere(_ lines: [UInt8]) {
        _ = lines.withUnsafeBytes { bytes in
            FeedLine.read(bytes) { line in
                guard case .vehicle(let record) = line else { return }
                board.apply(record, cell: CellGrid.cell(of: record.point), zone: zones.id(of: record.point))
            }
        }
    }

    func applyWatched(_ lines: [UInt8]) {
        _ = lines.withUnsafeBytes { board.applyWatched(lines: $0) }
    }
}
