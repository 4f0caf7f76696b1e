internal import Glibc

/// How long frames that are not urgent wait for others of their connection. A write costs 50 times as much as a frame, but that
/// matters only to a thread that has much to do: as long as it has time nothing waits, near full load all do.
struct CoalescePace {
    /// The share of `coalesceMs` that frames wait at present, 0…1.
    private(set) var share = 0.0
    /// Of a core, over the last half second or so.
    private var load = 0.0
    /// CPU time of the thread at the last measurement, ns.
    private var used: UInt64

    init(used: UInt64) { self.used = used }

    /// To be called every `tickMs` with the CPU time (ns) of the thread whose load counts. A tick that comes late counts its CPU time
    /// for one that came in time: a thread that does not get its core is busy, too.
    mutating func measure(used: UInt64, tickMs: UInt64, _ loads: ClosedRange<Double>) {
        load += (min(Double(used &- self.used) / (Double(tickMs) * 1e6), 1) - load) / 2
        self.used = used
        set(loads)
    }

    /// `loads`: where waiting begins, and where it is whole.
    mutating func set(_ loads: ClosedRange<Double>) {
        let width = loads.upperBound - loads.lowerBound
        share = load >= loads.upperBound ? 1 : max(0, load - loads.lowerBound) / width
    }

    /// CPU time of the calling thread, ns.
    static func threadTime() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
