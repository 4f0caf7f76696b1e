/// Who is to be looked at in which second. An entry whose vehicle has since been given another second is void, so
/// nothing is ever taken out, and a vehicle that keeps reporting costs one entry per staleness time.
struct AgeWheel {
    private var buckets: [[UInt32]] = Array(repeating: [], count: 1024)

    /// Adds an entry. Gives back the second at which it comes: sooner than asked if that is further than the wheel goes.
    mutating func add(_ number: UInt32, due: Int64, now: Int64) -> Int64 {
        let second = min(max(due, now + 1), now + 1000)
        buckets[Int(second & 1023)].append(number)
        return second
    }

    /// Empties all buckets after the second `last` up to `now`; the body may add.
    static func turn(
        _ wheel: inout AgeWheel, after last: Int64, to now: Int64, _ body: (UInt32, Int64, inout AgeWheel) -> Void
    ) {
        guard last < now else { return }
        for second in max(last + 1, now - 1023)...now {
            let bucket = Int(second & 1023)
            if wheel.buckets[bucket].isEmpty { continue }
            let numbers = wheel.buckets[bucket]
            wheel.buckets[bucket] = []
            for number in numbers { body(number, second, &wheel) }
        }
    }
}
