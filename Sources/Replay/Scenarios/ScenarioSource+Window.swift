public import ClientSupport
import Domain
import GTFS

extension ScenarioSource.Buses {
    /// When the part that is played begins and ends, Unix ms. Throws when there is no such part.
    public func times() throws(RunError) -> ClosedRange<Int64> {
        let window = try window()
        return window.startMs...window.endMs
    }

    func window() throws(RunError) -> TraceWindow {
        guard let length = TimeText.span(length) else {
            throw RunError("the recording: the length \"\(length)\" is not like 90s, 20m or 1h")
        }
        let trace = trace
        guard !trace.vehicles.isEmpty else {
            throw RunError("the recording: none of its trips is in the feed, so there is nothing to play")
        }
        guard let from else { return TraceWindow.busiest(in: trace, lengthMs: length) }
        guard let minutes = TimeText.clock(from) else {
            throw RunError("the recording: the beginning \"\(from)\" is not like 18:00")
        }
        do throws(TraceError) {
            return try TraceWindow.from(
                clock: minutes, offsetMinutes: utcOffsetMinutes, in: trace, lengthMs: length)
        } catch { throw RunError("the recording: \(error)") }
    }

    /// The buses as any recorded vehicles.
    var trace: Trace {
        Trace(
            vehicles: recorded.vehicles.map { vehicle in
                TraceVehicle(
                    name: vehicle.id,
                    fixes: vehicle.runs.flatMap(\.fixes).map { TraceFix(timeMs: $0.at, place: $0.point) })
            }, utcOffsetMinutes: utcOffsetMinutes)
    }
}
