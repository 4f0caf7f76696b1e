import Glibc

/// Time of this machine that never jumps.
package enum Monotonic {
    package static var microseconds: Int64 { read(CLOCK_MONOTONIC) }

    package static var milliseconds: Int64 { microseconds / 1000 }

    /// What Unix time is ahead of this one. It changes when somebody sets the clock.
    package static var unixOffset: Int64 { read(CLOCK_REALTIME) - microseconds }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
