import Foundation

/// Data that is shared by several projects and lies beside the repository; `KERBSIDE_TEST_DATA` says where, if elsewhere.
enum TestData {
    static let root: URL = {
        if let path = ProcessInfo.processInfo.environment["KERBSIDE_TEST_DATA"] { return URL(fileURLWithPath: path) }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return package.deletingLastPathComponent().appendingPathComponent("shared/data")
    }()

    /// The files of the JSON parsing suite by name: `y_` must be accepted, `n_` refused, `i_` is left to the reader.
    static let jsonSuite: [(name: String, bytes: [UInt8])] = {
        let folder = root.appendingPathComponent("json-parsing/test_parsing")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().compactMap { name in
            (try? Data(contentsOf: folder.appendingPathComponent(name))).map { (name, [UInt8]($0)) }
        }
    }()
}
