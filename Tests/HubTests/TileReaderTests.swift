import Dispatch
import EventLoop
import PMTiles
import Testing

@testable import Hub

@Suite struct TileReaderTests {
    /// What was found, by a number of who asked.
    private final class Answers {
        var tiles: [Int: TileReader.Found] = [:]
    }

    private let only: [UInt8] = [1, 2, 3, 4]

    /// One of zooms 0 to 9 that has the tile of zoom 0 only, nothing packed.
    private func archive() throws -> PMTilesArchive {
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        // Entries; the first's id, run, length, and offset and one.
        let root: [UInt8] = [1, 0, 1, UInt8(only.count), 1]
        let metadata = Array("{}".utf8)
        var bytes = Array("PMTiles".utf8) + [3]
        var place = 127
        for count in [root.count, metadata.count, 0, only.count] {
            bytes += little(place, 8) + little(count, 8)
            place += count
        }
        bytes += little(0, 24) + [1, 1, 1, 1, 0, 9]
        for edge in [-1_800_000_000, -850_000_000, 1_800_000_000, 850_000_000] { bytes += little(edge, 4) }
        return try PMTilesArchive(bytes + little(0, 9) + root + metadata + only)
    }

    @Test func `who asks for a whole map is told to wait, but not for what is kept, and nobody else is`() throws {
        let loop = try EventLoop()
        let reader = TileReader(loop, try archive())
        let answers = Answers()
        let first = try #require(TileAddress(z: 0, x: 0, y: 0))
        /// So many of others that are not kept, as the archive lacks them. Answers how many are read.
        func read(_ numbers: Range<Int>, for network: String) throws -> Int {
            let before = answers.tiles.count
            var taken = 0
            for number in numbers {
                let address = try #require(TileAddress(z: 9, x: number % 512, y: number / 512))
                if reader.read(address, for: network, { answers.tiles[number] = $0 }) { taken += 1 }
            }
            guard taken > 0 else { return 0 }
            let timer = LoopTimer(loop)
            timer.start(afterMs: 1, repeatMs: 1) {
                guard answers.tiles.count >= before + taken else { return }
                timer.close()
                loop.stop()
            }
            loop.run()
            return taken
        }
        let isRead = reader.read(first, for: "192.0.2.1") { answers.tiles[-1] = $0 }
        #expect(isRead)
        var taken = 0
        for begin in stride(from: 0, to: 2_000, by: 200) { taken += try read(begin..<begin + 200, for: "192.0.2.1") }
        #expect(taken >= 599 && taken < 2_000)
        let isKept = reader.read(first, for: "192.0.2.1") { answers.tiles[-2] = $0 }
        #expect(isKept)
        #expect(try answers.tiles[-2]?.get()?.bytes == only)
        #expect(try read(2_000..<2_100, for: "198.51.100.1") == 100)
    }

    @Test func `a disk that hangs keeps only those waiting who want its tiles, and so many of them`() throws {
        let queue = DispatchQueue(label: "a disk")
        queue.suspend()
        let loop = try EventLoop()
        let reader = TileReader(loop, try archive(), queue: queue)
        let answers = Answers()
        let first = try #require(TileAddress(z: 0, x: 0, y: 0))
        func read(_ number: Int, _ address: TileAddress) -> Bool {
            reader.read(address, for: nil) { answers.tiles[number] = $0 }
        }
        #expect(read(0, first))
        for number in 1..<TileReader.mostWaiting {
            #expect(read(number, try #require(TileAddress(z: 9, x: number, y: 0))))
        }
        let others = try #require(TileAddress(z: 9, x: 0, y: 1))
        // Who wants what others wait for waits with them.
        #expect(!read(-2, others) && read(-1, first) && answers.tiles.isEmpty)
        // However many wait, few tiles are in memory of which nobody has counted the bytes yet.
        #expect(reader.reading == TileReader.mostReading)
        queue.resume()
        let timer = LoopTimer(loop)
        timer.start(afterMs: 1, repeatMs: 1) {
            guard answers.tiles.count == TileReader.mostWaiting + 1 else { return }
            timer.close()
            loop.stop()
        }
        loop.run()
        #expect(reader.reading == 0)
        for number in [0, -1] { #expect(try answers.tiles[number]?.get()?.bytes == only) }
        #expect(try answers.tiles[1]?.get() == nil)
        // What was read is kept, and answered at once.
        #expect(read(-3, first))
        #expect(try answers.tiles[-3]?.get()?.bytes == only)
    }
}
