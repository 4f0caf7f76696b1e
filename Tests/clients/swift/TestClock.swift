import Foundation
import KerbsideClient

/// A clock that goes on only when it is told to.
final class TestClock: Clock, @unchecked Sendable {
    // Sendable because everything is used under the lock.
    private let lock = NSLock()
    private var time: Int
    private var timers: [Int: (at: Int, call: @Sendable () -> Void)] = [:]
    private var last = 0

    init(_ start: Int) {
        time = start
    }

    func now() -> Int {
        lock.withLock { time }
    }

    func set(_ ms: Int, _ call: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let number = lock.withLock {
            last += 1
            timers[last] = (time + ms, call)
            return last
        }
        return { [weak self] in self?.clear(number) }
    }

    private func clear(_ number: Int) {
        lock.withLock { timers[number] = nil }
    }

    /// Put forward or back by somebody; timers go by another.
    func put(_ ms: Int) {
        lock.withLock {
            time += ms
            timers = timers.mapValues { ($0.at + ms, $0.call) }
        }
    }

    /// Up to the next timer within so many ms, which is called, or to their end: what is left of them, and whether it is
    /// over.
    func advance(_ ms: Int) -> [String: JSON] {
        let (call, left) = lock.withLock { () -> ((@Sendable () -> Void)?, Int) in
            let end = time + ms
            let next = timers.min { ($0.value.at, $0.key) < ($1.value.at, $1.key) }
            guard let next, next.value.at <= end else {
                time = end
                return (nil, 0)
            }
            timers[next.key] = nil
            time = max(time, next.value.at)
            return (next.value.call, end - time)
        }
        call?()
        return ["left": .int(left), "over": .bool(call == nil)]
    }
}
