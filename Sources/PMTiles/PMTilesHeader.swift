/// The first 127 bytes of an archive: where its parts are, and what it holds.
///
/// Source: PMTiles specification, version 3.
struct PMTilesHeader {
    static let count = 127

    /// A part of the file, which is known to lie in it.
    struct Section {
        let offset: Int
        let length: Int
    }

    let root: Section
    let metadata: Section
    let leaves: Section
    let tiles: Section
    let directoryCompression: Compression
    let tileCompression: Compression
    let minZoom: Int
    let maxZoom: Int
    let bounds: PMTilesBounds
    let centre: (lon: Double, lat: Double, zoom: Int)

    /// No directory has more bytes as it is stored: the root's limit is 16 KiB, and a leaf of a planet takes a tenth of this.
    static let mostDirectoryBytes = 1 << 20
    private static let mostMetadataBytes = 1 << 20
    /// Ids of tiles fit 64 bits up to zoom 31.
    private static let largestZoom = 30

    /// `bytes`: those at the begin of a file of `fileBytes`, as many as there are up to ``count``.
    init(_ bytes: [UInt8], fileBytes: Int) throws(PMTilesError) {
        guard bytes.starts(with: "PMTiles".utf8), bytes.count > 7 else {
            throw PMTilesError("it is no PMTiles archive: it does not begin with PMTiles")
        }
        guard bytes[7] == 3 else {
            throw PMTilesError("it is of version \(bytes[7]) of PMTiles: convert it to version 3 (pmtiles convert)")
        }
        guard bytes.count >= Self.count else {
            throw PMTilesError("it is cut off: it has \(bytes.count) bytes, fewer than its header of \(Self.count)")
        }
        func section(_ place: Int, _ name: String) throws(PMTilesError) -> Section {
            let (offset, length) = (Self.number(bytes, place), Self.number(bytes, place + 8))
            let (end, isTooLarge) = offset.addingReportingOverflow(length)
            guard !isTooLarge, end <= UInt64(fileBytes) else {
                throw PMTilesError(
                    "it is cut off or damaged: its \(name) end at byte \(isTooLarge ? "2^64" : "\(end)"), and it has \(fileBytes)"
                )
            }
            return Section(offset: Int(offset), length: Int(length))
        }
        root = try section(8, "root directory's bytes")
        metadata = try section(24, "metadata")
        leaves = try section(40, "leaf directories")
        tiles = try section(56, "tiles")
        guard root.length <= Self.mostDirectoryBytes, metadata.length <= Self.mostMetadataBytes else {
            throw PMTilesError("its root directory or its metadata has more than \(Self.mostDirectoryBytes) bytes")
        }
        directoryCompression = try Compression(bytes[97], of: "directories")
        tileCompression = try Compression(bytes[98], of: "tiles")
        guard bytes[99] == 1 else {
            let kinds: [UInt8: String] = [2: "PNG", 3: "JPEG", 4: "WebP", 5: "AVIF"]
            throw PMTilesError("it holds \(kinds[bytes[99]] ?? "unknown") tiles, no vector tiles (MVT)")
        }
        (minZoom, maxZoom) = (Int(bytes[100]), Int(bytes[101]))
        guard minZoom <= maxZoom, maxZoom <= Self.largestZoom else {
            throw PMTilesError("it is damaged: it says that it has the zooms \(minZoom) to \(maxZoom)")
        }
        func degrees(_ place: Int) -> Double {
            Double(Int32(truncatingIfNeeded: Self.number(bytes, place, count: 4))) / 1e7
        }
        bounds = PMTilesBounds(west: degrees(102), south: degrees(106), east: degrees(110), north: degrees(114))
        guard bounds.isOnEarth else { throw PMTilesError("it is damaged: its bounds are \(bounds)") }
        centre = (degrees(119), degrees(123), Int(bytes[118]))
    }

    /// Little-endian.
    private static func number(_ bytes: [UInt8], _ place: Int, count: Int = 8) -> UInt64 {
        bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The box that an archive has tiles of, degrees.
public struct PMTilesBounds: Equatable, Sendable, CustomStringConvertible {
    public let west, south, east, north: Double

    public var description: String { "\(west), \(south), \(east), \(north)" }

    var isOnEarth: Bool { [west, east].allSatisfy { abs($0) <= 180 } && [south, north].allSatisfy { abs($0) <= 90 } }
}
