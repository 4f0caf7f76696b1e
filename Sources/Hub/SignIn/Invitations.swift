import EventLoop
import Logging
import RedisLink
import Settings
import Telemetry
import Tokens
import WebSocketServer
import Wire

/// The attempt that accepts an invitation, as it is kept under the invitation's id.
struct Acceptance {
    /// A lost answer is asked for at once, or when the network is back. Later it is somebody else at the same device, s.
    static let repeatableS: Int64 = 300

    /// Unix s.
    let at: Int64
    /// An identifier: it holds no space.
    let key: String

    var text: String { "\(at) \(key)" }

    /// Whether this asks for an answer again that was given a short while ago.
    /// - Parameter kept: the text of the attempt that has accepted the invitation
    func repeats(_ kept: [UInt8]?) -> Bool {
        let parts = String(decoding: kept ?? [], as: UTF8.self).split(separator: " ")
        guard parts.count == 2, let first = Int64(parts[0]) else { return false }
        // Also if the clock was put back meanwhile.
        return parts[1] == key && (at - Self.repeatableS...at + Self.repeatableS).contains(first)
    }
}

extension SignIn {
    /// An invitation (`kerbside invite`) is good once. Which attempt has accepted it is kept for as long as it would be good, and as a
    /// sign-in lasts: a clock that is ahead for a moment must not end that. Who did not get the answer asks again with the same `Idempotency-Key`,
    /// for some minutes. It is on the disk, too, before the token goes out: a Redis that has lost the mark is told again (``KeptRevocations``).
    func accept(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) {
        guard let text = request.bearerToken else {
            return answer(.unidentified(.unauthenticated, "Send the invitation as `Authorization: Bearer …`."))
        }
        let key = request.idempotencyKey ?? RandomID.make("")
        guard Identifier.isValid(key) else {
            return answer(
                .refusal(
                    ErrorReply(
                        code: .badMessage, field: "key",
                        detail: "Idempotency-Key: expected 1 to 64 of A-Z a-z 0-9 _ . : -")))
        }
        let claims: TokenClaims
        let id: String
        do throws(TokenError) {
            (claims, id) = try services.verifier.verify(invitation: text, nowMs: EventLoop.wallClock())
        } catch {
            services.metrics.tokensRefused.increment()
            return answer(
                .unidentified(
                    error == .wrongCity ? .forbidden : .unauthenticated, Self.explained(error), error: "invalid_token"))
        }
        // Which are used is known only then.
        guard kept.isPutBack else { return answer(Self.isAway) }
        if let refusal = services.budgets.take(Self.acceptPrice, ofReader: "invitation:\(id)") {
            return answer(.refusal(refusal))
        }
        let mark = RedisArgument(services.keys.invitation(id))
        let tokens = services.settings.tokens
        let lifeS = max(Int64(tokens.signInS), claims.expiresAt - second) + Int64(tokens.leewayS)
        let attempt = Acceptance(at: second, key: key)
        // First it is noted, then asked who is revoked: a revocation in between is seen, and a later one is later than what is signed here. A
        // worker hears of it a moment after it is made.
        var isNoted = false
        note(attempt.at) { result in
            if case .success = result { isNoted = true }
        }
        var revokedBefore: Int64?
        services.commands.send(
            ["ZSCORE", RedisArgument(services.keys.revoked), "\(claims.role.rawValue) \(claims.subject)"]
        ) { result in
            guard case .success(let reply) = result else { return }
            revokedBefore = reply.text.flatMap(Double.init).map { Int64($0) } ?? 0
        }
        services.commands.send(["SET", mark, RedisArgument(attempt.text), "NX", "GET", "EX", RedisArgument(lifeS)]) {
            result in
            guard case .success(let reply) = result, let revokedBefore, isNoted else { return answer(Self.isAway) }
            guard claims.issuedAt >= revokedBefore else {
                return answer(.unidentified(.unauthenticated, Self.explained(.revoked), error: "invalid_token"))
            }
            guard reply == .null || attempt.repeats(reply.bytes) else { return answer(Self.isUsed) }
            // As of when it was noted.
            let first = claims.began(now: attempt.at, lifeS: Int64(min(tokens.signInLifeS, tokens.signInS)))
            // Repeated, it says nothing new.
            if reply == .null {
                self.services.log.notice(
                    "an invitation is accepted",
                    metadata: ["role": "\(claims.role.rawValue)", "subject": "\(claims.subject)"])
            }
            let used = RevocationJournal.UsedInvitation(
                id: id, attempt: reply.text ?? attempt.text, until: attempt.at + lifeS)
            self.kept.keep(used) { answer(self.token(first)) }
        }
    }

    /// Proves, asks Redis, and signs.
    private static let acceptPrice = 4.0

    private static var isUsed: HTTPResponse {
        .refusal(
            ErrorReply(
                code: .forbidden,
                detail: "This invitation was accepted already, and is good once: ask who sent it for another."))
    }

    /// People meet these, so they say how to go on.
    private static func explained(_ error: TokenError) -> String {
        switch error {
        case .expired: "This invitation has expired: ask who sent it for another."
        case .revoked: "This invitation was taken back: ask who sent it for another."
        case .malformed, .badSignature, .unknownKey:
            "This is no invitation of this hub. Open the whole link as it was sent, or ask for another."
        case .wrongCity: "This invitation is for another city."
        default: "\(error)"
        }
    }
}
