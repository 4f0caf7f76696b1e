public import Foundation

/// Where the client keeps what must survive the end of the app: names and texts. It calls one method after the other.
public protocol Storage: Sendable {
    func all() async throws -> [String: String]
    func put(_ name: String, _ text: String) async throws
    func remove(_ name: String) async throws
}

/// Gone with the process.
public actor MemoryStorage: Storage {
    private var kept: [String: String]

    public init(_ kept: [String: String] = [:]) {
        self.kept = kept
    }

    public func all() -> [String: String] { kept }
    public func put(_ name: String, _ text: String) { kept[name] = text }
    public func remove(_ name: String) { kept[name] = nil }
}

/// A folder with a file for each record: one for each hub, and of one process. Files are written whole or not at all, and
/// are their owner's alone to read.
public actor FileStorage: Storage {
    private let folder: URL

    /// Made when it is first written to.
    public init(_ folder: URL) {
        self.folder = folder
    }

    public func all() throws -> [String: String] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [:] }
        var kept: [String: String] = [:]
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            guard file.pathExtension == "kept",
                let name = file.deletingPathExtension().lastPathComponent.removingPercentEncoding
            else { continue }
            kept[name] = try String(contentsOf: file, encoding: .utf8)
        }
        return kept
    }

    public func put(_ name: String, _ text: String) throws {
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: attributes)
        let file = try place(of: name)
        try Data(text.utf8).write(to: file, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    public func remove(_ name: String) throws {
        let file = try place(of: name)
        if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
    }

    private func place(of name: String) throws -> URL {
        let allowed = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
        guard let encoded = name.addingPercentEncoding(withAllowedCharacters: allowed) else {
            throw Misuse(reason: "\(name) can't be the name of a file")
        }
        return folder.appendingPathComponent(encoded + ".kept")
    }
}
