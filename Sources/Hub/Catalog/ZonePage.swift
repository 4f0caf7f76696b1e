import Domain
import PageFiles
import WebSocketServer
import Wire

/// `/v1/zones/outlines`: the zones of the city for maps, as GeoJSON, for everybody.
///
/// Made when it is asked for first, and again when the zones have changed; one body for all who ask.
final class ZonePage: Capability {
    let services: WorkerServices
    private var page: SharedPage?
    /// So far a border may be from the true one, metres: two pixels of a map on which streets have their names.
    private static let withinM = 4.0

    init(_ services: WorkerServices) { self.services = services }

    func settingsChanged() { page = nil }

    func answer(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Bool {
        guard request.path == "/v1/zones/outlines" else { return false }
        guard let page = page ?? made() else {
            answer(.refusal(ErrorReply(code: .zonesUnknown, detail: "The zones are being loaded; ask again.")))
            return true
        }
        self.page = page
        answer(page.response(to: request, headers: [("Cache-Control", "no-cache")]))
        return true
    }

    private func made() -> SharedPage? {
        services.zones.set.map {
            SharedPage(PageFile(contentType: "application/geo+json", bytes: $0.outlines(within: Self.withinM)))
        }
    }
}
