import Records

/// Since when entries are known to be in the event log, by a clock that nobody sets. The ids of a stream never go back: when the machine's
/// clock was set back, new entries go on from the last id, and their ids say nothing of their age until the clock is there again. Pure.
struct LogSightings {
    /// The last entry of the log, whenever it was another one: `last` and all before it were there `at`, ms. The oldest first.
    private var marks: [(last: EventID, at: Int64)] = []
    private var now: Int64 = 0
    /// Of more every second one is let go: the first stays, and what was seen in between is taken for younger than it is.
    private static let most = 512

    /// - Parameters:
    ///   - last: the last entry that the log has now.
    ///   - recorded: up to there nobody asks any more.
    ///   - now: ms of the steady clock.
    mutating func see(last: EventID, recorded: EventID, now: Int64) {
        self.now = now
        // Redis has lost some: others may have their ids.
        if let mark = marks.last, last < mark.last { marks = [] }
        marks.removeAll { $0.last <= recorded }
        guard last > marks.last?.last ?? recorded else { return }
        marks.append((last, now))
        guard marks.count > Self.most else { return }
        marks = marks.indices.filter { $0 % 2 == 0 }.map { marks[$0] }
    }

    /// For how long it has been seen, ms.
    func age(of id: EventID) -> Int64 { marks.first { $0.last >= id }.map { now - $0.at } ?? 0 }
}
