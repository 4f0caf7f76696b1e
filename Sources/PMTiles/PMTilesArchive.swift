/// An archive of vector tiles (PMTiles version 3) that is open: which tiles it has, and their bytes as they are stored.
///
/// All that stands in it is checked before it is gone by: whatever its bytes are, a call gives a tile, none, or an error. Not
/// Sendable: used on one thread, which a call keeps for some 20 µs, and where it comes to a directory that is not kept yet for a millisecond.
public final class PMTilesArchive {
    public let minZoom, maxZoom: Int
    public let bounds: PMTilesBounds
    /// Where a map of it may begin.
    public let centre: (lon: Double, lat: Double, zoom: Int)
    /// JSON with its name, attribution and layers; not checked.
    public let metadata: [UInt8]
    /// Whether tiles are packed by gzip; otherwise they are as they are.
    public let isGzip: Bool
    /// Another one for another archive, and for the same file after a change.
    public let version: String

    private let bytes: ArchiveBytes
    private let header: PMTilesHeader
    private let root: TileDirectory
    /// Leaves by their offset.
    private var leaves: RecentlyUsed<UInt64, TileDirectory>
    /// So many were read and unpacked.
    private(set) var leafReadings = 0

    /// Where a tile stands.
    public struct Place: Equatable, Sendable {
        public let offset, length: Int
    }

    /// No tile that maps can draw is larger.
    public static let mostTileBytes = 2 << 20
    private static let mostUnpackedBytes = 4 << 20
    /// Entries of leaves that are kept, of 24 bytes each.
    private static let mostLeafEntries = 400_000
    /// The format advises one level of leaves.
    private static let mostLevels = 4

    /// Opens a file. Throws what is wrong with it.
    public convenience init(path: String) throws(PMTilesError) {
        try self.init(ArchiveBytes(path: path), mostLeafEntries: Self.mostLeafEntries)
    }

    /// The same of bytes in memory.
    public convenience init(_ bytes: [UInt8]) throws(PMTilesError) {
        try self.init(bytes, mostLeafEntries: Self.mostLeafEntries)
    }

    convenience init(_ bytes: [UInt8], mostLeafEntries: Int) throws(PMTilesError) {
        try self.init(ArchiveBytes(bytes), mostLeafEntries: mostLeafEntries)
    }

    private init(_ bytes: ArchiveBytes, mostLeafEntries: Int) throws(PMTilesError) {
        self.bytes = bytes
        leaves = RecentlyUsed(most: mostLeafEntries)
        let head = try bytes.read(0, min(bytes.count, PMTilesHeader.count))
        header = try PMTilesHeader(head, fileBytes: bytes.count)
        (minZoom, maxZoom, bounds, centre) = (header.minZoom, header.maxZoom, header.bounds, header.centre)
        isGzip = header.tileCompression == .gzip
        let packed = try bytes.read(header.root.offset, header.root.length)
        root = try TileDirectory(
            header.directoryCompression.unpacked(packed, "its root directory", limit: Self.mostUnpackedBytes))
        metadata = try header.directoryCompression.unpacked(
            bytes.read(header.metadata.offset, header.metadata.length), "its metadata", limit: Self.mostUnpackedBytes)
        for entry in root.entries { _ = try Self.place(of: entry, header) }
        version = Self.digest([head, packed, Array("\(bytes.count) \(bytes.changed)".utf8)])
    }

    /// Where a tile is; nil: it has none there.
    public func place(of address: TileAddress) throws(PMTilesError) -> Place? {
        guard (minZoom...maxZoom).contains(address.z) else { return nil }
        let id = address.id
        var directory = root
        for _ in 0..<Self.mostLevels {
            guard let entry = directory.entry(of: id) else { return nil }
            let place = try Self.place(of: entry, header)
            guard entry.run == 0 else { return place }
            directory = try leaf(entry.offset, place)
        }
        throw TileDirectory.damaged("directories lead to one another")
    }

    /// Whether a tile that it lacks is one of its city, where there is just nothing to be drawn.
    public func isInside(_ address: TileAddress) -> Bool {
        (minZoom...maxZoom).contains(address.z) && address.meets(bounds)
    }

    /// The bytes of a tile as they are stored.
    public func tile(at place: Place) throws(PMTilesError) -> [UInt8] {
        let tile = try bytes.read(place.offset, place.length)
        guard !isGzip || tile.starts(with: [0x1F, 0x8B]) else {
            throw PMTilesError("the tile at byte \(place.offset) is no gzip, as the header says")
        }
        return tile
    }

    private func leaf(_ offset: UInt64, _ place: Place) throws(PMTilesError) -> TileDirectory {
        if let kept = leaves.use(offset) { return kept }
        leafReadings += 1
        let packed = try bytes.read(place.offset, place.length)
        let leaf = try TileDirectory(
            header.directoryCompression.unpacked(packed, "a directory", limit: Self.mostUnpackedBytes))
        leaves.keep(leaf, as: offset, size: leaf.entries.count)
        return leaf
    }

    /// In the file; checked against the section that the entry is of.
    private static func place(of entry: TileDirectory.Entry, _ header: PMTilesHeader) throws(PMTilesError) -> Place {
        let isLeaf = entry.run == 0
        let section = isLeaf ? header.leaves : header.tiles
        let (end, isTooLarge) = entry.offset.addingReportingOverflow(UInt64(entry.length))
        guard !isTooLarge, end <= UInt64(section.length) else {
            throw TileDirectory.damaged("a \(isLeaf ? "directory" : "tile") lies behind the end of its section")
        }
        guard entry.length <= (isLeaf ? PMTilesHeader.mostDirectoryBytes : mostTileBytes) else {
            throw PMTilesError("a \(isLeaf ? "directory" : "tile") has \(entry.length) bytes, more than are taken here")
        }
        return Place(offset: section.offset + Int(entry.offset), length: Int(entry.length))
    }

    /// FNV-1a.
    private static func digest(_ parts: [[UInt8]]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in parts.joined() { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
