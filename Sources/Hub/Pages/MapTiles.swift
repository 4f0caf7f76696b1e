import EventLoop
import Logging
import PMTiles
import PageFiles
import Settings
import WebSocketServer

/// The ground of maps: `/tiles/tiles.json` says what it is drawn of, and `/tiles/{z}/{x}/{y}.mvt` are the tiles of the operator's
/// archive, as they are stored. For everybody, like the pages.
///
/// What waits for slow readers counts to `server.max_waiting_bytes`, as with every large answer.
final class MapTiles: Capability {
    let services: WorkerServices
    private var reader: TileReader?
    /// TileJSON; nil: there is no map.
    private var description: SharedPage?
    /// When a damaged tile was last told of, ms of the loop.
    private var complainedAt: UInt64?

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
        let before = reader
        reader = nil
        if !pages.map.isEmpty {
            do {
                let archive = try PMTilesArchive(path: pages.map)
                let isSame = archive.version == before?.archive.version
                reader = isSame ? before : TileReader(loop, archive)
                if !isSame { log.info("map", metadata: ["file": "\(pages.map)"]) }
            } catch {
                reader = before
                log.error(
                    "pages.map: \(pages.map) can't be used: \(error); \(before == nil ? "pages do without" : "the one before stays")"
                )
            }
        }
        description = TileJSON(reader?.archive, pages).bytes.map {
            SharedPage(PageFile(contentType: "application/json", bytes: $0))
        }
    }

    func answer(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Bool {
        guard request.path.utf8.starts(with: "/tiles/".utf8) else { return false }
        if request.path == "/tiles/tiles.json" { answer(about(request)) } else { tile(request, answer) }
        return true
    }

    /// 204: there is none, which is no error of who asks.
    private func about(_ request: HTTPRequest) -> HTTPResponse {
        let headers = [(name: "Cache-Control", value: "no-cache")]
        return description?.response(to: request, headers: headers) ?? HTTPResponse(status: 204, headers: headers)
    }

    private func tile(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) {
        guard let reader, let address = Self.address(request.path) else { return answer(Self.none) }
        let isAsked = reader.read(address, for: request.clientNetwork) { found in
            switch found {
            case .success(let tile?): answer(self.response(request, reader.archive, tile))
            case .success(nil):
                let isEmpty = reader.archive.isInside(address)
                answer(
                    isEmpty ? HTTPResponse(status: 204, headers: [("Cache-Control", Self.tileCaching)]) : Self.none)
            case .failure(let error):
                self.complain(error)
                answer(.problem(500, "The map is damaged", "This tile can't be read; the hub's log says why."))
            }
        }
        guard !isAsked else { return }
        var busy = HTTPResponse.problem(
            503, "The map is slow", "Too many of its tiles are asked for; ask again in some seconds.")
        busy.headers.append(("Retry-After", "5"))
        answer(busy)
    }

    private func response(
        _ request: HTTPRequest, _ archive: PMTilesArchive, _ tile: TileReader.Tile
    ) -> HTTPResponse {
        let (offset, length) = (String(tile.place.offset, radix: 16), String(tile.place.length, radix: 16))
        let etag = "\"\(archive.version)-\(offset)-\(length)\""
        var headers = [("ETag", etag), ("Cache-Control", Self.tileCaching)]
        if request.ifNoneMatch != nil, HTTPConditions(request).has(etag: etag, changed: 0) {
            return HTTPResponse(status: 304, headers: headers)
        }
        if archive.isGzip { headers.append(("Content-Encoding", "gzip")) }
        return HTTPResponse(
            status: 200, contentType: "application/vnd.mapbox-vector-tile", headers: headers, body: tile.bytes)
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
