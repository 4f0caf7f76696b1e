import Foundation
import Testing

@testable import PMTiles

@Suite("Archives of map tiles")
struct PMTilesTests {
    private static func tile(_ text: String) -> [UInt8] { WrittenArchive.gzip(Array(text.utf8)) }

    /// The world, its north-west, and four tiles of the sea that are one.
    private static let small = WrittenArchive(tiles: [
        (0, 1, tile("world")), (1, 1, tile("north-west")), (5, 4, tile("sea")),
    ])

    private static func bytes(_ archive: PMTilesArchive, _ z: Int, _ x: Int, _ y: Int) throws -> [UInt8]? {
        let address = try #require(TileAddress(z: z, x: x, y: y))
        return try archive.place(of: address).map { try archive.tile(at: $0) }
    }

    @Test(
        "Tiles are numbered along the curve",
        arguments: [
            (0, 0, 0, 0), (1, 0, 0, 1), (1, 0, 1, 2), (1, 1, 1, 3), (1, 1, 0, 4), (2, 0, 0, 5), (2, 1, 0, 6),
            (12, 3423, 1763, 19_078_479),
        ])
    func numbers(z: Int, x: Int, y: Int, id: UInt64) throws {
        #expect(try #require(TileAddress(z: z, x: x, y: y)).id == id)
    }

