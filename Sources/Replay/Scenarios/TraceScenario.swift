import ClientSupport
import Domain

/// A scenario made of a recording: its vehicles are the drivers, and each turning on of a meter is a passenger.
enum TraceScenario {
    struct Options: Equatable {
        var vehicles = 200
        var limits = RecordedScript.Limits()
        var seed: UInt64 = 1
    }

    static func make(_ trace: Trace, window: TraceWindow, options: Options) throws(TraceError) -> TaxiScenario {
        let chosen = window.busiestVehicles(of: trace, count: options.vehicles)
        if chosen.isEmpty { throw TraceError(line: 0, message: "no vehicle has fixes in the window asked for") }
        let ways = RecordedWays(trace, playing: window)
        var drivers: [TaxiScenario.Driver] = []
        var planned: [PlannedRide] = []
        for vehicle in chosen {
            // What was before the window tells where the vehicle is when it opens; what comes after it is for the
            // time in which the last rides end.
            let margin = options.limits.offShiftAfterMs
            let fixes = vehicle.fixes
                .filter { $0.timeMs >= window.startMs - margin && $0.timeMs < window.endMs + 2 * margin }
                .map { fix in
                    var moved = fix
                    moved.timeMs -= window.startMs
                    return moved
                }
            let subject = subject(of: vehicle.name)
            drivers.append(
                TaxiScenario.Driver(
                    subject: subject,
                    script: .recorded(RecordedScript(fixes: fixes, limits: options.limits, ways: ways))))
            var random = SeededRandom(seed: options.seed, part: "party of \(vehicle.name)")
            planned += Self.planned(
                of: fixes, whole: vehicle, window: window, subject: subject, limits: options.limits, random: &random)
        }
        var origin = "where meters turned on"
        if !chosen.contains(where: { $0.fixes.contains { $0.occupied != nil } }) {
            planned = invented(drivers, window: window, seed: options.seed)
            origin = "invented along the ways, as the recording has no meter"
        }
        planned.sort { ($0.offsetMs, $0.subject) < ($1.offsetMs, $1.subject) }
        let recorded = drivers.count
        return TaxiScenario(
            drivers: drivers, planned: planned,
            summary: "\(recorded) recorded vehicles, \(planned.count) passengers \(origin)")
    }

    /// One per 0 → 1 of the meter inside the window; the destination is where it turned off, be it after the window.
    private static func planned(
        of fixes: [TraceFix], whole: TraceVehicle, window: TraceWindow, subject: String,
        limits: RecordedScript.Limits, random: inout SeededRandom
    ) -> [PlannedRide] {
        var result: [PlannedRide] = []
        for index in fixes.indices.dropFirst() {
            let (before, fix) = (fixes[index - 1], fixes[index])
            guard before.occupied == false, fix.occupied == true, fix.timeMs >= 0,
                fix.timeMs < window.lengthMs, fix.timeMs - before.timeMs <= limits.offShiftAfterMs
            else { continue }
            guard let end = turnedOff(after: fix.timeMs + window.startMs, in: whole) else { continue }
            result.append(
                PlannedRide(
                    offsetMs: fix.timeMs, subject: "p-\(subject)-\(result.count + 1)", pickup: fix.place,
                    destination: end, passengers: random.party()))
        }
        return result
    }

    /// For recordings without a meter: two rides per vehicle and hour, each from near where some vehicle is at that time to
    /// where some vehicle is at another.
    private static func invented(_ drivers: [TaxiScenario.Driver], window: TraceWindow, seed: UInt64) -> [PlannedRide] {
        var random = SeededRandom(seed: seed, part: "demand")
        let perHour = max(10, 2 * drivers.count)
        let count = max(5, Int(Double(window.lengthMs) / 3_600_000 * Double(perHour)))
        return (0..<count).compactMap { index in
            let offset = random.milliseconds(0...max(0, window.lengthMs - 1))
            guard let pickup = place(at: offset, among: drivers, &random),
                let destination = place(
                    at: random.milliseconds(0...max(0, window.lengthMs - 1)), among: drivers, &random)
            else { return nil }
            return PlannedRide(
                offsetMs: offset, subject: "p-\(index + 1)",
                pickup: pickup.moved(northMetres: random.between(-200...200), eastMetres: random.between(-200...200)),
                destination: destination, passengers: random.party())
        }
    }

    private static func place(at offsetMs: Int64, among drivers: [TaxiScenario.Driver], _ random: inout SeededRandom)
        -> GeoPoint?
    {
        for _ in 0..<20 {
            guard case .recorded(var script)? = drivers.randomElement(using: &random)?.script else { return nil }
            if script.duty(at: offsetMs) != .offShift, let fix = script.next(after: offsetMs) { return fix.place }
        }
        return nil
    }

    private static func turnedOff(after timeMs: Int64, in vehicle: TraceVehicle) -> GeoPoint? {
        let following = vehicle.fixes.drop { $0.timeMs <= timeMs }
        return (following.first { $0.occupied == false } ?? following.last)?.place
    }

    /// A name that a token and a channel can carry.
    private static func subject(of name: String) -> String {
        let allowed = name.utf8.prefix(40).map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
                byte
            default: UInt8(ascii: "_")
            }
        }
        return "t-" + String(decoding: allowed, as: UTF8.self)
    }
}
