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

    @Test func `What outlives a connection counts as long as the sign-in lasts and its key is there`() throws {
        let verifier = Self.verifier()
        let token = try TokenIssuer(secret: Self.secret).issue(Self.renewed())
        let claims = try verifier.verify(token, nowMs: 1_300_000)
        let standing = try #require(verifier.standing(of: claims, sessionS: 9_000))
        #expect(TokenStanding("\(standing)".split(separator: " ")) == standing)
        let leeway = Int64(Settings().tokens.leewayS)
        #expect(verifier.counts(standing, .passenger, "guest-1", now: 9_999 + leeway))
        #expect(!verifier.counts(standing, .passenger, "guest-1", now: 10_000 + leeway))
        let revoking = verifier.revoking([TokenRevocation(role: .passenger, subject: "guest-1", before: 1_001)])
        #expect(!revoking.counts(standing, .passenger, "guest-1", now: 1_300))
        #expect(revoking.counts(standing, .passenger, "guest-2", now: 1_300))
        for other in [TokenSecret(kid: "k1", bytes: Array(1..<33)), TokenSecret(kid: "k2", bytes: Array(0..<32))] {
            let new = TokenVerifier(
                keys: TokenKeys(secrets: [other], publicKeys: []), city: "milano", tokens: Settings().tokens)
            #expect(!new.counts(standing, .passenger, "guest-1", now: 1_300))
            #expect(new.standing(of: claims, sessionS: 9_000) == nil || other.kid == "k1")
        }
        for text in ["", "1 2", "1 2 k 4", "x 1 k", "1 x k"] {
            #expect(TokenStanding(text.split(separator: " ")) == nil)
        }
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
