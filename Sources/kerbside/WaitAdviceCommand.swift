import ArgumentParser
import Domain
import Foundation
import Replay

/// `kerbside wait-advice`: what the advice where to wait is worth, on a recording.
struct WaitAdviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait-advice",
        abstract: "Tries the advice where to wait on recorded cabs, beside staying where one is.",
        discussion: """
            Learns the pickups by zone and hour from some cabs, and judges on the others, wherever one of them became free: \
            how long it is to the next ride for who stays in the zone, and for who goes where it is advised. Each gets the \
            first ride of its zone that went to a cab which was not there before it. With --judge all cabs of the first \
            recording are learned from, and all of the other are judged; without it each half of the cabs, by their names, \
            is judged by what the other half did. With --unseen-hours all cabs are learned from and judged, but each place \
            by hours that its wait does not reach into: nothing is known of the hour in which the cab became free and of \
            the two after it.
            """)

    @Argument(help: "CSV of positions: time, vehicle, lat, lon, occupied (see replay --help).")
    var recording: String

    @Option(help: "The zones, GeoJSON.")
    var zones: String

    @Option(help: "Another recording of the same form, of another day.")
    var judge: String?

    @Flag(help: "Judge by other hours of the same day.")
    var unseenHours = false

    @Option(
        parsing: .unconditional, help: "Minutes that the city is ahead of UTC; negative in the west: -420.")
    var utcOffset = 0

    @Option(help: "Advised is who would wait so many times as long (advice.factor).")
    var factor = 2.0

    @Option(help: "Zones so far away are looked at, metres (advice.reach_m).")
    var reach = 5000.0

    @Option(help: "km/h, of the way without detours (eta.speed_kmh / eta.detour).")
    var speed = 15.4

    func validate() throws {
        guard (-1440...1440).contains(utcOffset) else {
            throw ValidationError("--utc-offset \(utcOffset): expected minutes, -1440 to 1440")
        }
        guard judge == nil || !unseenHours else {
            throw ValidationError("--judge learns from another day, --unseen-hours from the same: expected one of them")
        }
        guard factor >= 1, reach > 0, speed > 0 else {
            throw ValidationError("expected --factor of 1 and more, --reach and --speed of more than 0")
        }
    }

    func run() throws {
        let set: ZoneSet
        do {
            var options = ZoneOptions()
            options.repair = true
            set = try ZoneSet(geoJSON: InputFile.read(zones), options: options)
        } catch let error as ZoneSetError { throw CommandFailure("\(zones): \(error)") }
        let first = try cabs(recording, set)
        let halves = [true, false].map { isFirst in
            first.filter { ($0.key.utf8.reduce(0) { $0 &* 31 &+ Int($1) } % 2 == 0) == isFirst }
        }
        typealias Cabs = [String: WaitAdviceTrial.Cab]
        var trials: [(learn: Cabs, judge: Cabs)] = [(halves[0], halves[1]), (halves[1], halves[0])]
        if let judge { trials = [(first, try cabs(judge, set))] }
        if unseenHours { trials = [(first, first)] }
        row("mean minutes to the next ride", "places", "stay", "follow", "recorded", "advised", "stay", "follow")
        for trial in trials {
            guard !trial.learn.isEmpty, !trial.judge.isEmpty else { throw CommandFailure("too few cabs with a meter") }
            let learned = demand(trial.learn)
            // A wait that begins in an hour reaches into the two after it at most.
            let byHour = (0..<24).map { hour in
                unseenHours ? learned.unaware(of: Set((0...2).map { (hour + $0) % 24 })) : learned
            }
            let score = WaitAdviceTrial(
                judge: trial.judge.sorted { $0.key < $1.key }.map(\.value), zones: set.middles,
                demand: { byHour[Int((local($0) % 86_400 + 86_400) % 86_400 / 3600)] },
                scale: Double(trial.judge.count) / Double(trial.learn.count) * (unseenHours ? 0.001 : 1),
                factor: factor, reach: reach, speed: speed / 3.6, local: local
            ).score
            row(
                "\(trial.learn.count) cabs learned, \(trial.judge.count) judged", "\(score.places)",
                minutes(score.meanStay), minutes(score.meanGo), minutes(score.meanReal), "\(score.advised)",
                minutes(score.meanAdvisedStay), minutes(score.meanAdvisedGo))
        }
    }

    private func cabs(_ path: String, _ set: ZoneSet) throws -> [String: WaitAdviceTrial.Cab] {
        do {
            return try FreeCabs(recording: InputFile.read(path)) { point in
                guard case .zone(let zone) = set.lookup(point) else { return nil }
                return zone
            }.cabs
        } catch let error as TraceError { throw CommandFailure("\(path): \(error)") }
    }

    private func local(_ second: Int) -> Int64 { Int64(second + utcOffset * 60) }

    /// As if each day recorded was the same weekday of an earlier week: there are not weeks of recordings.
    private func demand(_ cabs: [String: WaitAdviceTrial.Cab]) -> ZoneDemand {
        var days: [Int: [(zone: String, hour: Int, requested: Int)]] = [:]
        for pickup in cabs.values.flatMap(\.pickups) {
            guard let zone = pickup.zone else { continue }
            let hour = Int(local(pickup.at) / 3600)
            days[hour / 24, default: []].append(("\(zone)", hour % 24, 1))
        }
        var demand = ZoneDemand()
        for (day, figures) in days { demand.set(ServiceDate(days: day - 7), figures) }
        return demand
    }

    private func minutes(_ seconds: Double) -> String { String(format: "%.1f", seconds / 60) }

    private func row(_ name: String, _ cells: String...) {
        Terminal.line(
            name.padding(toLength: 36, withPad: " ", startingAt: 0)
                + cells.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }.joined())
    }
}
