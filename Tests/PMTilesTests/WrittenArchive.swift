import CZlib

@testable import PMTiles

/// An archive that a test makes: its tiles by id, in leaves of so many entries, or all in the root.
struct WrittenArchive {
    /// Id, run, bytes.
    var tiles: [(id: UInt64, run: UInt64, bytes: [UInt8])]
    var entriesPerLeaf: Int?
    var version: UInt8 = 3
    var directoryCompression: UInt8 = 2
    var tileCompression: UInt8 = 2
    var tileType: UInt8 = 1
    var zooms: (UInt8, UInt8) = (0, 4)
    /// Degrees × 10⁷: west, south, east, north.
    var bounds: (Int32, Int32, Int32, Int32) = (-1_800_000_000, -850_000_000, 1_800_000_000, 850_000_000)
    var metadata = Array("{\"attribution\":\"nobody's\"}".utf8)

    var bytes: [UInt8] {
        var data: [UInt8] = []
        var entries: [TileDirectory.Entry] = []
        for tile in tiles {
            entries.append(Self.entry(tile.id, tile.run, tile.bytes.count, data.count))
            data += tile.bytes
        }
        var leaves: [UInt8] = []
        if let entriesPerLeaf {
            var root: [TileDirectory.Entry] = []
            for begin in stride(from: 0, to: entries.count, by: entriesPerLeaf) {
                let leaf = packed(Self.directory(Array(entries[begin..<min(entries.count, begin + entriesPerLeaf)])))
                root.append(Self.entry(entries[begin].id, 0, leaf.count, leaves.count))
                leaves += leaf
            }
            entries = root
        }
        let root = packed(Self.directory(entries))
        let about = packed(metadata)
        var file = Array("PMTiles".utf8) + [version]
        var place = UInt64(PMTilesHeader.count)
        for part in [root, about, leaves, data] {
            file += Self.little(place, 8) + Self.little(UInt64(part.count), 8)
            place += UInt64(part.count)
        }
        for _ in 0..<3 { file += Self.little(UInt64(tiles.count), 8) }
        file += [1, directoryCompression, tileCompression, tileType, zooms.0, zooms.1]
        for edge in [bounds.0, bounds.1, bounds.2, bounds.3] {
            file += Self.little(UInt64(UInt32(bitPattern: edge)), 4)
        }
        file += [zooms.0] + Self.little(0, 8)
        return file + root + about + leaves + data
    }

    private func packed(_ bytes: [UInt8]) -> [UInt8] { directoryCompression == 2 ? Self.gzip(bytes) : bytes }

    static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: bytes.count + 64) { buffer, count in
            count = kerbside_gzip(bytes, bytes.count, buffer.baseAddress, buffer.count)
        }
    }

    private static func entry(_ id: UInt64, _ run: UInt64, _ length: Int, _ offset: Int) -> TileDirectory.Entry {
        TileDirectory.Entry(id: id, run: UInt32(run), length: UInt32(length), offset: UInt64(offset))
    }

    /// As the format has it; each offset in full but for those that follow the one before.
    static func directory(_ entries: [TileDirectory.Entry]) -> [UInt8] {
        var bytes = varint(UInt64(entries.count))
        var last: UInt64 = 0
        for entry in entries {
            bytes += varint(entry.id - last)
            last = entry.id
        }
        for entry in entries { bytes += varint(UInt64(entry.run)) }
        for entry in entries { bytes += varint(UInt64(entry.length)) }
        for (index, entry) in entries.enumerated() {
            let end = index > 0 ? entries[index - 1].offset + UInt64(entries[index - 1].length) : nil
            bytes += varint(end == entry.offset ? 0 : entry.offset + 1)
        }
        return bytes
    }

    static func varint(_ value: UInt64) -> [UInt8] {
        var (rest, bytes) = (value, [UInt8]())
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    private static func little(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }
}
