import Domain
import EventLoop
import Settings
import Wire

/// The circle of a `watch` that waits for its turn: only the latest of a connection counts.
struct Circle {
    let center: GeoPoint
    let radius: Double
    let options: FeedOptions
    let message: ClientMessage
    /// Computed when its time has come: which cells it has, and what those cost that are not watched yet, with the ways that
    /// are compared.
    var cells: [CellID]?
    var price = 0.0
}

/// Circles that are watched and moved. A circle of 5 km has 530 cells, each of which is followed in Redis: it is moved once in
/// `feeds.move_ms` at most, when the one before has been read, and when its subject can pay for the cells that are new to it. Until then
/// a later `watch` takes the place of the one that waits. Cells that both circles have are followed on, and are not read again. A turn moves
/// as many as its share allows.
extension VehicleFeeds {
    /// A reading that takes longer than this holds no circle up any more, ms.
    private static let readingMs: UInt64 = 2_000

    func watch(
        _ lat: Double, _ lon: Double, _ radius: Double, _ options: FeedOptions, _ message: ClientMessage,
        _ session: Session, _ identity: Identity
    ) {
        let watcher = watcher(session)
        dropNextCircle(watcher)
        watcher.nextCircle = Circle(
            center: GeoPoint(lat: lat, lon: lon), radius: radius, options: options, message: message)
        guard !watcher.waitsToMove else { return }
        if movingCircles.isEmpty, moveShare.isLeft(at: loop.now), moveCircle(watcher, identity) { return }
        watcher.waitsToMove = true
        circlesToMove.append(watcher)
    }

    /// In each slice: those for which the time has come are moved, in this turn and in the next ones.
    func moveCircles() {
        if !circlesToMove.isEmpty {
            let waiting = circlesToMove
            circlesToMove = waiting.filter { watcher in
                guard watcher.nextCircle == nil || isDue(watcher) else { return true }
                let budget = watcher.session.budget
                movingCircles.append(watcher, of: budget.group?.key ?? budget.key)
                return false
            }
        }
        if !isMovingCircles { moveSomeCircles() }
    }

    /// Each to where it was wanted last, and subjects take turns.
    private func moveSomeCircles() {
        while moveShare.isLeft(at: loop.now), let watcher = movingCircles.next() { moveInTurn(watcher) }
        isMovingCircles = !movingCircles.isEmpty
        if isMovingCircles { loop.inNextTurn { self.moveSomeCircles() } }
    }

    /// If its subject can't pay now, the next slice looks at it again.
    private func moveInTurn(_ watcher: Watcher) {
        let session = watcher.session
        let isThere = sessions.has(session) && session.phase != .closing
        if isThere, let identity = session.identity, !moveCircle(watcher, identity) {
            circlesToMove.append(watcher)
        } else {
            watcher.waitsToMove = false
        }
    }

    /// The one that waits is not read any more: its command is answered, and the circle stays where it is.
    func dropNextCircle(_ watcher: Watcher) {
        guard let circle = watcher.nextCircle else { return }
        watcher.nextCircle = nil
        answer(
            circle.message, watcher.session, cells: watcher.feeds[Channel.near]?.subscription.scopes.count ?? 0,
            isReplaced: true
        )
    }

    /// Whether it may move now, for all but its price.
    private func isDue(_ watcher: Watcher) -> Bool {
        let isRead = watcher.feeds[Channel.near].map {
            $0.waitsFor == 0 || loop.now > watcher.circleDueAt + Self.readingMs
        }
        return loop.now >= watcher.circleDueAt && (isRead ?? true)
    }

    /// Whether none waits any more.
    private func moveCircle(_ watcher: Watcher, _ identity: Identity) -> Bool {
        guard var circle = watcher.nextCircle else { return true }
        guard isDue(watcher) else { return false }
        let began = EventLoop.currentTimeNs()
        defer { moveShare.spend(EventLoop.currentTimeNs() - began) }
        let old = watcher.feeds[Channel.near]
        let cells = circle.cells ?? CellGrid.cells(touching: circle.center, radius: circle.radius)
        if circle.cells == nil {
            let watched = Set(old?.sources ?? [])
            circle.price = price(of: cells.lazy.map { FeedSource.cell($0) }.filter { !watched.contains($0) }, identity)
            if circle.options.destination != nil { circle.price += CommandPrice.ways(pathIndex?.count ?? waysLast) }
            circle.cells = cells
            watcher.nextCircle = circle
        }
        let budget = watcher.session.budget
        guard budget.take(cells: circle.price, at: Int64(loop.now)) else { return false }
        watcher.nextCircle = nil
        watcher.circleDueAt = loop.now + UInt64(settings.feeds.moveMs)
        show(circle, cells, watcher, identity)
        return true
    }

    /// What it costs to follow cells for one more reader.
    func price(of cells: some Sequence<FeedSource>, _ identity: Identity) -> Double {
        var (new, known) = (0, 0)
        for cell in cells {
            if followed[cell] == nil { new += 1 } else { known += 1 }
        }
        return CommandPrice.cells(new: new, followed: known, of: identity.role)
    }

    private func show(_ circle: Circle, _ cells: [CellID], _ watcher: Watcher, _ identity: Identity) {
        var sources = cells.map { FeedSource.cell($0) }
        var view = view(identity, circle.options)
        if circle.options.destination != nil {
            sources.append(.ways)
            view.ways = [:]
        }
        let scopes = cells.map { FeedScopeKey.cell($0) }
        guard begin(Channel.near, scopes, sources, view, circle.options, circle.message, watcher) else { return }
        if let destination = circle.options.destination {
            lead(watcher, from: circle.center, to: GeoPoint(destination))
        }
        answer(circle.message, watcher.session, cells: cells.count, isReplaced: false)
    }

    private func answer(_ message: ClientMessage, _ session: Session, cells: Int, isReplaced: Bool) {
        var json = JSONWriter()
        json.beginObject()
        json.member("channel", Channel.near)
        json.member("cells", Int64(cells))
        if isReplaced { json.member("replaced", true) }
        json.endObject()
        reply(session, message.id, json.bytes, to: message.command.name)
    }
}
