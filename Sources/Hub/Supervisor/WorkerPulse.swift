/// Whether a worker still turns its loop, as its supervisor sees it turn by turn. Pure.
struct WorkerPulse {
    /// So many looks without a beat are a worker that does nothing any more. Looks are counted, not seconds: while the machine sleeps, or all of
    /// the hub is held, nobody looks.
    static let mostMissed = 30

    private var beats: UInt32 = 0
    private var missed = 0

    /// Takes a look at what the worker has counted. Answers whether it is time to do something; again after as many looks, if nothing has come of
    /// it.
    mutating func hasStopped(_ now: UInt32) -> Bool {
        guard now == beats else {
            (beats, missed) = (now, 0)
            return false
        }
        // One that starts may read a big city for long: it is watched from its first beat.
        guard now != 0 else { return false }
        missed += 1
        return missed.isMultiple(of: Self.mostMissed)
    }
}
