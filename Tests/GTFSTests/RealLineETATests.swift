import Domain
import Foundation
import GTFS
import Testing

/// Five hours of 21 real buses on two lines of Washington, with the times at which they really passed their stops.
struct RealLineETATests {
    private static let folder: String = {
        let beside = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../../shared/data")
        return (ProcessInfo.processInfo.environment["KERBSIDE_TEST_DATA"] ?? beside.path) + "/gtfs-rt-wmata/"
    }()
    private static let isThere = FileManager.default.fileExists(atPath: folder + "stop_passages.csv")

    private func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.folder + name)))
    }

    private func recorded() throws -> RecordedTours {
        let feed = try GTFSReader.read(FeedFiles(path: Self.folder + "wmata_3routes_gtfs.zip"))
        return try RecordedTours(
            catalog: feed.catalog, positions: bytes("vehicle_positions_C53_D96.csv"),
            passages: bytes("stop_passages.csv"))
    }

    @Test(
        "B6: learned on the first half of the time, judged on the second: at most 20 % off, and far better than the schedule",
        .enabled(if: isThere, "no gtfs-rt-wmata in the test data"))
    func accuracy() throws {
        let recorded = try recorded()
        #expect(recorded.tours.count == 87 && recorded.unknownTrips == 0)
        let trial = LineETATrial(recorded.tours, split: try #require(recorded.time(at: 0.5)), hour: recorded.hour)
        let error = try #require(trial.forecast.meanAbsolutePercentageError)
        let bySchedule = try #require(trial.baseline.meanAbsolutePercentageError)
        #expect(trial.forecast.count > 140_000)
        #expect(error <= 0.14, "\(error)")
        #expect(error < bySchedule / 2, "\(error) instead of \(bySchedule)")
        let score = try #require(trial.forecast.score)
        let scoreBySchedule = try #require(trial.baseline.score)
        #expect(score >= 0.8 && score > scoreBySchedule + 0.3, "\(score)")
        let told = trial.arrivals
        #expect(try #require(told.all.error) <= 0.14)
        for score in [told.all] + told.buckets {
            let within = 1 - (score.before ?? 1) - (score.after ?? 0)
            #expect(score.count > 10_000 && (0.74...0.86).contains(within), "\(within) between P10 and P90")
        }
        #expect(Double(trial.missed) < 0.01 * Double(trial.forecast.count))
    }

    @Test(
        "C52: real buses: passed stops are those of the agency within a minute, and a distance falls only when told",
        .enabled(if: isThere, "no gtfs-rt-wmata in the test data"))
    func passages() throws {
        var errors: [Double] = []
        var missing = 0
        for tour in try recorded().tours {
            var track = TourTrack(shape: tour.shape, stops: tour.places)
            var last = 0.0
            for fix in tour.fixes {
                let step = track.moved(to: fix.point, at: fix.at)
                guard let distance = track.distance else { continue }
                if case .relocated = step {} else { #expect(distance >= last) }
                last = distance
            }
            for passed in tour.passed where passed.by - passed.after <= 60_000 {
                guard let left = track.passages.departures[passed.stop] else {
                    missing += 1
                    continue
                }
                let outside = max(0, Double(passed.after - left), Double(left - passed.by)) / 1000
                errors.append(outside)
            }
        }
        errors.sort()
        #expect(errors.count > 3400)
        #expect(missing < 60, "\(missing) stops without a time")
        #expect(errors[errors.count * 95 / 100] <= 20, "seconds outside the two fixes that enclose the truth")
        #expect(errors[errors.count * 99 / 100] <= 60)
    }
}
