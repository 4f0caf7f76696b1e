import Foundation

/// A directory of its own for one test, gone with the value.
final class Scratch {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.path + "/kerbside-" + UUID().uuidString
        try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file and returns its path.
    @discardableResult
    func write(_ name: String, _ text: String, mode: Int = 0o644) -> String {
        let file = path + "/" + name
        _ = FileManager.default.createFile(
            atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: mode])
        return file
    }

    /// Permission bits of a file, or nil when there is none.
    static func mode(_ path: String) -> UInt32? {
        var info = stat()
        return stat(path, &info) == 0 ? info.st_mode & 0o777 : nil
    }
}
