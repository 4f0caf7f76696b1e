import DequeModule
import Dispatch
import EventLoop
import PMTiles

/// Reads the tiles of an archive for a worker, on a thread of its own: a slow disk keeps nobody waiting but who looks at a map. All calls come on
/// the worker's loop.
///
/// Of what was read some is kept, so that a crowd that looks at one place is sent one body, at once.
final class TileReader {
    struct Tile: Sendable {
        let place: PMTilesArchive.Place
        let bytes: [UInt8]
    }

    /// Nothing: the archive has no such tile.
    typealias Found = Result<Tile?, PMTilesError>

    /// `@unchecked Sendable` because its directories are read on one queue only.
    private struct Shelf: @unchecked Sendable {
        let archive: PMTilesArchive

        func find(_ address: TileAddress) -> Found {
            do throws(PMTilesError) {
                guard let place = try archive.place(of: address) else { return .success(nil) }
                return .success(Tile(place: place, bytes: try archive.tile(at: place)))
            } catch {
                return .failure(error)
            }
        }
    }

    private let loop: EventLoop
    private let queue: DispatchQueue
    private let shelf: Shelf
    /// By the tile's number in the archive, as is who waits for one.
    private var kept = RecentlyUsed<UInt64, Tile>(most: TileReader.mostKeptBytes)
    private var waiting: [UInt64: [(Found) -> Void]] = [:]
    /// Those that wait for the disk, and how many are being read, or have been and are on their way to the loop.
    private var next = Deque<TileAddress>()
    private(set) var reading = 0

    /// Of what is not kept: an archive of a country has a directory to unpack for each of them, half a millisecond of a processor.
    private var limits = NetworkLimits.tiles

    /// A phone's screen has some 12 tiles of 60 KB: a city's middle in all zooms.
    private static let mostKeptBytes = 16 << 20
    /// Different tiles: as many as twenty screens show at once.
    static let mostWaiting = 256
    /// Of them in memory before the loop has them: what it sends is counted, and these may have 2 MB each.
    static let mostReading = 4

    init(_ loop: EventLoop, _ archive: PMTilesArchive, queue: DispatchQueue = DispatchQueue(label: "kerbside.tiles")) {
        (self.loop, self.queue, shelf) = (loop, queue, Shelf(archive: archive))
    }

    /// What it says of itself; its tiles are read here alone.
    var archive: PMTilesArchive { shelf.archive }

    /// Calls `then` once, at once or later. False: it does not, too many tiles are asked for.
    /// - Parameter network: of who asks; nil has no limit of its own.
    func read(_ address: TileAddress, for network: String?, _ then: @escaping (Found) -> Void) -> Bool {
        let id = address.id
        if let tile = kept.use(id) {
            then(.success(tile))
            return true
        }
        if waiting[id] != nil {
            waiting[id]?.append(then)
            return true
        }
        guard waiting.count < Self.mostWaiting, limits.take(network, at: Int64(loop.now)) == nil else { return false }
        waiting[id] = [then]
        next.append(address)
        readNext()
        return true
    }

    private func readNext() {
        guard reading < Self.mostReading, let address = next.popFirst() else { return }
        reading += 1
        let answer = LoopAnswer { self.answer(address.id, $0) }
        queue.async { [shelf, loop] in
            let found = shelf.find(address)
            loop.submit { answer.give(found) }
        }
    }

    private func answer(_ id: UInt64, _ found: Found) {
        reading -= 1
        defer { readNext() }
        if case .success(let tile?) = found { kept.keep(tile, as: id, size: tile.bytes.count) }
        for then in waiting.removeValue(forKey: id) ?? [] { then(found) }
    }
}
