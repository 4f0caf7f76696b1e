import Domain
import EventLoop
import RedisLink
import Settings
import Tokens
import WebSocketServer
import Wire

/// `POST /v1/guest`: a token for somebody who has none, by which to watch lines and ask for a stop (B20); `POST /v1/token/renew`:
/// the next token of a sign-in. Neither waits for Redis. `POST /v1/invitations/accept`: the first token of who was invited.
final class SignIn {
    let services: WorkerServices
    /// Which invitations are used.
    let kept: KeptRevocations
    private var limits: NetworkLimits

    init(_ services: WorkerServices, _ kept: KeptRevocations) {
        self.services = services
        self.kept = kept
        limits = .guests(perHour: services.settings.tokens.guestsPerHour)
    }

    /// False: the path is another's.
    func answer(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Bool {
        let give: (HTTPRequest, @escaping (HTTPResponse) -> Void) -> Void
        switch request.path {
        case "/v1/guest": give = { $1(self.guest($0)) }
        case "/v1/token/renew": give = { $1(self.renew($0)) }
        case "/v1/invitations/accept": give = accept
        default: return false
        }
        if request.method != "POST" {
            answer(.wrongMethod(allowed: "POST", "Ask for a token with POST."))
        } else if !services.commands.isUp || !services.clock.isSet {
            // Without it nobody knows whether the token was revoked.
            answer(Self.isAway)
        } else {
            give(request, answer)
        }
        return true
    }

    static var isAway: HTTPResponse {
        .refusal(ErrorReply(code: .unavailable, detail: "The hub can't reach its store now; ask again."))
    }

    var second: Int64 { EventLoop.wallClock() / 1000 }

    /// Who signs in at this second can be revoked, also if the clock is ahead now and right by then (revocations.lua). Before the token goes out.
    func note(_ second: Int64, _ completion: @escaping RedisConnection.Completion = { _ in }) {
        let arguments: [RedisArgument] = [
            "ZADD", RedisArgument(services.keys.signed), "GT", RedisArgument(second), "latest",
        ]
        services.commands.send(arguments, completion)
    }

    private func guest(_ request: HTTPRequest) -> HTTPResponse {
        let tokens = services.settings.tokens
        guard tokens.guestsPerHour > 0 else {
            return .refusal(
                ErrorReply(code: .forbidden, detail: "Nobody is a guest here: ask the operator for an account."))
        }
        // Any page could else use up what the network of its visitor has.
        guard request.isOfPage(in: services.settings.server.allowedOrigins) else {
            return .refusal(
                ErrorReply(
                    code: .forbidden, detail: "This origin may not ask; see server.allowed_origins in the settings."))
        }
        limits.set(guestsPerHour: tokens.guestsPerHour)
        let network = request.clientNetwork
        if let wait = limits.take(network, at: Int64(services.loop.now)) {
            return .refusal(
                ErrorReply(
                    code: .rateLimited, detail: "Too many have become guests from here; ask again later.",
                    retryAfterMs: wait))
        }
        // Guests of one network share what they may do. Behind a proxy of this machine nobody knows which those are.
        let mark = services.issuer.mark(of: network ?? RandomID.sign())
        let now = second
        note(now)
        return token(
            .guest(
                "\(TokenClaims.guestPrefix)\(mark)-\(RandomID.sign())", city: services.settings.city.id, now: now,
                lifeS: Int64(min(tokens.signInLifeS, tokens.signInS))))
    }

    private func renew(_ request: HTTPRequest) -> HTTPResponse {
        guard let token = request.bearerToken else {
            return .unidentified(.unauthenticated, "Send the token that is to be renewed as `Authorization: Bearer …`.")
        }
        do throws(TokenError) {
            let claims = try services.claims(of: token)
            if let refusal = services.budgets.take(Self.price, ofReader: Budgets.key(of: claims)) {
                return .refusal(refusal)
            }
            let tokens = services.settings.tokens
            let renewed = claims.renewed(
                now: second, lifeS: Int64(tokens.signInLifeS), sessionS: Int64(tokens.signInS))
            guard let renewed else {
                return .refusal(
                    ErrorReply(
                        code: .forbidden,
                        detail: claims.beganAt == nil
                            ? "This token is renewed where it comes from." : "This sign-in has ended: sign in anew."))
            }
            return self.token(renewed)
        } catch {
            return .unidentified(
                error == .wrongCity ? .forbidden : .unauthenticated, "\(error)", error: "invalid_token")
        }
    }

    /// Proves one token and signs another.
    private static let price = 2.0

    func token(_ claims: TokenClaims) -> HTTPResponse {
        // The settings have checked the city's id, and the subject was made here or proved.
        guard let token = try? services.issuer.issue(claims) else {
            return .refusal(ErrorReply(code: .unavailable, detail: "No token can be signed now."))
        }
        var json = JSONWriter()
        json.beginObject()
        json.member("token", token)
        json.member("expires_at", claims.expiresAt * 1000)
        json.member("subject", claims.subject)
        json.member("role", claims.role.rawValue)
        json.endObject()
        return .json(json.bytes)
    }
}
