import Glibc

/// Time of this machine that never jumps.
enum Monotonic {
    static var microseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    static var milliseconds: Int64 { microseconds / 1000 }
}
