import Domain
import RedisLink
import Settings
import WebSocketServer
import Wire

/// Destinations: who watches with one sees of minibuses and buses those that will pass it and then go there (M3, M4).
///
/// While anybody does, the worker follows the ways that vehicles announce, as it follows cells. Each distinct way has a number
/// in the index; a vehicle's number and how far along it is (`Seats`) are among its traits on the board, and a view has
/// the numbers that lead where its reader wants to go, each with the place up to which it does. So a vehicle that goes another
/// way, or has passed, is a change like any other, and readers with equal views share.
extension VehicleFeeds {
    /// Ways read in one call: Redis serves nobody else meanwhile.
    private static let waysPerCall = 500

    /// The feed `near` of a session shows what leads from one place to another.
    func lead(_ watcher: Watcher, from place: GeoPoint, to destination: GeoPoint) {
        guard let feed = watcher.feeds[Channel.near] else { return }
        feed.journey = (place, destination)
    }

    /// Before each slice: the index must be of the present catalog.
    func renewPathIndex() {
        guard let pathIndex else { return }
        if pathIndex.isWorn || pathIndexVersion != catalog.version { rebuildPathIndex(announced) }
    }

    /// Which of the ways that are new lead where its reader wants to go. Done when the feed is told: a city's ways take some ms,
    /// and all feeds at once would stop the worker when a catalog changes.
    func decide(_ feed: Feed) {
        guard let pathIndex, let journey = feed.journey, feed.waysDecided < pathIndex.count else { return }
        let leading = pathIndex.leading(
            from: journey.from, to: journey.to, reach: settings.vehicles.wayM, since: feed.waysDecided)
        feed.waysDecided = pathIndex.count
        if !leading.isEmpty { feed.subscription.admit(leading) }
    }

    // MARK: the index

    /// Another index, of what is announced now: numbers of the old one mean nothing any more.
    private func rebuildPathIndex(_ ways: [String: String]) {
        let pathIndex = PathIndex { self.patterns.of($0) }
        self.pathIndex = pathIndex
        pathIndexVersion = catalog.version
        announced = ways
        for (vehicle, text) in ways { pathIndex.set(Self.way(text), as: text, of: vehicle) }
        board.use(pathIndex)
        for feed in feeds.joined() where feed.journey != nil {
            feed.waysDecided = 0
            feed.subscription.forgetWays()
        }
    }

    /// Nobody watches with a destination any more.
    func closePathIndex() {
        waysLast = pathIndex?.count ?? waysLast
        pathIndex = nil
        announced = [:]
        board.use(nil)
    }

    private static func way(_ text: String) -> LineShape? {
        AnnouncedPath(try? JSONValue(parsing: Array(text.utf8)))?.shape
    }

    // MARK: following

    func readWays(_ following: Following) { readWays(from: "0", [:], following) }

    private func readWays(from cursor: String, _ known: [String: String], _ following: Following) {
        functions.call("feed_ways", ["cursor": RedisArgument(cursor), "most": RedisArgument(Self.waysPerCall)]) {
            result in
            guard let answer = self.elements(result, of: "feed_ways"), answer.count == 2, let next = answer[0].text,
                let fields = answer[1].array
            else { return self.wasNotRead([(.ways, following)]) }
            guard self.isFollowed(.ways, by: following) else { return }
            var known = known
            for index in stride(from: 0, to: fields.count - 1, by: 2) {
                if let vehicle = fields[index].text, let text = fields[index + 1].text { known[vehicle] = text }
            }
            guard next == "0" else { return self.readWays(from: next, known, following) }
            self.rebuildPathIndex(known)
            self.wasRead(.ways, following)
        }
    }

    /// `vehicle\nJSON`, or without JSON.
    func applyWay(_ line: [UInt8]) {
        guard let pathIndex, let end = line.firstIndex(of: UInt8(ascii: "\n")) else { return }
        let vehicle = String(decoding: line[..<end], as: UTF8.self)
        let text = String(decoding: line[(end + 1)...], as: UTF8.self)
        announced[vehicle] = text.isEmpty ? nil : text
        pathIndex.set(text.isEmpty ? nil : Self.way(text), as: text, of: vehicle)
        board.wayChanged(of: vehicle)
    }
}
