internal import CZlib
internal import HubFiles
internal import Settings

/// A file for browsers.
public struct PageFile: Sendable {
    public let contentType: String
    public let bytes: [UInt8]

    /// One that the hub makes itself.
    public init(contentType: String, bytes: [UInt8]) {
        self.contentType = contentType
        self.bytes = bytes
    }

    /// Those of the program, by their addresses.
    public static let embedded = Dictionary(
        uniqueKeysWithValues: HubFile.pages.map {
            ($0.name, PageFile(contentType: PagePath.contentType($0.name), bytes: $0.bytes))
        })

    /// The largest that is read from a directory; a larger one is not there.
    private static let mostBytes = 4_194_304

    /// What is not among the pages: from where the compiler reads it, too.
    private static let libraries = [
        (path: "/assets/kerbside/", isOurs: true, place: "/../clients/javascript/"),
        (path: "/assets/leaflet/", isOurs: false, place: "/usr/share/javascript/leaflet/"),
    ]

    /// What lies in `directory` now, for those who write pages. It blocks, so it is no way to serve many.
    public static func read(_ path: String, directory: String) -> PageFile? {
        guard PagePath.isPlain(path) else { return nil }
        let library = libraries.first { path.hasPrefix($0.path) }
        let place = library.map { ($0.isOurs ? directory : "") + $0.place + path.dropFirst($0.path.count) }
        guard let bytes = try? TextFile.read(place ?? directory + path, maxBytes: mostBytes) else { return nil }
        return PageFile(contentType: PagePath.contentType(path), bytes: bytes)
    }

    /// The bytes as gzip has them; nil when that is no gain, as for pictures.
    public func gzipped() -> [UInt8]? {
        guard bytes.count > 256 else { return nil }
        let packed = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
            count = kerbside_gzip(bytes, bytes.count, buffer.baseAddress, buffer.count)
        }
        return packed.isEmpty || packed.count > bytes.count / 10 * 9 ? nil : packed
    }
}
