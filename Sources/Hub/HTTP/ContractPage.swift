import HubFiles
import PageFiles
import WebSocketServer

/// `/v1/openapi.json`: what can be asked over HTTP, made of the contract by `tools/openapi`.
final class ContractPage: Capability {
    let services: WorkerServices
    private lazy var page = SharedPage(PageFile(contentType: "application/json", bytes: HubFile.openapi.bytes))

    init(_ services: WorkerServices) { self.services = services }

    func answer(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Bool {
        guard request.path == "/v1/openapi.json" else { return false }
        answer(page.response(to: request, headers: [("Cache-Control", "no-cache")]))
        return true
    }
}