    @Test("Each tile of a zoom has a number of its own, and the zooms follow one another")
    func curve() throws {
        var ids: [UInt64] = []
        for z in 0...5 {
            let all = try (0..<1 << z).flatMap { x in
                try (0..<1 << z).map { y in try #require(TileAddress(z: z, x: x, y: y)).id }
            }
            ids += all.sorted()
        }
        #expect(ids == Array(0..<UInt64(ids.count)))
        // The last of the deepest zoom ends the curve, in the north-east.
        let side = UInt64(1) << 30
        #expect(TileAddress(z: 30, x: Int(side) - 1, y: 0)?.id == (side * side - 1) / 3 + side * side - 1)
    }

    @Test("The grid has no other tiles", arguments: [(-1, 0, 0), (0, 1, 0), (3, 8, 0), (3, 0, -1), (31, 0, 0)])
    func grid(z: Int, x: Int, y: Int) {
        #expect(TileAddress(z: z, x: x, y: y) == nil)
    }

    @Test("Tiles are found in the root and in leaves", arguments: [nil, 1, 2])
    func found(entriesPerLeaf: Int?) throws {
        var written = Self.small
        written.entriesPerLeaf = entriesPerLeaf
        let archive = try PMTilesArchive(written.bytes)
        #expect(archive.minZoom == 0 && archive.maxZoom == 4 && archive.isGzip)
        #expect(archive.metadata == written.metadata)
        #expect(try Self.bytes(archive, 0, 0, 0) == Self.tile("world"))
        #expect(try Self.bytes(archive, 1, 0, 0) == Self.tile("north-west"))
        #expect(try Self.bytes(archive, 1, 0, 1) == nil)
        // The run: 5 to 8.
        for (x, y) in [(0, 0), (1, 0), (1, 1), (0, 1)] {
            #expect(try Self.bytes(archive, 2, x, y) == Self.tile("sea"))
        }
        #expect(try Self.bytes(archive, 2, 0, 2) == nil)
        #expect(try Self.bytes(archive, 5, 0, 0) == nil)
    }

    @Test("A directory that was not used for longest makes room for another one, and no more than that")
    func kept() throws {
        var written = Self.small
        written.entriesPerLeaf = 1
        let archive = try PMTilesArchive(written.bytes, mostLeafEntries: 2)
        func readings(_ z: Int, _ x: Int, _ y: Int) throws -> Int {
            let before = archive.leafReadings
            #expect(try Self.bytes(archive, z, x, y) != nil)
            return archive.leafReadings - before
        }
        let first = try [readings(0, 0, 0), readings(1, 0, 0), readings(0, 0, 0)]
        #expect(first == [1, 1, 0])
        // The world was used since; the north-west makes room for the sea.
        let second = try [readings(2, 0, 0), readings(0, 0, 0), readings(2, 1, 1), readings(1, 0, 0)]
        #expect(second == [1, 0, 0, 1])
        let third = try [readings(2, 0, 0), readings(0, 0, 0)]
        #expect(third == [0, 1])
    }

    @Test("What is packed by nothing at all is read, too")
    func plain() throws {
        var written = Self.small
        (written.directoryCompression, written.tileCompression) = (1, 1)
        written.tiles = [(0, 1, [26, 0])]
        let archive = try PMTilesArchive(written.bytes)
        #expect(!archive.isGzip)
        #expect(try Self.bytes(archive, 0, 0, 0) == [26, 0])
    }

    @Test("A city has an inside, across the antimeridian, too")
    func inside() throws {
        var written = Self.small
        written.bounds = (1_700_000_000, -200_000_000, -1_700_000_000, -100_000_000)
        let archive = try PMTilesArchive(written.bytes)
        func isInside(_ z: Int, _ x: Int, _ y: Int) throws -> Bool {
            archive.isInside(try #require(TileAddress(z: z, x: x, y: y)))
        }
        #expect(try isInside(4, 0, 8) && isInside(4, 15, 8) && isInside(0, 0, 0))
        #expect(try !isInside(4, 8, 8) && !isInside(4, 15, 1) && !isInside(5, 0, 17))
        // Some programs leave it empty.
        written.bounds = (0, 0, 0, 0)
        let world = try PMTilesArchive(written.bytes)
        #expect(world.isInside(try #require(TileAddress(z: 4, x: 3, y: 3))))
    }

    private static func problem(_ bytes: [UInt8]) -> String? {
        do throws(PMTilesError) {
            _ = try PMTilesArchive(bytes)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("What can't be used is told with its reason")
    func refused() throws {
        func changed(_ change: (inout WrittenArchive) -> Void) -> String? {
            var written = Self.small
            change(&written)
            return Self.problem(written.bytes)
        }
        #expect(Self.problem([])?.contains("does not begin with PMTiles") == true)
        #expect(Self.problem(Array("SQLite format 3".utf8))?.contains("does not begin with PMTiles") == true)
        #expect(changed { $0.version = 2 }?.contains("version 2") == true)
        #expect(changed { $0.directoryCompression = 3 }?.contains("brotli: make it with gzip") == true)
        #expect(changed { $0.tileCompression = 4 }?.contains("zstd: make it with gzip") == true)
        #expect(changed { $0.tileType = 2 }?.contains("PNG") == true)
        #expect(changed { $0.zooms = (9, 3) }?.contains("zooms 9 to 3") == true)
        #expect(changed { $0.bounds.3 = 1_000_000_000 }?.contains("bounds") == true)
        #expect(Self.problem(Array(Self.small.bytes.dropLast()))?.contains("cut off") == true)
        #expect(Self.problem(Array(Self.small.bytes.prefix(100)))?.contains("its header") == true)
    }

    @Test(
        "A directory is taken whole or not at all",
        arguments: [
            ("ends too early", [2, 0, 1, 1, 1, 5, 5, 1]), ("says it has", [200, 1]),
            ("don't rise", [2, 3, 0, 1, 1, 5, 5, 1, 0]),
            ("has no bytes", [1, 0, 1, 0, 1]), ("follows none", [1, 0, 1, 5, 0]),
            ("something follows", [1, 0, 1, 5, 1, 9]),
            ("more than 64 bits", [1] + [UInt8](repeating: 255, count: 11)),
            ("run is too large", [1, 0, 255, 255, 255, 255, 16, 5, 1]),
        ] as [(String, [UInt8])])
    func directories(reason: String, bytes: [UInt8]) {
        #expect { try TileDirectory(bytes) } throws: { "\($0)".contains(reason) }
    }

    @Test("A tile that lies elsewhere, or is too large, is found at the start")
    func ranges() throws {
        var written = Self.small
        written.tiles = [(0, 1, Self.tile("world"))]
        var bytes = written.bytes
        // The section of tiles is one byte shorter than the directory says.
        bytes[64] -= 1
        #expect(Self.problem(bytes)?.contains("behind the end") == true)
        written.tiles = [(0, 1, [UInt8](repeating: 7, count: PMTilesArchive.mostTileBytes + 1))]
        #expect(Self.problem(written.bytes)?.contains("more than are taken") == true)
    }

    @Test("Directories that lead to one another are no way without end")
    func circle() throws {
        let leaf = WrittenArchive.gzip(WrittenArchive.directory([.init(id: 0, run: 0, length: 1, offset: 0)]))
        // Its own length is in it; it is tried until it fits.
        var entry = TileDirectory.Entry(id: 0, run: 0, length: UInt32(leaf.count), offset: 0)
        var packed = WrittenArchive.gzip(WrittenArchive.directory([entry]))
        entry = .init(id: 0, run: 0, length: UInt32(packed.count), offset: 0)
        packed = WrittenArchive.gzip(WrittenArchive.directory([entry]))
        try #require(packed.count == Int(entry.length))
        var bytes = WrittenArchive(tiles: [(0, 1, Self.tile("world"))], entriesPerLeaf: 1).bytes
        func number(_ place: Int) -> Int { (0..<8).reversed().reduce(0) { $0 << 8 | Int(bytes[place + $1]) } }
        // The leaf is put where the tiles are, and both root and leaf lead there.
        let root = number(8)
        let (begin, length) = (number(40), number(48))
        try #require(number(16) == packed.count && length >= packed.count)
        bytes.replaceSubrange(root..<root + packed.count, with: packed)
        bytes.replaceSubrange(begin..<begin + packed.count, with: packed)
        let archive = try PMTilesArchive(bytes)
        let world = try #require(TileAddress(z: 0, x: 0, y: 0))
        #expect { try archive.place(of: world) } throws: { "\($0)".contains("lead to one another") }
    }

    // MARK: damage

    /// Asks for all that it has. True: it was opened.
    @discardableResult
    private static func ask(_ bytes: [UInt8], zooms: ClosedRange<Int> = 0...3) -> Bool {
        guard let archive = try? PMTilesArchive(bytes) else { return false }
        for z in zooms {
            for x in 0..<1 << z {
                for y in 0..<1 << z {
                    guard let address = TileAddress(z: z, x: x, y: y) else { continue }
                    _ = archive.isInside(address)
                    if let place = try? archive.place(of: address) { _ = try? archive.tile(at: place) }
                }
            }
        }
        return true
    }

    @Test("One that is cut off anywhere is refused, and read over by nobody", arguments: [nil, 1])
    func truncated(entriesPerLeaf: Int?) {
        var written = Self.small
        written.entriesPerLeaf = entriesPerLeaf
        let whole = written.bytes
        let opened = (0..<whole.count).filter { Self.ask(Array(whole.prefix($0))) }
        #expect(opened.isEmpty)
    }

    @Test("Every byte may be any other one", arguments: [nil, 1])
    func damaged(entriesPerLeaf: Int?) {
        var written = Self.small
        written.entriesPerLeaf = entriesPerLeaf
        // Not packed, so that what is changed is not found by the sum of gzip.
        written.directoryCompression = 1
        let whole = written.bytes
        var opened = 0
        for place in whole.indices {
            for value in [0, 1, 2, 127, 128, 255, whole[place] ^ 0x40] as [UInt8] {
                var bytes = whole
                bytes[place] = value
                if Self.ask(bytes) { opened += 1 }
            }
        }
        #expect(opened > 0)
    }

    // MARK: San Francisco

    private static let city =
        (ProcessInfo.processInfo.environment["KERBSIDE_TEST_DATA"]
            ?? URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared/data").path)
        + "/basemap-sf/sf.pmtiles"
    private static let hasCity = FileManager.default.fileExists(atPath: city)

    @Test("The archive of a city", .enabled(if: hasCity, "shared/data/basemap-sf is not there"))
    func real() throws {
        let archive = try PMTilesArchive(path: Self.city)
        #expect(archive.minZoom == 0 && archive.maxZoom == 14 && archive.isGzip)
        #expect(abs(archive.bounds.west + 122.52) < 1e-6 && abs(archive.bounds.north - 37.83) < 1e-6)
        #expect(String(decoding: archive.metadata, as: UTF8.self).contains("OpenStreetMap"))
        let middle = try #require(try Self.bytes(archive, 14, 2620, 6332))
        let plain = try Compression.gzip.unpacked(middle, "the tile", limit: 1 << 20)
        #expect(String(decoding: plain, as: UTF8.self).contains("South Van Ness Avenue"))
        #expect(try Self.bytes(archive, 14, 0, 0) == nil)
        // What is not in the city is no hole of its map.
        let here = try #require(TileAddress(z: 14, x: 2620, y: 6332))
        let elsewhere = try #require(TileAddress(z: 14, x: 0, y: 0))
        #expect(archive.isInside(here) && !archive.isInside(elsewhere))
        #expect(try PMTilesArchive(path: Self.city).version == archive.version)
    }

    @Test("A city's archive with random damage", .enabled(if: hasCity, "shared/data/basemap-sf is not there"))
    func realDamage() throws {
        let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.city)))
        // Its directories and metadata; one cut off there, or anywhere, is refused.
        let opened = (0..<1800).filter { (try? PMTilesArchive(Array(whole.prefix($0)))) != nil }
        #expect(opened.isEmpty)
        #expect(Self.problem(Array(whole.dropLast())) != nil)
        var random = SeededRandom(state: 7)
        for _ in 0..<60 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let byte = UInt8.random(in: 0...255, using: &random)
                bytes[Int.random(in: 7..<1800, using: &random)] = byte
            }
            Self.ask(bytes, zooms: 0...2)
        }
    }

    @Test("What is no file is told", arguments: [("/", "it is no file"), ("/nowhere/map.pmtiles", "No such file")])
    func files(path: String, reason: String) {
        #expect { try PMTilesArchive(path: path) } throws: { "\($0)".contains(reason) }
    }

    @Test("A file that is cut off while it is in use gives errors")
    func changed() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).pmtiles")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(Self.small.bytes).write(to: url)
        let archive = try PMTilesArchive(path: url.path)
        let world = try #require(TileAddress(z: 0, x: 0, y: 0))
        let place = try #require(try archive.place(of: world))
        #expect(try archive.tile(at: place) == Self.tile("world"))
        let file = try FileHandle(forWritingTo: url)
        try file.truncate(atOffset: 130)
        #expect { try archive.tile(at: place) } throws: { "\($0)".contains("changed in use") }
    }
}

/// SplitMix64: the same damage each time.
private struct SeededRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
