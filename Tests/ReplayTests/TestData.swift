import Domain
import Foundation
import Testing

@testable import Replay

/// Recordings of the shared data; nil where they are not at hand.
func testData(_ path: String) -> [UInt8]? {
    let root =
        ProcessInfo.processInfo.environment["KERBSIDE_TEST_DATA"]
        ?? URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../shared/data")
        .path
    return FileManager.default.contents(atPath: "\(root)/\(path)").map(Array.init)
}

let cabspotting = "taxi-sf-cabspotting/sf_cabs_2008-05-21.csv"
let rome = "taxi-rome-sample/taxi_february_sample.txt"
let hasTestData = testData(rome) != nil
let noData: Comment = "the shared test data is not here (KERBSIDE_TEST_DATA names its folder)"

func point(_ lat: Double, _ lon: Double) -> GeoPoint { GeoPoint(lat: lat, lon: lon) }
