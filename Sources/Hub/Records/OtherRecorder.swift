import Records

/// Another recorder of this city, as one that waits for it sees it look by look. Pure.
struct OtherRecorder {
    /// A recorder takes what there is within some seconds. One that takes nothing for so long has stopped, or its hub has lost it: its session
    /// in the database outlives a link that only the hub's side knows to be cut, ms.
    private static let longestIdleMs: Int64 = 60_000

    private var recorded: RecordStore.Cursor?
    /// Since when there has been something after `recorded`, ms; nil: there is nothing.
    private var since: Int64?

    /// Takes a look. Answers what this recorder is beside the other one, and for how long something has not been recorded, ms.
    ///
    /// - Parameters:
    ///   - recorded: how far the other one has recorded; the reading begins there. Nil: nothing yet, it begins with the log.
    ///   - now: ms of a steady clock.
    mutating func look(
        _ reading: LogReading, recorded: RecordStore.Cursor?, now: Int64
    ) -> (standing: RecordsMeter.Standing, behindMs: Int64) {
        if let recorded, reading.isAnother(than: recorded) { return (.foreign, 0) }
        let isAll = reading.entries.allSatisfy { $0.id == recorded?.id }
        if isAll { since = nil } else if since == nil || recorded != self.recorded { since = now }
        self.recorded = recorded
        let idleMs = since.map { now - $0 } ?? 0
        return (idleMs > Self.longestIdleMs ? .idle : .standby, max(idleMs, reading.oldest(recorded)))
    }
}
