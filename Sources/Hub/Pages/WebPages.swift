import Domain
import PageFiles
import Settings
import WebSocketServer
import Wire

/// The pages for passengers, drivers and operators, with what they load: files of the program, the same for everybody.
///
/// They are told apart by their ETag, and asked for anew each time, so that a hub and its pages are of one version.
final class WebPages: Capability {
    let services: WorkerServices
    /// What was asked for before, as it is sent: each body is kept once, and shared by all who are sent it.
    private var ready: [String: Ready] = [:]

    private struct Ready {
        let contentType: String
        let plain: (etag: String, body: [UInt8])
        let gzip: (etag: String, body: [UInt8])?

        init(_ file: PageFile) {
            let digest = CatalogPages.digest(file.bytes)
            contentType = file.contentType
            plain = ("\"\(digest)\"", file.bytes)
            gzip = file.gzipped().map { ("\"\(digest)-gzip\"", $0) }
        }
    }

    init(_ services: WorkerServices) { self.services = services }

    /// Scripts, styles and connections of this hub and no other. No page can be framed, and none sends a form.
    private static let guards: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
                + "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Permissions-Policy", "geolocation=(self), camera=(), microphone=(), payment=(), usb=()"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cache-Control", "no-cache"),
    ]

    func answer(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Bool {
        let pages = settings.pages
        guard pages.enabled else { return false }
        let found =
            pages.directory.isEmpty
            ? PagePath(request.path) { PageFile.embedded[$0] != nil }
            : PagePath(request.path) { PageFile.read($0, directory: pages.directory) != nil }
        switch found {
        case nil: return false
        case .moved(let place):
            // Programs, `kerbside doctor` for one, look here for who this is.
            var response = HTTPResponse.text(302, StatusPages.greeting(settings.city.id))
            response.headers = Self.guards + [("Location", place)]
            answer(response)
        case .file(let path):
            guard let page = page(path) else { return false }
            answer(Self.response(page, request))
        }
        return true
    }

    private func page(_ path: String) -> Ready? {
        let isRead = !settings.pages.directory.isEmpty
        if !isRead, let page = ready[path] { return page }
        let page = file(path).map { Ready(path == Self.worker ? withList($0) : $0) }
        if !isRead { ready[path] = page }
        return page
    }

    private func file(_ path: String) -> PageFile? {
        let directory = settings.pages.directory
        return directory.isEmpty ? PageFile.embedded[path] : PageFile.read(path, directory: directory)
    }

    /// The script that keeps pages on a device. It changes with any of the files, so that a browser takes all of a version.
    private static let worker = "/sw.js"

    /// Before it stand the digests of all files by their addresses, as ETags have them, and one of them all.
    private func withList(_ script: PageFile) -> PageFile {
        var json = JSONWriter()
        json.beginObject()
        for path in PageFile.embedded.keys.sorted() where path != Self.worker {
            guard let file = file(path) else { continue }
            json.key(escaping: path)
            json.string(CatalogPages.digest(file.bytes))
        }
        json.endObject()
        let version = CatalogPages.digest(json.bytes + script.bytes)
        let list = Array("self.VERSION = \"\(version)\";\nself.FILES = ".utf8) + json.bytes + Array(";\n".utf8)
        return PageFile(contentType: script.contentType, bytes: list + script.bytes)
    }

    private static func response(_ page: Ready, _ request: HTTPRequest) -> HTTPResponse {
        let conditions = HTTPConditions(request)
        let packed = acceptsGzip(request.tokens("accept-encoding")) ? page.gzip : nil
        let form = packed ?? page.plain
        var headers = guards + [("ETag", form.etag)]
        if page.gzip != nil { headers.append(("Vary", "Accept-Encoding")) }
        if request.ifNoneMatch != nil, conditions.has(etag: form.etag, changed: 0) {
            return HTTPResponse(status: 304, headers: headers)
        }
        if packed != nil { headers.append(("Content-Encoding", "gzip")) }
        return HTTPResponse(status: 200, contentType: page.contentType, headers: headers, body: form.body)
    }

    private static let mostOfEncoding = 32

    private static func plain(_ part: Substring.UTF8View) -> String {
        Substring(part).lowercased().filter { $0 != " " && $0 != "\t" }
    }

    /// `gzip` or `*`, unless with a quality of nothing (RFC 9110 12.5.3).
    static func acceptsGzip(_ encodings: [Substring]) -> Bool {
        encodings.contains { encoding in
            // Nobody writes more of one, and what is written costs the reader: the rest is not looked at.
            let parts = encoding.utf8.prefix(mostOfEncoding).split(separator: UInt8(ascii: ";"))
            guard let name = parts.first.map(Self.plain), name == "gzip" || name == "*" else { return false }
            return !parts.dropFirst().map(Self.plain).contains { $0.hasPrefix("q=") && (Double($0.dropFirst(2)) ?? 1) == 0 }
        }
    }
}
