import ArgumentParser
import Domain
import Foundation
import GTFS

/// `kerbside eta-accuracy`: how good the forecasts are, on a recording.
struct ETAAccuracyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eta-accuracy", abstract: "Tries the forecasts for buses or taxis on recordings.",
        subcommands: [BusETACommand.self, TaxiETACommand.self], defaultSubcommand: BusETACommand.self)
}

/// `kerbside eta-accuracy buses`, for buses on lines.
struct BusETACommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "buses",
        abstract: "Tries the forecasts for buses on recorded tours, beside the schedule alone.",
        discussion: """
            Learns travel times from the part of the recording before --split, then forecasts at every fix after it, \
            without learning more. The arrival, which people are told, is compared with when the recorded bus came within \
            30 m of the stop, between two fixes in proportion; the departure with when the stop was passed (the middle of \
            the two times that enclose it). Prints the mean absolute percentage error over horizons of 3 minutes and \
            more, how often the bus came before P10 or after P90, and the score of the ETA Accuracy Benchmark \
            (github.com/TransitApp/ETA-Accuracy-Benchmark): the mean of its four buckets' shares of accurate forecasts.
            """)

    @Argument(help: "The GTFS feed, a zip archive or a folder.")
    var feed: String

    @Option(help: "CSV of positions: trip_id, start_date, timestamp, latitude, longitude.")
    var positions: String

    @Option(help: "CSV of passages: trip_id, stop_sequence, stop_id, passed_after_ts, passed_by_ts.")
    var passages: String

    @Option(help: "Learn from what was recorded before this share of the time, judge on the rest.")
    var split = 0.5

    @Option(help: "Fail when the mean absolute percentage error is above this many percent.")
    var maxError: Double?

    func validate() throws {
        guard split > 0, split < 1 else { throw ValidationError("--split \(split): expected more than 0, less than 1") }
    }

    func run() throws {
        let recorded: RecordedTours
        do {
            recorded = try RecordedTours(
                catalog: try GTFSReader.read(try FeedFiles(path: feed)).catalog, positions: InputFile.read(positions),
                passages: InputFile.read(passages))
        } catch let refusal as FeedRefusal { throw CommandFailure("\(feed): \(refusal)") }
        guard let time = recorded.time(at: split) else {
            throw CommandFailure("\(positions) has no position of a trip that \(feed) knows")
        }
        let trial = LineETATrial(recorded.tours, split: time, hour: recorded.hour)
        guard let error = trial.arrivals.all.error, trial.departures.all.count > 0 else {
            throw CommandFailure("nothing to judge: no stop of \(passages) was passed after the split")
        }

        Terminal.line("learned from \(trial.toursLearned) tours, judged on \(trial.toursJudged)")
        if recorded.unknownTrips > 0 { Terminal.line("\(recorded.unknownTrips) trips are not in the feed") }
        Terminal.line("fixes judged: \(trial.fixesOnTheWay) of \(trial.fixes); the others lay beside the way")
        Terminal.line("\(trial.missed) stops believed passed")
        Terminal.line("")
        scores("arrival, as people are told", trial.arrivals)
        Terminal.line("")
        scores("departure", trial.departures)
        Terminal.line("")
        row("by the departure", "forecast", "schedule only")
        row(
            "error", percent(trial.forecast.meanAbsolutePercentageError),
            percent(trial.baseline.meanAbsolutePercentageError))
        for (mine, theirs) in zip(trial.forecast.buckets, trial.baseline.buckets) {
            row(
                "accurate, \(mine.minutes.lowerBound) to \(mine.minutes.upperBound) min ahead", percent(mine.share),
                percent(theirs.share))
        }
        row("ETA Accuracy Benchmark", percent(trial.forecast.score), percent(trial.baseline.score))
        if let maxError, error * 100 > maxError {
            throw CommandFailure("the error, \(percent(error)), is above \(maxError) %")
        }
    }

    private func scores(_ name: String, _ scores: HorizonScores) {
        row(name, "forecasts", "error", "before P10", "after P90", "within")
        func line(_ name: String, _ score: ForecastScore) {
            let outside = (score.before ?? 0) + (score.after ?? 0)
            row(
                name, "\(score.count)", percent(score.error), percent(score.before), percent(score.after),
                percent(score.count > 0 ? 1 - outside : nil))
        }
        line("3 minutes and more", scores.all)
        let begins = HorizonScores.begins.map { Int($0 / 60) }
        for (index, score) in scores.buckets.enumerated() {
            let isLast = index + 1 == begins.count
            line(isLast ? "\(begins[index]) and more" : "\(begins[index]) to \(begins[index + 1])", score)
        }
    }

    private func row(_ name: String, _ cells: String...) {
        Terminal.line(
            name.padding(toLength: 32, withPad: " ", startingAt: 0)
                + cells.map { String(repeating: " ", count: max(1, 15 - $0.count)) + $0 }.joined())
    }

    private func percent(_ share: Double?) -> String { share.map { String(format: "%.1f %%", $0 * 100) } ?? "-" }
}
