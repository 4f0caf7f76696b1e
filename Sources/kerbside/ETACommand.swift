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
            without learning more, and compares with when each stop was really passed (the middle of the two times that \
            enclose it). Prints the mean absolute percentage error over horizons of 3 minutes and more, and the score of \
            the ETA Accuracy Benchmark (github.com/TransitApp/ETA-Accuracy-Benchmark): the mean of its four buckets' \
            shares of accurate forecasts.
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
        guard let error = trial.forecast.meanAbsolutePercentageError,
            let scheduleError = trial.baseline.meanAbsolutePercentageError
        else { throw CommandFailure("nothing to judge: no stop of \(passages) was passed after the split") }

        Terminal.line("learned from \(trial.toursLearned) tours, judged on \(trial.toursJudged)")
        if recorded.unknownTrips > 0 { Terminal.line("\(recorded.unknownTrips) trips are not in the feed") }
        Terminal.line("fixes judged: \(trial.fixesOnTheWay) of \(trial.fixes); the others lay beside the way")
        Terminal.line("forecasts: \(trial.forecast.count) of 3 minutes and more; \(trial.missed) stops believed passed")
        Terminal.line("")
        row("", "forecast", "schedule only")
        row("mean absolute percentage error", percent(error), percent(scheduleError))
        for (mine, theirs) in zip(trial.forecast.buckets, trial.baseline.buckets) {
            row(
                "accurate, \(mine.minutes.lowerBound) to \(mine.minutes.upperBound) min ahead", percent(mine.share),
                percent(theirs.share))
        }
        row("ETA Accuracy Benchmark", percent(trial.forecast.score), percent(trial.baseline.score))
        Terminal.line("")
        let all = Double(trial.before + trial.within + trial.after)
        Terminal.line(
            "came before P10: \(percent(Double(trial.before) / all)), after P90: \(percent(Double(trial.after) / all))")
        if let maxError, error * 100 > maxError {
            throw CommandFailure("the error, \(percent(error)), is above \(maxError) %")
        }
    }

    private func row(_ name: String, _ mine: String, _ theirs: String) {
        func padded(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(0, width - text.count)) + text
        }
        Terminal.line(name + padded(mine, 44 - name.count) + padded(theirs, 16))
    }

    private func percent(_ share: Double?) -> String { share.map { String(format: "%.1f %%", $0 * 100) } ?? "-" }
}
