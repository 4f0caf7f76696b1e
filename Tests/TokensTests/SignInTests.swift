import Settings
import Testing
import Wire

@testable import Tokens

/// Second 1,000 is the sign-in, 1,300 the renewal.
@Suite struct SignInTests {
    private static let secret = TokenSecret(kid: "k1", bytes: Array(0..<32))

    private static func verifier() -> TokenVerifier {
        TokenVerifier(
            keys: TokenKeys(secrets: [secret], publicKeys: []), city: "milano", tokens: Settings().tokens)
    }

    private static func renewed() throws -> TokenClaims {
        let guest = TokenClaims.guest("guest-1", city: "milano", now: 1_000, lifeS: 600)
        return try #require(guest.renewed(now: 1_300, lifeS: 600, sessionS: 9_000))
    }

    @Test func `A guest's token says so, and when the sign-in was`() throws {
        let token = try TokenIssuer(secret: Self.secret).issue(Self.renewed())
        let claims = try Self.verifier().verify(token, nowMs: 1_300_000)
        #expect(claims.isGuest && claims.beganAt == 1_000 && claims.expiresAt == 1_900)
    }

    @Test func `With a sign-in goes what was renewed of it before that was heard`() throws {
        let token = try TokenIssuer(secret: Self.secret).issue(Self.renewed())
        let old = Self.verifier()
        let claims = try old.verify(token, nowMs: 1_300_000)
        let new = old.revoking([TokenRevocation(role: .passenger, subject: "guest-1", before: 1_001)])
        #expect(throws: TokenError.revoked) { try new.verify(token, nowMs: 1_300_000) }
        #expect(!new.stillAccepts(claims, provedBy: old))
    }

    @Test func `The mark of a text is the same for who has the secret, and another for others`() {
        let issuer = TokenIssuer(secret: Self.secret)
        let other = TokenIssuer(secret: TokenSecret(kid: "k1", bytes: Array(1..<33)))
        let mark = issuer.mark(of: "192.0.2.1")
        #expect(mark.utf8.count == 8 && mark.utf8.allSatisfy("0123456789abcdef".utf8.contains))
        #expect(mark == issuer.mark(of: "192.0.2.1"))
        #expect(mark != issuer.mark(of: "192.0.2.2") && mark != other.mark(of: "192.0.2.1"))
    }
}
