import ClientSupport
import Domain
import Wire

extension TaxiScenario {
    /// The scenario of a source, and how long (hub ms) passengers come. Throws what is wrong with it.
    static func make(_ source: ScenarioSource, seed: UInt64) throws(RunError) -> (
        scenario: TaxiScenario, lengthMs: Int64
    ) {
        switch source {
        case .recording(let recording):
            do throws(TraceError) {
                return try make(recording, seed: seed)
            } catch {
                throw RunError("the recording: \(error)")
            }
        case .city(let city): return try make(city, seed: seed)
        case .buses: throw RunError("buses have a scenario of their own")
        }
    }

    private static func make(_ recording: ScenarioSource.Recording, seed: UInt64) throws(TraceError) -> (
        TaxiScenario, Int64
    ) {
        guard let length = TimeText.span(recording.length) else {
            throw TraceError(line: 0, message: "the length \"\(recording.length)\" is not like 90s, 20m or 1h")
        }
        let trace = try Trace.read(recording.bytes, format: recording.format)
        let offset = recording.utcOffsetMinutes ?? trace.utcOffsetMinutes ?? 0
        var window = TraceWindow.busiest(in: trace, lengthMs: length)
        if let from = recording.from {
            guard let minutes = TimeText.clock(from) else {
                throw TraceError(line: 0, message: "the beginning \"\(from)\" is not like 18:00")
            }
            window = try TraceWindow.from(clock: minutes, offsetMinutes: offset, in: trace, lengthMs: length)
        }
        var options = TraceScenario.Options()
        options.vehicles = recording.vehicles
        options.limits.interpolateEveryMs = Int64(recording.interpolateEverySeconds * 1000)
        options.seed = seed
        var scenario = try TraceScenario.make(trace, window: window, options: options)
        let from = TimeText.clock(ofMs: window.startMs, offsetMinutes: offset)
        let to = TimeText.clock(ofMs: window.endMs, offsetMinutes: offset)
        scenario.summary +=
            ", recorded \(from)–\(to) (UTC\(offset < 0 ? "-" : "+")\(abs(offset) / 60):\(abs(offset) % 60 < 10 ? "0" : "")\(abs(offset) % 60))"
        return (scenario, length)
    }

    private static func make(_ city: ScenarioSource.City, seed: UInt64) throws(RunError) -> (TaxiScenario, Int64) {
        guard let bounds = ZoneBounds(geoJSON: city.zonesGeoJSON) else {
            throw RunError("the zones have no coordinates")
        }
        guard city.drivers > 0, city.seconds > 0, city.requestsPerSecond >= 0 else {
            throw RunError("a city needs drivers and time")
        }
        var options = CityScenario.Options()
        options.drivers = city.drivers
        options.requestsPerSecond = city.requestsPerSecond
        options.durationMs = Int64(city.seconds * 1000)
        options.startHour = city.startHour
        options.seed = seed
        let zones = city.zones
        let scenario = CityScenario.make(bounds: bounds, options: options) { place in
            guard case .zone(let index) = zones.lookup(place) else { return nil }
            return zones.zones[index].id
        }
        return (scenario, options.durationMs)
    }
}
