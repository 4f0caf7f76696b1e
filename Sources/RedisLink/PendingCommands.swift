/// Commands that wait for their answers, which come in the order of sending: a ring that grows, and never moves what is
/// in it otherwise. All have the same time to live, so that the first one is always the first to be due.
struct PendingCommands {
    struct Entry {
        /// Loop time in milliseconds at which the answer is overdue.
        let deadline: UInt64
        let completion: RedisConnection.Completion
        /// Nil: nobody counts it.
        var asker: (any RedisAsker)?

        func complete(_ result: Result<RedisReply, RedisFailure>) {
            completion(result)
            asker?.commandAnswered()
        }
    }

    private var ring: [Entry?]
    private var head = 0
    private(set) var count = 0

    init() { ring = Array(repeating: nil, count: 64) }

    var isEmpty: Bool { count == 0 }

    /// When the oldest is overdue; nil when nothing waits.
    var firstDeadline: UInt64? { ring[head]?.deadline }

    mutating func append(_ entry: Entry) {
        if count == ring.count { grow() }
        ring[(head + count) & (ring.count - 1)] = entry
        count += 1
    }

    mutating func popFirst() -> Entry? {
        guard count > 0 else { return nil }
        let entry = ring[head]
        ring[head] = nil
        head = (head + 1) & (ring.count - 1)
        count -= 1
        return entry
    }

    /// Takes everything out, oldest first.
    mutating func takeAll() -> [Entry] {
        var taken: [Entry] = []
        taken.reserveCapacity(count)
        while let entry = popFirst() { taken.append(entry) }
        self = PendingCommands()
        return taken
    }

    private mutating func grow() {
        var larger = [Entry?](repeating: nil, count: ring.count * 2)
        for offset in 0..<count { larger[offset] = ring[(head + offset) & (ring.count - 1)] }
        ring = larger
        head = 0
    }
}
