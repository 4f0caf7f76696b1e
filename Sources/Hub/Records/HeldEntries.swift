import Records

/// Entries of the event log that have been read and are recorded in one transaction. What they change is worked out as they are read, a
/// hundred at once, so that the processor is never taken for long.
struct HeldEntries {
    private(set) var prepared: RecordStore.Prepared
    /// What is missing before them.
    let gaps: [RecordStore.Gap]
    private(set) var count = 0
    let first: EventID
    /// Hub ms, of the last event.
    private(set) var lastTime: Int64?
    private(set) var to: RecordStore.Cursor
    /// When the first was read, ms of the steady clock.
    let since: Int64

    /// None yet; `first` is that of the plan, which is added then.
    init(_ plan: LogReading.Plan, first: EventID, in store: RecordStore, since: Int64) {
        gaps = plan.gap.map { [$0] } ?? []
        prepared = store.prepare(after: gaps)
        (self.first, to, self.since) = (first, plan.cursor, since)
    }

    /// Answers how many of them are no JSON objects, and are left out.
    mutating func add(_ plan: LogReading.Plan) -> Int {
        var dropped = 0
        for entry in plan.entries {
            guard let event = RecordedEvent(id: entry.id, type: entry.type, time: entry.time, json: entry.data) else {
                dropped += 1
                continue
            }
            prepared.add(event)
            lastTime = event.time
        }
        count += plan.entries.count
        to = plan.cursor
        return dropped
    }
}
