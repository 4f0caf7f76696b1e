import Domain
import GTFS

/// A vehicle's way through its recorded runs, one after the other. Recorded time is hub time, but for what it has waited
/// somewhere on the run: so much later it is everywhere behind.
struct RecordedDrive: Equatable {
    let runs: [RecordedBuses.Run]
    /// Index of the run that is driven now; nil between two.
    private(set) var duty: Int?
    private(set) var here: GeoPoint?
    /// The last fix, as long as it has not gone out.
    private(set) var unsent: RecordedBuses.Fix?
    /// As recorded last on this run, 0…1.
    private(set) var load: Double?
    /// The next fix: of which run, which one.
    private var next = (run: 0, fix: 0)
    /// Of the run that is driven, ms behind the recording.
    private var lateMs: Int64 = 0
    /// Hub ms of the last fix.
    private var lastMs: Int64 = .min
    /// Where it stops on its way to the next recorded fix, and when it is there.
    private var stop: RecordedBuses.Fix?
    /// It stands here until then.
    private var standsUntilMs: Int64 = .min

    /// After the last fix of a run it is over, hub ms.
    private static let endAfterMs: Int64 = 20_000
    /// m/s
    private static let fastest = 30.0
    /// While it stands it sends a fix so often, as it does every so many metres when it drives.
    private static let standingEveryMs: Int64 = 10_000

    init(runs: [RecordedBuses.Run]) { self.runs = runs }

    static func == (a: RecordedDrive, b: RecordedDrive) -> Bool {
        a.runs == b.runs && a.next == b.next && a.lastMs == b.lastMs && a.duty == b.duty && a.unsent == b.unsent
    }

    /// Hub ms of the next thing that happens; `.max` for none.
    var dueMs: Int64 { min(upcoming?.at ?? .max, duty.map { end(of: $0) } ?? .max) }

    /// Drives on to what is due by now, one fix at a time. Answers where the vehicle was before and is now; nil when no more
    /// is due. An end of the run is noticed then.
    mutating func advance(_ now: Moment) -> (from: GeoPoint?, to: GeoPoint)? {
        guard let fix = upcoming, fix.at <= now.hubMs else {
            if let driven = duty, now.hubMs >= end(of: driven) { (duty, unsent) = (nil, nil) }
            return nil
        }
        let from = here
        (here, unsent, lastMs) = (fix.point, fix, fix.at)
        if isStanding(at: fix.at) || fix == stop {
            stop = nil
            return (from, fix.point)
        }
        if duty != next.run { load = nil }
        duty = next.run
        load = fix.load ?? load
        next.fix += 1
        if next.fix == runs[next.run].fixes.count {
            next = (next.run + 1, 0)
            // A pause before the next run takes up what it is late.
            if next.run < runs.count { lateMs = max(0, lastMs + 1_000 - runs[next.run].fixes[0].at) }
        }
        return (from, fix.point)
    }

    /// Stays where it is until then, and is so much later from there on.
    mutating func stand(until hubMs: Int64) {
        guard duty == next.run, lastMs > .min, hubMs > max(lastMs, standsUntilMs) else { return }
        lateMs += hubMs - max(lastMs, standsUntilMs)
        standsUntilMs = hubMs
    }

    /// The place of its next recorded fix, if that is of the run that is driven.
    var ahead: GeoPoint? { duty == next.run && next.run < runs.count ? runs[next.run].fixes[next.fix].point : nil }

    /// Goes by a place on its way to the next recorded fix, and so sends a fix there.
    mutating func goBy(_ place: GeoPoint) {
        guard let here, let ahead, let fix = upcoming, fix.point == ahead, stop == nil, fix.at - lastMs > 2_000 else {
            return
        }
        let (before, after) = (here.distance(to: place), place.distance(to: ahead))
        let span = Double(fix.at - lastMs - 2_000)
        // No bus drives faster: the hub would take it for a fault of the receiver.
        guard before + after <= Self.fastest * span / 1000 else { return }
        let share = before / max(1, before + after)
        stop = RecordedBuses.Fix(at: lastMs + 1_000 + Int64(span * share), point: place, load: fix.load)
    }

    mutating func hasSent() { unsent = nil }

    /// The one that is driven, or else the last one of that trip that began, or else the first.
    func run(of trip: String?) -> Int? {
        if let duty, runs[duty].trip == trip { return duty }
        return runs.indices.last { runs[$0].trip == trip && $0 <= next.run } ?? runs.firstIndex { $0.trip == trip }
    }

    private func isStanding(at hubMs: Int64) -> Bool { hubMs <= standsUntilMs }

    private var upcoming: RecordedBuses.Fix? {
        if let here, lastMs < standsUntilMs {
            return RecordedBuses.Fix(at: min(standsUntilMs, lastMs + Self.standingEveryMs), point: here, speed: 0)
        }
        if let stop { return stop }
        guard next.run < runs.count else { return nil }
        var fix = runs[next.run].fixes[next.fix]
        fix.at += lateMs
        return fix
    }

    /// Behind its last fix nothing of a run is late any more.
    private func end(of run: Int) -> Int64 {
        if run < next.run { return lastMs + Self.endAfterMs }
        return (runs[run].fixes.last?.at ?? 0) + lateMs + Self.endAfterMs
    }
}
