import ArgumentParser
import Domain
import Foundation
import Replay

/// `kerbside eta-accuracy taxis`: how good the forecasts for taxis are, on a recording.
struct TaxiETACommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "taxis",
        abstract: "Tries the forecasts for taxis on recorded ways with a passenger, beside the distance alone.",
        discussion: """
            Learns travel times from the ways of some cabs, then forecasts at every fix of the others how long it takes to \
            where the meter was switched off. Ways of 3 minutes and more count, without a gap of more than 3 minutes. \
            With --judge all cabs of the first recording are learned from, and all of the other that the first does not \
            have are judged; without it half of the cabs, by their names. Prints the mean absolute percentage error, and \
            how many ways ended before P10 and after P90.
            """)

    @Argument(help: "CSV of positions: time, vehicle, lat, lon, occupied (see replay --help).")
    var recording: String

    @Option(help: "Another recording of the same form, of another day.")
    var judge: String?

    @Option(
        parsing: .unconditional, help: "Minutes that the city is ahead of UTC; negative in the west: -420.")
    var utcOffset = 0

    @Option(help: "Fail when the mean absolute percentage error from 3 minutes on is above this many percent.")
    var maxError: Double?

    func validate() throws {
        guard (-1440...1440).contains(utcOffset) else {
            throw ValidationError("--utc-offset \(utcOffset): expected minutes, -1440 to 1440")
        }
    }

    func run() throws {
        let first = try trips(recording)
        let second = try judge.map(trips)
        let isLearned: (String) -> Bool =
            second == nil ? { name in name.utf8.reduce(0) { $0 &* 31 &+ Int($1) } % 2 == 0 } : { _ in true }
        let learned = first.filter { isLearned($0.key) }
        let judged = second.map { $0.filter { learned[$0.key] == nil } } ?? first.filter { !isLearned($0.key) }
        guard !learned.isEmpty, !judged.isEmpty else {
            throw CommandFailure(
                "too few cabs with a passenger: \(learned.count) to learn from, \(judged.count) to judge")
        }
        // As the hub sees them: a place every half minute, in the order in which they ended.
        let ways = learned.values.joined().map(thinned).sorted { $0.places.last?.at ?? 0 < $1.places.last?.at ?? 0 }
        let trial = TravelTimesTrial(learn: ways, judge: judged.sorted { $0.key < $1.key }.flatMap(\.value)) { time in
            // 1970 began on a Thursday.
            Int((time / 3_600_000 + Int64(utcOffset / 60) + 72) % 168)
        }
        guard let error = trial.learned.fromThree.error else { throw CommandFailure("nothing to judge") }
        Terminal.line("learned from \(ways.count) ways of \(learned.count) cabs, judged on \(judged.count) cabs")
        Terminal.line("forecasts: \(trial.learned.fromThree.count) of 3 minutes and more")
        Terminal.line("")
        row("mean absolute percentage error", "learned", "distance only", "before P10", "after P90")
        scores("3 minutes and more", trial.learned.fromThree, trial.untaught.fromThree)
        scores("10 minutes and more", trial.learned.fromTen, trial.untaught.fromTen)
        scores("at the first fix", trial.learned.first, trial.untaught.first)
        for (index, name) in ["3 to 6 minutes", "6 to 10", "10 to 15", "15 and more"].enumerated() {
            scores(name, trial.learned.buckets[index], trial.untaught.buckets[index])
        }
        if let maxError, error * 100 > maxError {
            throw CommandFailure("the error, \(percent(error)), is above \(maxError) %")
        }
    }

    private func trips(_ path: String) throws -> [String: [TravelledWay]] {
        do {
            return try HiredTrips(recording: InputFile.read(path)).ways
        } catch let error as TraceError { throw CommandFailure("\(path): \(error)") }
    }

    private func thinned(_ way: TravelledWay) -> TravelledWay {
        var thin = TravelledWay()
        for place in way.places { thin.pass(place.point, at: place.at) }
        return thin.finished
    }

    private func scores(_ name: String, _ mine: ForecastScore, _ theirs: ForecastScore) {
        row(name, percent(mine.error), percent(theirs.error), percent(mine.before), percent(mine.after))
    }

    private func row(_ name: String, _ cells: String...) {
        Terminal.line(
            name.padding(toLength: 32, withPad: " ", startingAt: 0)
                + cells.map { String(repeating: " ", count: max(1, 15 - $0.count)) + $0 }.joined())
    }

    private func percent(_ share: Double?) -> String { share.map { String(format: "%.1f %%", $0 * 100) } ?? "-" }
}
