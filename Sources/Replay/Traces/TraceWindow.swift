/// The part of a recording that is replayed.
struct TraceWindow: Equatable {
    /// Unix ms in the recording's time.
    var startMs: Int64
    var lengthMs: Int64

    var endMs: Int64 { startMs + lengthMs }

    /// The window of `lengthMs` with the most fixes, to five minutes.
    static func busiest(in trace: Trace, lengthMs: Int64) -> TraceWindow {
        let step: Int64 = 300_000
        var counts: [Int64: Int] = [:]
        for vehicle in trace.vehicles {
            for fix in vehicle.fixes { counts[floorDivide(fix.timeMs, step), default: 0] += 1 }
        }
        guard let first = counts.keys.min(), let last = counts.keys.max() else {
            return TraceWindow(startMs: 0, lengthMs: lengthMs)
        }
        let width = max(1, (lengthMs + step - 1) / step)
        var sum = 0
        for slot in first..<(first + width) { sum += counts[slot] ?? 0 }
        var best = (slot: first, sum: sum)
        var slot = first
        while slot + width <= last {
            sum += (counts[slot + width] ?? 0) - (counts[slot] ?? 0)
            slot += 1
            if sum > best.sum { best = (slot, sum) }
        }
        return TraceWindow(startMs: best.slot * step, lengthMs: lengthMs).cut(to: trace)
    }

    /// No longer than there is something to play.
    private func cut(to trace: Trace) -> TraceWindow {
        let last = trace.vehicles.compactMap { $0.fixes.last?.timeMs }.max() ?? startMs
        return TraceWindow(startMs: startMs, lengthMs: max(1, min(lengthMs, last + 1 - startMs)))
    }

    /// From `minutes` after midnight, `offsetMinutes` east of UTC, on the first day of the recording that has that time.
    static func from(clock minutes: Int, offsetMinutes: Int, in trace: Trace, lengthMs: Int64) throws(TraceError)
        -> TraceWindow
    {
        let first = trace.vehicles.compactMap { $0.fixes.first?.timeMs }.min() ?? 0
        let last = trace.vehicles.compactMap { $0.fixes.last?.timeMs }.max() ?? 0
        let day: Int64 = 86_400_000
        let offset = Int64(offsetMinutes) * 60_000
        let midnight = floorDivide(first + offset, day) * day - offset
        var start = midnight + Int64(minutes) * 60_000
        // A window that ended before the recording began means the same hour of the next day.
        if start + lengthMs <= first { start += day }
        guard start <= last else {
            throw TraceError(
                line: 0,
                message: "the recording runs from \(TimeText.clock(ofMs: first, offsetMinutes: offsetMinutes)) to"
                    + " \(TimeText.clock(ofMs: last, offsetMinutes: offsetMinutes)): nothing is in the window asked for"
            )
        }
        return TraceWindow(startMs: start, lengthMs: lengthMs).cut(to: trace)
    }

    /// The `count` vehicles with the most fixes in the window; by name where they are equal.
    func busiestVehicles(of trace: Trace, count: Int) -> [TraceVehicle] {
        trace.vehicles
            .map { vehicle in (vehicle, inside: vehicle.fixes.count { $0.timeMs >= startMs && $0.timeMs < endMs }) }
            .filter { $0.inside > 1 }
            .sorted { ($1.inside, $0.0.name) < ($0.inside, $1.0.name) }
            .prefix(count)
            .map(\.0)
    }
}

func floorDivide(_ value: Int64, _ by: Int64) -> Int64 {
    let quotient = value / by
    return value % by < 0 ? quotient - 1 : quotient
}
