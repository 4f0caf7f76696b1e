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
    /// What was asked for before.
    private var ready: [String: SharedPage] = [:]

    init(_ services: WorkerServices) { self.services = services }

    /// Scripts, styles and connections of this hub and no other; pictures, too, but for the map's where those of another host are
    /// configured. No page can be framed, and none sends a form.
    private var policy: (name: String, value: String) {
        let pictures = settings.pages.rasterOrigin.map { " " + $0 } ?? ""
        return (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:\(pictures); connect-src 'self'; "
                + "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
    }

    private static let guards: [(name: String, value: String)] = [
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
            response.headers = [policy] + Self.guards + [("Location", place)]
            answer(response)
        case .file(let path):
            guard let page = page(path) else { return false }
            answer(page.response(to: request, headers: [policy] + Self.guards))
        }
        return true
    }

    private func page(_ path: String) -> SharedPage? {
        let isRead = !settings.pages.directory.isEmpty
        if !isRead, let page = ready[path] { return page }
        let page = file(path).map { SharedPage(path == Self.worker ? withList($0) : $0) }
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
}
