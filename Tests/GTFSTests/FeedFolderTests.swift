import Foundation
import Testing

@testable import GTFS

@Suite("A feed that is a folder")
struct FeedFolderTests {
    @Test("a pipe or a folder among its files is refused at once, without waiting for who writes to it")
    func noFiles() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/kerbside-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder + "/shapes.txt", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data("stop_id\na\n".utf8).write(to: URL(fileURLWithPath: folder + "/areas.txt"))
        #expect(mkfifo(folder + "/stops.txt", 0o600) == 0)
        let files = try FeedFiles(path: folder)
        #expect(try files.read("areas.txt", limits: FeedLimits())?.count == 10)
        for name in ["stops.txt", "shapes.txt"] {
            let refusal = #expect(throws: FeedRefusal.self) { try files.read(name, limits: FeedLimits()) }
            #expect(refusal?.description.contains("\(folder)/\(name) isn't a file") == true)
        }
        // In the place of an archive, too.
        let refusal = #expect(throws: FeedRefusal.self) { try FeedFiles(path: folder + "/stops.txt") }
        #expect(refusal?.description == "it isn't a file or a folder")
    }
}
