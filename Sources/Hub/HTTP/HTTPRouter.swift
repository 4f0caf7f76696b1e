import Settings
import Tokens
import WebSocketServer
import Wire

/// What is asked over HTTP on the same port: the capabilities answer, and what none of them has is not found.
final class HTTPRouter {
    private let services: WorkerServices
    private let commands: HTTPCommands
    private let signIn: SignIn
    private let streams: Streams
    private let capabilities: [any Capability]

    /// `capabilities` are asked in this order.
    init(
        _ services: WorkerServices, _ commands: HTTPCommands, _ signIn: SignIn, _ streams: Streams,
        _ capabilities: [any Capability]
    ) {
        self.services = services
        self.commands = commands
        self.signIn = signIn
        self.streams = streams
        self.capabilities = capabilities
    }

    func answer(_ request: HTTPRequest, _ send: @escaping (HTTPResponse) -> Void) {
        let pages = CrossOrigin(request, allowed: services.settings.server.allowedOrigins)
        if let preflight = pages.preflight(request) { return send(preflight) }
        let answer = { (response: HTTPResponse) in send(pages.share(response)) }
        guard services.knowsRevoked || request.bearerToken == nil else { return answer(SignIn.isAway) }
        guard !commands.answer(request, answer) else { return }
        guard !signIn.answer(request, answer), !streams.post(request, answer) else { return }
        guard request.method == "GET" || request.method == "HEAD" else {
            return answer(
                .wrongMethod(allowed: "GET, HEAD", "Use GET; commands are sent with POST to /v1/commands/<name>."))
        }
        guard !capabilities.contains(where: { $0.answer(request, answer) }) else { return }
        answer(.problem(404, "Not found", "There is nothing at \(request.quotedPath)."))
    }
}

/// Who asks for what not everybody may read.
enum PrivateReader {
    /// `<role>:<subject>`.
    case allowed(String)
    case refused(HTTPResponse)
}

extension Capability {
    /// What only operators and services may read, others are refused; RFC 6750. The token is taken from the header only: an
    /// address is written to logs and kept in histories.
    func reader(of request: HTTPRequest, for what: String) -> PrivateReader {
        guard let token = request.bearerToken else {
            return .refused(
                unauthorised(
                    401, "Unauthorized",
                    "Send the token of an operator or a service as `Authorization: Bearer …` (kerbside token --role operator)."
                ))
        }
        do throws(TokenError) {
            let claims = try services.claims(of: token)
            guard claims.role == .operator || claims.role == .service else {
                return .refused(
                    unauthorised(
                        403, "Forbidden",
                        "A \(claims.role.rawValue) may not read \(what); an operator or a service may.",
                        error: "insufficient_scope"))
            }
            return .allowed("\(claims.role.rawValue):\(claims.subject)")
        } catch {
            return .refused(
                unauthorised(error == .wrongCity ? 403 : 401, "Unauthorized", "\(error)", error: "invalid_token"))
        }
    }

    private func unauthorised(_ status: Int, _ title: String, _ detail: String, error: String? = nil) -> HTTPResponse {
        var response = HTTPResponse.problem(status, title, detail)
        response.headers.append(HTTPResponse.challenge(error))
        return response
    }
}
