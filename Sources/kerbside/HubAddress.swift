import EventLoop
import Hub
import Settings
import Tokens
import WebSocketServer
import Wire

/// Where the configured hub is, for the commands that are its clients.
enum HubAddress {
    static func url(_ settings: Settings) -> String { "ws\(origin(settings))/v1/connect" }

    /// Where its pages are, for browsers of this machine.
    static func page(_ settings: Settings) -> String { "http\(origin(settings))" }

    private static func origin(_ settings: Settings) -> String {
        let host = settings.server.host.contains(":") ? "[\(settings.server.host)]" : settings.server.host
        let isAny = host == "0.0.0.0" || host == "[::]"
        return "\(settings.server.tls.isOn ? "s" : "")://\(isAny ? "127.0.0.1" : host):\(settings.server.port)"
    }

    /// Our own hub's certificate is believed as it stands: these commands run beside it.
    static func trust(_ settings: Settings) -> ClientTrust {
        settings.server.tls.isOn ? .file(settings.server.tls.certificate) : .system
    }
}

/// Signs tokens for the clients of a run. `@unchecked Sendable` because it is read only.
final class TokenSource: @unchecked Sendable {
    private let issuer: TokenIssuer
    private let city: String
    /// Seconds; no longer than tokens may live there.
    private let life: Int64

    init(_ settings: Settings) throws {
        issuer = try TokenIssuer(settings)
        city = settings.city.id
        life = min(86_400, Int64(settings.tokens.maxLifeS))
    }

    func token(role: String, subject: String) -> String {
        issue(claims(Role(rawValue: role) ?? .passenger, subject))
    }

    func token(minibus subject: String, seats: Int) -> String { issue(claims(.driver, subject).minibus(seats: seats)) }

    private func claims(_ role: Role, _ subject: String) -> TokenClaims {
        let now = EventLoop.wallClock() / 1000
        return TokenClaims(subject: subject, role: role, city: city, issuedAt: now, expiresAt: now + life)
    }

    private func issue(_ claims: TokenClaims) -> String { (try? issuer.issue(claims)) ?? "" }
}
