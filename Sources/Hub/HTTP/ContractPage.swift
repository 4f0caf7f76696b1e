import Domain
import HubFiles
import WebSocketServer

/// `/v1/openapi.json`: what can be asked over HTTP, made of the contract by `tools/openapi`.
final class ContractPage: Capability {
    let services: WorkerServices
    private let page = HubFile.openapi.bytes
    private let etag: String

    init(_ services: WorkerServices) {
        self.services = services
        etag = "\"\(CatalogPages.digest(page))\""
    }

    func answer(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Bool {
        guard request.path == "/v1/openapi.json" else { return false }
        let headers = [("ETag", etag), ("Cache-Control", "no-cache")]
        let isKnown = request.ifNoneMatch != nil && HTTPConditions(request).has(etag: etag, changed: 0)
        answer(
            isKnown
                ? HTTPResponse(status: 304, headers: headers)
                : HTTPResponse(status: 200, contentType: "application/json", headers: headers, body: page))
        return true
    }
}
