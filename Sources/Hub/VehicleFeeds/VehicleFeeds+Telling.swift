import Domain
import EventLoop
import Telemetry
import WebSocketServer
import Wire

/// What feeds are told in a slice of a tick: the snapshots that are due, and what is new to the slice's feeds. Each of the two has its
/// share of a turn of the loop, and goes on in the next one.
extension VehicleFeeds {
    /// A slice has come: what has come until now is one state.
    func tellFeeds() {
        // A worker that can't keep up does slices later and never leaves one out.
        slicesDue = min(slicesDue + 1, WorkerServices.slicesPerTick)
        guard !isTelling else { return }
        tellSomeFeeds()
    }

    /// The state of its sources has been read. What is read now is on the board with the next slice.
    func wasRead(_ feed: Feed) {
        feed.awaitsSnapshot = true
        freshFeeds.append(feed)
    }

    private func tellSomeFeeds() {
        if isSliceTold, slicesDue > 0 { beginSlice() }
        tellSnapshots()
        tellUpdates()
        isTelling = !isSliceTold || !snapshots.isEmpty || slicesDue > 0
        if isTelling { loop.inNextTurn { self.tellSomeFeeds() } }
    }

    private func beginSlice() {
        slicesDue -= 1
        slicesBegun += 1
        renewPathIndex()
        board.advance(now: now())
        for feed in freshFeeds { queueSnapshot(feed) }
        freshFeeds.removeAll(keepingCapacity: true)
        nextFeed = 0
        isSliceTold = false
    }

    /// Guests of one network, each of which may be a new one in a moment, have a turn together.
    private func queueSnapshot(_ feed: Feed) {
        let budget = feed.session.budget
        feed.awaitsSnapshot = true
        snapshots.append(feed, of: budget.group?.key ?? budget.key)
    }

    /// Equal ones that are told before the next slice are encoded once.
    private func tellSnapshots() {
        var share = FeedShare(at: EventLoop.currentTimeNs())
        while share.isLeft(at: EventLoop.currentTimeNs()), let feed = snapshots.next() {
            feed.awaitsSnapshot = false
            // It may have ended meanwhile.
            guard watchers[feed.session.connection]?.feeds[feed.subscription.channel] === feed else { continue }
            share.take(bytes: tell(feed))
        }
    }

    private func tellUpdates() {
        guard !isSliceTold else { return }
        let slice = slicesBegun % WorkerServices.slicesPerTick
        var share = FeedShare(at: EventLoop.currentTimeNs())
        while nextFeed < feeds[slice].count, share.isLeft(at: EventLoop.currentTimeNs()) {
            let feed = feeds[slice][nextFeed]
            nextFeed += 1
            guard feed.subscription.sentTick == nil else {
                share.take(bytes: tell(feed))
                continue
            }
            // Its reader was behind when its turn came, or it is to begin anew.
            if feed.waitsFor == 0, !feed.awaitsSnapshot { queueSnapshot(feed) }
            share.take(bytes: 0)
        }
        isSliceTold = nextFeed >= feeds[slice].count
    }

    /// Returns how much it was told, bytes.
    private func tell(_ feed: Feed) -> Int {
        let session = feed.session
        guard feed.waitsFor == 0, session.phase == .live || session.phase == .catchingUp else { return 0 }
        let slot = slicesBegun / (WorkerServices.slicesPerTick * feed.everyTicks)
        guard slot != feed.slot || feed.subscription.sentTick == nil else { return 0 }
        // A reader that has not taken what it was sent gets, once it has, the latest of each vehicle instead of everything.
        guard server.isCaughtUp(session.connection) else {
            metrics.feedsConflated.increment()
            return 0
        }
        feed.slot = slot
        if feed.journey != nil { decide(feed) }
        let isFirst = feed.subscription.sentTick == nil
        let bytes: Int
        switch board.update(feed.subscription) {
        case nil: return 0
        case .shared(let message)?:
            if message.frame.isEmpty {
                message.frame = message.payload.withUnsafeBytes { feedFrame($0, session.encoding).bytes }
            }
            bytes = message.frame.count
            server.send(session.connection, Frame(encoded: message.frame), toMany: true)
        case .own?:
            bytes = board.scratch.count
            board.scratch.withUnsafeBytes {
                _ = server.send(session.connection, feedFrame($0, session.encoding), toMany: true)
            }
        }
        metrics.feedMessages.increment()
        if isFirst { services.budgets.charge(CommandPrice.missed(0, bytes: bytes), to: session) }
        return bytes
    }

    /// What the board has written is in the feed's encoding already.
    func feedFrame(_ payload: UnsafeRawBufferPointer, _ encoding: FeedEncoding) -> Frame {
        encoding == .json ? Frame.text(payload) : Frame.binary(payload)
    }
}
