import Foundation

/// The real data that tests run against, beside the package. Tests that need it are skipped where it isn't there.
enum TestData {
    static let root: String =
        ProcessInfo.processInfo.environment["KERBSIDE_TEST_DATA"]
        ?? packageRoot.deletingLastPathComponent().appendingPathComponent("shared/data").path

    static let packageRoot = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: root + "/" + path) }

    static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: root + "/" + path)))
    }

    static func bytes(ofPackageFile path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: packageRoot.appendingPathComponent(path)))
    }

    /// The fields of a CSV file without quotes, without its header.
    static func rows(_ path: String) throws -> [[String]] {
        let text = String(decoding: try bytes(path), as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).dropFirst()
            .map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    }

    /// The Unix time in ms of an ISO 8601 time with its offset.
    static func unixMs(_ text: String) throws -> Int64 {
        Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970 * 1000)
    }
}
