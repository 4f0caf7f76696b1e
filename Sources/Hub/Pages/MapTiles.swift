import EventLoop
import Logging
import PMTiles
import PageFiles
import Settings
import WebSocketServer

/// The ground of maps: `/tiles/tiles.json` says what it is drawn of, and `/tiles/{z}/{x}/{y}.mvt` are the tiles of the operator's
/// archive, as they are stored. For everybody, like the pages.
///
/// Each worker has the archive open and reads a tile by one `pread`; of what was read some is kept, so that a crowd that looks at one
/// place is sent one body. What waits for slow readers counts to `server.max_waiting_bytes`, as with every large answer.
final class MapTiles: Capability {
    let services: WorkerServices
    private var archive: PMTilesArchive?
    /// TileJSON; nil: there is no map.
    private var description: SharedPage?
    /// By the place in the archive.
    private var kept: [Int: [UInt8]] = [:]
    private var keptBytes = 0
    /// When a damaged tile was last told of, ms of the loop.
    private var complainedAt: UInt64?

    /// A phone's screen has some 12 tiles of 60 KB: a city's middle in all zooms. Beyond it all are read anew.
    private static let mostKeptBytes = 16 << 20
    private static let complainEveryMs: UInt64 = 60_000
    /// Browsers keep tiles for a day without asking: `tiles.json` has another address for those of another archive.
    private static let tileCaching = "public, max-age=86400"

    init(_ services: WorkerServices) {
        self.services = services
        open()
    }

    func settingsChanged() { open() }

    /// Opens the archive, and says what is wrong with it. Then the one before goes on, and without one there is no such map.
    private func open() {
        let pages = settings.pages
        let before = archive
        archive = nil
        if !pages.map.isEmpty {
            do {
                archive = try PMTilesArchive(path: pages.map)
                if archive?.version != before?.version { log.info("map", metadata: ["file": "\(pages.map)"]) }
            } catch {
                archive = before
                log.error(
                    "pages.map: \(pages.map) can't be used: \(error); \(before == nil ? "pages do without" : "the one before stays")"
                )
            }
        }
        if archive?.version != before?.version { (kept, keptBytes) = ([:], 0) }
        description = TileJSON(archive, pages).bytes.map {
            SharedPage(PageFile(contentType: "application/json", bytes: $0))
        }
    }

    func answer(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Bool {
        guard request.path.utf8.starts(with: "/tiles/".utf8) else { return false }
        answer(request.path == "/tiles/tiles.json" ? about(request) : tile(request))
        return true
    }

    /// 204: there is none, which is no error of who asks.
    private func about(_ request: HTTPRequest) -> HTTPResponse {
        let headers = [(name: "Cache-Control", value: "no-cache")]
        return description?.response(to: request, headers: headers) ?? HTTPResponse(status: 204, headers: headers)
    }

    private func tile(_ request: HTTPRequest) -> HTTPResponse {
        guard let archive, let address = Self.address(request.path) else { return Self.none }
        do throws(PMTilesError) {
            guard let place = try archive.place(of: address) else {
                return archive.isInside(address)
                    ? HTTPResponse(status: 204, headers: [("Cache-Control", Self.tileCaching)]) : Self.none
            }
            var headers = [
                (
                    "ETag",
                    "\"\(archive.version)-\(String(place.offset, radix: 16))-\(String(place.length, radix: 16))\""
                ),
                ("Cache-Control", Self.tileCaching),
            ]
            if request.ifNoneMatch != nil, HTTPConditions(request).has(etag: headers[0].1, changed: 0) {
                return HTTPResponse(status: 304, headers: headers)
            }
            if archive.isGzip { headers.append(("Content-Encoding", "gzip")) }
            return HTTPResponse(
                status: 200, contentType: "application/vnd.mapbox-vector-tile", headers: headers,
                body: try body(archive, place))
        } catch {
            complain(error)
            return .problem(500, "The map is damaged", "This tile can't be read; the hub's log says why.")
        }
    }

    private func body(_ archive: PMTilesArchive, _ place: PMTilesArchive.Place) throws(PMTilesError) -> [UInt8] {
        if let bytes = kept[place.offset] { return bytes }
        let bytes = try archive.tile(at: place)
        if keptBytes + bytes.count > Self.mostKeptBytes { (kept, keptBytes) = ([:], 0) }
        kept[place.offset] = bytes
        keptBytes += bytes.count
        return bytes
    }

    /// Once a minute, however many ask.
    private func complain(_ error: PMTilesError) {
        if let complainedAt, loop.now - complainedAt < Self.complainEveryMs { return }
        complainedAt = loop.now
        log.error("pages.map: \(settings.pages.map): \(error)")
    }

    private static var none: HTTPResponse { .problem(404, "Not found", "There is no such tile.") }

    /// Of `/tiles/14/2620/6332.mvt`.
    static func address(_ path: String) -> TileAddress? {
        let suffix = ".mvt"
        guard path.utf8.count <= 64, path.hasSuffix(suffix) else { return nil }
        let numbers = path.utf8.dropFirst("/tiles/".utf8.count).dropLast(suffix.utf8.count)
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { part in
                // Each tile has one address: no signs, and no zeros before a number.
                let isPlain = part.allSatisfy { (48...57).contains($0) } && (part.first != 48 || part.count == 1)
                return isPlain ? Int(String(decoding: part, as: UTF8.self)) : nil
            }
        guard numbers.count == 3, let z = numbers[0], let x = numbers[1], let y = numbers[2] else { return nil }
        return TileAddress(z: z, x: x, y: y)
    }
}
