import EventLoop
import RedisLink
import Settings
import Tokens
import Wire

/// Ends the connections that the office wants ended, and knows whose tokens it has revoked.
final class OfficeSessions: PushListener {
    let services: WorkerServices
    private let clients: Sessions

    init(_ services: WorkerServices, _ clients: Sessions) {
        self.services = services
        self.clients = clients
    }

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        guard case .office(.endSession(let role, let subject, let reason, let revoke)) = message.command else {
            return false
        }
        // From an issuer's clock that is ahead by the leeway, until the end by one that is behind by it; and longer by a sign-in, as Redis' clock
        // may be ahead for a moment.
        let kept = settings.tokens.maxLifeS + 2 * settings.tokens.leewayS + settings.tokens.signInS
        call(
            "office_end_session",
            [
                "operator": RedisArgument(identity.subject), "role": RedisArgument(role.rawValue),
                "subject": RedisArgument(subject), "reason": RedisArgument(reason), "revoke": revoke ? "1" : "",
                "kept_s": RedisArgument(kept),
                "leeway_s": RedisArgument(settings.tokens.publicKeys.isEmpty ? 0 : settings.tokens.leewayS),
                "now_s": RedisArgument(EventLoop.wallClock() / 1000), "key": RedisArgument(message.key ?? ""),
            ], message, session)
        return true
    }

    func onPublish(_ push: Push) -> Bool {
        guard push.channel == Channel.ended else { return false }
        guard let data = try? JSONValue(parsing: push.data), let role = data["role"]?.text.flatMap(Role.init),
            let subject = data["subject"]?.text
        else { return true }
        let before = Int64(push.meta)
        if let before {
            var revoked = [TokenRevocation(role: role, subject: subject, before: before)]
            if let others = data["others_before"]?.integer {
                revoked.append(TokenRevocation(role: role, subject: subject, before: others, isOfOthers: true))
            }
            services.revoke(revoked)
        }
        clients.end(role, subject, isRevoked: before != nil, reason: data["reason"]?.text ?? "")
        return true
    }

    func redisIsUp() { readRevoked() }

    func subscriptionBack() { readRevoked() }

    private static let page = 1_000

    /// What was pushed before this worker heard it, from a second on: a page, and then the next one.
    private func readRevoked(from second: Int64 = 0) {
        functions.call("office_revoked", ["from": RedisArgument(second)]) { result in
            guard let rows = self.elements(result, of: "office_revoked") else { return }
            let revoked = stride(from: 0, to: rows.count - 1, by: 2).compactMap { index -> TokenRevocation? in
                // `<role> <subject>`, or `<role> <subject> others`.
                let words = rows[index].text?.split(separator: " ") ?? []
                guard words.count >= 2, let role = Role(rawValue: String(words[0])),
                    let before = rows[index + 1].text.flatMap(Double.init)
                else { return nil }
                return TokenRevocation(
                    role: role, subject: String(words[1]), before: Int64(before), isOfOthers: words.count == 3)
            }
            guard !revoked.isEmpty else { return }
            let old = self.services.verifier
            self.services.revoke(revoked)
            self.clients.sendAwayUnaccepted(provedBy: old)
            let last = revoked[revoked.count - 1].before
            if rows.count >= 2 * Self.page, last > second { self.readRevoked(from: last) }
        }
    }
}
