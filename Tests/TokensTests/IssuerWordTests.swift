import Settings
import Testing
import Wire

@testable import Tokens

private let now: Int64 = 1_795_210_199_000

/// What the words of another issuer are held against: byte for byte, as Swift takes two texts for the same that are only written alike.
@Suite struct IssuerWordTests {
    private func proving(_ change: (inout IssuerRules) -> Void = { _ in }) throws -> TokenVerifier {
        var rules = IssuerRules()
        change(&rules)
        let key = try TokenPublicKey(kid: "theirs", pem: IssuerKey.es256.pem, rules: rules)
        let secret = TokenSecret(kid: "k1", bytes: Array(0..<32))
        return TokenVerifier(
            keys: TokenKeys(secrets: [secret], publicKeys: [key]), city: "milano", tokens: Settings().tokens)
    }

    /// `members`: more JSON behind the claims that each token has.
    private func read(_ members: String, _ verifier: TokenVerifier) -> Result<TokenClaims, TokenError> {
        let body = #"{"city":"milano","exp":1795213799,"iat":1795210199,\#(members)}"#
        return Result { () throws(TokenError) in
            try verifier.verify(IssuerKey.es256.token(kid: "theirs", body: body), nowMs: now)
        }
    }

    private func role(_ word: String, _ verifier: TokenVerifier) -> Role? {
        try? read(#""sub":"p1","role":["\#(word)"]"#, verifier).get().role
    }

    /// A group as the settings name it, and one that somebody else has made.
    private static let alike = [
        ("Kontrolle", "\u{212A}ontrolle"), ("Z\u{FC}rich", "Zu\u{308}rich"), ("Zu\u{308}rich", "Z\u{FC}rich"),
    ]

    @Test func `A word that is only written alike gives no role`() throws {
        for (ours, theirs) in Self.alike {
            let verifier = try proving {
                $0.roles = [.operator]
                $0.values = [ours: "operator"]
            }
            #expect(role(ours, verifier) == .operator)
            #expect(role(theirs, verifier) == nil, "\(ours)")
        }
    }

    @Test func `A word that is only written alike is no issuer, no audience and no kind`() throws {
        for (ours, theirs) in Self.alike {
            let verifier = try proving {
                ($0.issuer, $0.audience, $0.roles) = (ours, ours, [.driver])
                $0.values = [ours: "minibus", "cab": "driver"]
            }
            func said(_ iss: String, _ aud: String, _ kind: String) -> Result<TokenClaims, TokenError> {
                read(#""sub":"p1","role":"cab","iss":"\#(iss)","aud":"\#(aud)","kind":"\#(kind)""#, verifier)
            }
            let good = try said(ours, ours, ours).get()
            #expect(good.kind == .minibus)
            for (wrong, expected) in [
                (said(theirs, ours, ours), .wrongIssuer), (said(ours, theirs, ours), .wrongAudience),
                (said(ours, ours, theirs), .badClaim(.kind)),
            ] as [(Result<TokenClaims, TokenError>, TokenError)] {
                #expect(wrong == .failure(expected), "\(ours)")
            }
        }
    }

    @Test func `Nobody of another issuer is taken for a guest`() throws {
        for prefix in ["", "guest-"] {
            let verifier = try proving { $0.prefix = prefix }
            for subject in ["guest-0a1b2c3d-one", "guest-", "guest-x"] {
                let claims = try read(#""sub":"\#(subject)","role":"passenger","guest":true"#, verifier).get()
                #expect(claims.subject == "_x" + prefix + subject && !claims.isGuest)
            }
        }
        let plain = try proving()
        for subject in ["guest", "Guest-1", "guest_1", "aguest-1"] {
            let claims = try read(#""sub":"\#(subject)","role":"passenger""#, plain).get()
            #expect(claims.subject == subject)
        }
        #expect(ForeignSubject.id("_xguest-x") != ForeignSubject.id("guest-x"))
        #expect(ForeignSubject.began(ForeignSubject.id("guest-x"), with: "guest-"))
    }

    @Test func `Of a claim that stands twice the last counts, for all that it says`() throws {
        let verifier = try proving { $0.issuer = "theirs" }
        let last = try read(#""sub":"a","sub":"b","role":"passenger","iss":"x","iss":"theirs""#, verifier).get()
        #expect(last.subject == "b")
        let wrong = read(#""sub":"a","role":"passenger","iss":"theirs","iss":"x""#, verifier)
        #expect(wrong == .failure(.wrongIssuer))
    }

    @Test func `People whose names differ in a letter's case or make are different people`() {
        let names = [
            "bob", "Bob", "BOB", "b\u{F6}b", "bo\u{308}b", "\u{212A}", "K", "k", "\u{E5}", "a\u{30A}", "\u{212B}",
        ]
        #expect(Set(names.map(ForeignSubject.id)).count == names.count)
    }
}
