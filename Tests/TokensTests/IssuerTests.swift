import Settings
import Testing
import Wire

@testable import Tokens

private let now: Int64 = 1_795_210_199_000
private let secret = TokenSecret(kid: "k1", bytes: Array(0..<32))

private func verifier(
    _ tokens: Settings.Tokens = Settings().tokens, revoked: String = "",
    _ change: (inout IssuerRules) -> Void = { _ in }
) throws -> TokenVerifier {
    var rules = IssuerRules()
    change(&rules)
    let key = try TokenPublicKey(kid: "theirs", pem: IssuerKey.es256.pem, rules: rules)
    return TokenVerifier(
        keys: TokenKeys(secrets: [secret], publicKeys: [key]),
        revocations: try TokenRevocations(Array(revoked.utf8), path: "revoked"), city: "milano", tokens: tokens)
}

/// Keys of the same pair, by their `kid` and prefix.
private func verifier(prefixes: [String: String]) throws -> TokenVerifier {
    let keys = try prefixes.map { kid, prefix in
        var rules = IssuerRules()
        rules.prefix = prefix
        return try TokenPublicKey(kid: kid, pem: IssuerKey.es256.pem, rules: rules)
    }
    return TokenVerifier(
        keys: TokenKeys(secrets: [secret], publicKeys: keys), city: "milano", tokens: Settings().tokens)
}

/// A token of theirs; members that are nil are left out.
private func token(_ changes: [String: String?] = [:], kid: String = "theirs") -> String {
    var members: [String: String?] = [
        "sub": "\"p1\"", "role": "\"passenger\"", "city": "\"milano\"", "exp": "1795213799", "iat": "1795210199",
    ]
    for (name, value) in changes { members[name] = .some(value) }
    let body =
        "{" + members.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }.joined(separator: ",") + "}"
    return IssuerKey.es256.token(kid: kid, body: body)
}

private func failure(_ token: String, _ verifier: TokenVerifier) -> TokenError? {
    do {
        _ = try verifier.verify(token, nowMs: now)
        return nil
    } catch {
        return error
    }
}

@Suite struct IssuerTests {
    @Test(arguments: Role.allCases)
    func `Another issuer may make passengers, and more only where the settings say so`(role: Role) throws {
        let wanted = token(["role": "\"\(role.rawValue)\""])
        #expect((failure(wanted, try verifier()) == nil) == (role == .passenger))
        #expect(failure(wanted, try verifier { $0.roles = [role] }) == nil)
        #expect(failure(token(), try verifier { $0.roles = [.driver] }) == .badClaim(.role))
    }

    @Test func `Another issuer gives the scopes that the settings let it give, and ours gives any`() throws {
        let words = ["scope": "\"openid events:personal profile\""]
        let list = ["scope": #"["events:personal","email"]"#]
        let others = try verifier()
        let allowed = try verifier { $0.scopes = [.personalEvents] }
        for members in [words, list] {
            let (without, with) = try (
                others.verify(token(members), nowMs: now), allowed.verify(token(members), nowMs: now)
            )
            #expect(without.scopes == [] && with.scopes == [.personalEvents])
        }
        for strange in ["7", "{}", "\"\"", "[7,null]", "\"events:personalx\""] {
            #expect(try allowed.verify(token(["scope": strange]), nowMs: now).scopes == [])
        }
        let claims = TokenClaims(
            subject: "billing", role: .service, city: "milano", issuedAt: now / 1000, expiresAt: now / 1000 + 60,
            scopes: [.personalEvents])
        let read = try others.verify(try TokenIssuer(secret: secret).issue(claims), nowMs: now)
        #expect(read.scopes == [.personalEvents] && read.subject == "billing")
    }

    @Test func `Roles stand in objects, in lists, under URLs and by other words`() throws {
        func role(_ members: [String: String?], _ change: (inout IssuerRules) -> Void) throws -> Role? {
            try? verifier(Settings().tokens, revoked: "", change).verify(token(members), nowMs: now).role
        }
        let keycloak = ["role": nil, "realm_access": #"{"roles":["offline_access","rider","cab"]}"#]
        let words = ["rider": "passenger", "cab": "driver"]
        #expect(
            try role(keycloak) {
                $0.claims.role = "realm_access.roles"
                $0.values = words
                $0.roles = [.driver, .passenger]
            } == .driver)
        #expect(
            try role(keycloak) {
                $0.claims.role = "realm_access.roles"
                $0.values = words
            } == .passenger)
        let auth0 = ["role": nil, "https://k.example/role": "\"passenger\""]
        #expect(try role(auth0) { $0.claims.role = "https://k.example/role" } == .passenger)
        // With words of its own, ours are none of them.
        #expect(
            try role(["role": "\"operator\""]) {
                $0.roles = [.passenger, .operator]
                $0.values = ["dispatcher": "operator"]
            } == nil)
        for wrong in ["[]", "{}", "7", "null", "[[\"passenger\"]]"] {
            #expect(try role(["role": wrong]) { _ in } == nil)
        }
    }

    @Test func `Issuer and audience are held against the settings`() throws {
        let plain = try verifier()
        let verifier = try verifier {
            $0.issuer = "https://login.example/"
            $0.audience = "kerbside"
        }
        let iss = "\"https://login.example/\""
        #expect(failure(token(["iss": iss, "aud": "\"kerbside\""]), verifier) == nil)
        #expect(failure(token(["iss": iss, "aud": "[\"a\",\"kerbside\"]", "city": nil]), verifier) == nil)
        #expect(failure(token(["iss": iss, "aud": "\"kerbside\"", "city": "\"torino\""]), verifier) == .wrongCity)
        for aud in [nil, "\"other\"", "[]", "{\"kerbside\":1}", "7"] {
            #expect(failure(token(["iss": iss, "aud": aud]), verifier) == .wrongAudience)
        }
        for wrong in [nil, "\"https://login.example\"", "7"] {
            #expect(failure(token(["iss": wrong, "aud": "\"kerbside\""]), verifier) == .wrongIssuer)
        }
        #expect(failure(token(["city": nil]), plain) == .badClaim(.city))
    }

    @Test func `Kinds by their words`() throws {
        let verifier = try verifier {
            $0.roles = [.driver]
            $0.claims.kind = "car.kind"
            $0.values = ["kombi": "minibus", "d": "driver"]
        }
        let claims = try verifier.verify(
            token(["role": "\"d\"", "car": "{\"kind\":\"kombi\"}", "seats": "9"]), nowMs: now)
        #expect(claims.kind == .minibus && claims.seats == 9 && claims.role == .driver)
        #expect(failure(token(["role": "\"d\"", "car": "{\"kind\":\"tram\"}"]), verifier) == .badClaim(.kind))
    }

    @Test func `Any subject becomes an id, and no two become the same`() throws {
        func id(_ text: String) -> String { ForeignSubject.id(text) }
        #expect(id("T345") == "T345" && id("a.b-c_d") == "a.b-c_d")
        #expect(id("auth0|ab") == "_xauth0_7Cab")
        #expect(id("ada@example.org") == "_xada_40example.org")
        #expect(id("urn:p:7") == "_xurn_3Ap_3A7")
        #expect(id("é") == "_x_C3_A9")
        // Redis knows people by it: it stays as it is.
        #expect(id(String(repeating: "a", count: 65)) == "_hnXLNWZb51SQ0b51g6WRB8WraTMZ4Z4sVGaccTXsoPOQ")
        let subjects =
            [
                "", "a", "a_", "_x", "_xa", "_x_78a", "_x_5Fx", "_h", "_ha", "a|b", "a_7Cb", "_xa_7Cb", "a:b", "a_3Ab",
                " ",
                "\n", "_x_", "A|b", String(repeating: "a", count: 64), String(repeating: "a", count: 65),
                String(repeating: "|", count: 20), String(repeating: "|", count: 21),
            ] + (0..<256).map { "x\(Unicode.Scalar(UInt8($0)))y" }
        let ids = subjects.map(id)
        #expect(Set(ids).count == Set(subjects).count)
        for id in ids {
            #expect(Identifier.isValid(id) && !id.contains(":"), "\(id)")
        }
        let verifier = try verifier { $0.prefix = "acme." }
        #expect(try verifier.verify(token(), nowMs: now).subject == "acme.p1")
        #expect(try verifier.verify(token(["sub": "\"a|1\""]), nowMs: now).subject == "_xacme.a_7C1")
        #expect(failure(token(["sub": "\"\""]), verifier) == .badClaim(.sub))
    }

    @Test func `A token that lives longer than tokens may is refused`() throws {
        var tokens = Settings().tokens
        tokens.maxLifeS = 3_600
        let verifier = try verifier(tokens)
        #expect(failure(token(), verifier) == nil)
        #expect(failure(token(["exp": "1795213800"]), verifier) == .tooLong(most: 3_600))
        #expect(failure(token(["iat": nil]), verifier) == nil)
        #expect(failure(token(["iat": nil, "exp": "1795213800"]), verifier) == .tooLong(most: 3_600))
    }

    @Test func `Revoked tokens count no more, those issued later do`() throws {
        let at = "2026-11-20T21:29:30Z"
        let second = try #require(Instant(at)).unixMs / 1000
        let list = "# stolen\n\npassenger p1 \(at)\r\ndriver * \(at)\npassenger p1 2026-11-01T00:00:00Z\n"
        let verifier = try verifier(revoked: list) { $0.roles = [.passenger, .driver] }
        func issued(_ at: Int64?, _ changes: [String: String?] = [:]) -> String {
            token(changes.merging(["iat": at.map(String.init), "exp": "1795213799"]) { $1 })
        }
        #expect(failure(issued(second - 1), verifier) == .revoked)
        #expect(failure(issued(nil), verifier) == .revoked)
        // Their clock may be ahead by the leeway: a token may be as much older than it says.
        #expect(failure(issued(second + 4), verifier) == .revoked)
        #expect(failure(issued(second + 5), verifier) == nil)
        #expect(failure(issued(second - 1, ["sub": "\"p2\""]), verifier) == nil)
        #expect(failure(issued(second - 1, ["sub": "\"p2\"", "role": "\"driver\""]), verifier) == .revoked)
        for wrong in ["passenger p1", "admin p1 \(at)", "passenger p|1 \(at)", "passenger p1 yesterday", "a b c d"] {
            let error = #expect(throws: SettingsError.self) {
                try TokenRevocations(Array("\n\(wrong)".utf8), path: "r")
            }
            #expect(error?.problems.first?.place == "r:2")
        }
    }

    @Test func `A leeway that is lowered lets no token count again that was revoked with the one before`() throws {
        let second = now / 1_000 - 100
        let new = try verifier().revoking([
            TokenRevocation(role: .passenger, subject: "p1", before: second),
            TokenRevocation(role: .passenger, subject: "p1", before: second + 60, isOfOthers: true),
        ])
        #expect(failure(token(["iat": "\(second + 59)"]), new) == .revoked)
        #expect(failure(token(["iat": "\(second + 60)"]), new) == nil)
        let own = TokenClaims(
            subject: "p1", role: .passenger, city: "milano", issuedAt: second, expiresAt: second + 600)
        #expect(try new.verify(TokenIssuer(secret: secret).issue(own), nowMs: now).issuedAt == second)
    }

    @Test func `After a reload those stay whose key may still give their role`() throws {
        let before = try verifier { $0.roles = [.passenger, .driver] }
        let passenger = try before.verify(token(), nowMs: now)
        let driver = try before.verify(token(["role": "\"driver\""]), nowMs: now)
        func stays(_ claims: TokenClaims, _ after: TokenVerifier) -> Bool {
            after.stillAccepts(claims, provedBy: before)
        }
        #expect(stays(passenger, before) && stays(driver, before))
        let fewer = try verifier { $0.roles = [.passenger] }
        #expect(stays(passenger, fewer) && !stays(driver, fewer))
        #expect(stays(driver, try verifier { $0.roles = [.driver, .operator] }))
        let strict = try verifier {
            $0.roles = [.passenger, .driver]
            $0.issuer = "https://login.example/"
        }
        #expect(!stays(passenger, strict))
        #expect(!stays(passenger, try verifier(revoked: "passenger p1 2026-12-01T00:00:00Z")))
        let none = TokenVerifier(
            keys: TokenKeys(secrets: [secret], publicKeys: []), city: "milano", tokens: Settings().tokens)
        #expect(!stays(passenger, none))
        var own = passenger
        own.keyID = "k1"
        #expect(stays(own, none))
        let changed = TokenVerifier(
            keys: TokenKeys(secrets: [TokenSecret(kid: "k1", bytes: Array(1..<33))], publicKeys: []), city: "milano",
            tokens: Settings().tokens)
        #expect(!stays(own, changed))
    }

    @Test func `What outlives a connection counts as long as its key may give the role, of the same issuer`() throws {
        let before = try verifier { $0.roles = [.passenger, .driver] }
        let driver = try before.verify(token(["role": "\"driver\""]), nowMs: now)
        let standing = try #require(before.standing(of: driver, sessionS: 1))
        func counts(_ after: TokenVerifier, at second: Int64 = 1_795_213_798) -> Bool {
            after.counts(standing, .driver, "p1", now: second)
        }
        #expect(counts(before) && !counts(before, at: 1_795_213_799 + Int64(Settings().tokens.leewayS)))
        #expect(try !counts(verifier()) && counts(verifier { $0.roles = [.driver] }))
        let strict = try verifier {
            $0.roles = [.driver]
            $0.issuer = "https://login.example/"
        }
        #expect(!counts(strict))
        let revoking = try verifier(revoked: "driver * 2026-12-01T00:00:00Z") { $0.roles = [.driver] }
        #expect(!counts(revoking))
    }

    @Test func `An issuer can't name the people of another`() throws {
        let three = try verifier(prefixes: ["first": "", "acme": "acme.", "bus": "bus_"])
        for subject in [
            "acme.bob", "acme.", "bus_1", "acme.a|b", "acme.\u{301}bob", "acme." + String(repeating: "x", count: 80),
        ] {
            let foreign = token(["sub": "\"\(subject)\""], kid: "first")
            #expect(failure(foreign, three) == .notItsSubject(kid: "first"), "\(subject)")
        }
        let good = [
            ("first", "bob", "bob"), ("first", "acme", "acme"), ("first", "Acme.bob", "Acme.bob"),
            ("first", "_xacme.bob", "_x_5Fxacme.bob"), ("first", "_xacme.a_7Cb", "_x_5Fxacme.a_5F7Cb"),
            ("acme", "bob", "acme.bob"), ("acme", "a|b", "_xacme.a_7Cb"), ("acme", "bus_1", "acme.bus_1"),
            ("acme", "acme.bob", "acme.acme.bob"), ("bus", "acme.bob", "bus_acme.bob"),
        ]
        for (kid, subject, id) in good {
            #expect(try three.verify(token(["sub": "\"\(subject)\""], kid: kid), nowMs: now).subject == id)
        }
        #expect(!"\(TokenError.notItsSubject(kid: "first"))".contains("first"))
        // Without the other issuer nothing is its.
        let alone = try verifier(prefixes: ["first": ""])
        #expect(try alone.verify(token(["sub": "\"acme.bob\""], kid: "first"), nowMs: now).subject == "acme.bob")
    }

    @Test func `Whose subject has become another issuer's is sent away by a reload`() throws {
        let before = try verifier(prefixes: ["first": "", "bus": "bus_"])
        let after = try verifier(prefixes: ["first": "", "bus": "bus_", "acme": "acme."])
        func stays(_ subject: String, _ kid: String = "first") throws -> Bool {
            let claims = try before.verify(token(["sub": "\"\(subject)\""], kid: kid), nowMs: now)
            return after.stillAccepts(claims, provedBy: before)
        }
        #expect(try stays("bob") && stays("a|b") && stays("acme.bob", "bus"))
        #expect(try !stays("acme.bob") && !stays("acme.a|b"))
        // What began so can't be seen from a hash, so who has one logs in again, once.
        let long = try before.verify(
            token(["sub": "\"\(String(repeating: "x", count: 80))\""], kid: "first"), nowMs: now)
        #expect(!after.stillAccepts(long, provedBy: before) && after.stillAccepts(long, provedBy: after))
    }

    @Test
    func `What outlives a connection counts no more once its issuer's claims stand elsewhere or mean something else`()
        throws
    {
        func verifier(_ change: (inout IssuerRules) -> Void) throws -> TokenVerifier {
            var rules = IssuerRules()
            change(&rules)
            let key = try TokenPublicKey(kid: "theirs", pem: IssuerKey.es256.pem, rules: rules)
            return TokenVerifier(
                keys: TokenKeys(secrets: [secret], publicKeys: [key]), city: "milano", tokens: Settings().tokens)
        }
        let before = try verifier { _ in }
        let claims = try before.verify(token(), nowMs: now)
        let standing = try #require(before.standing(of: claims, sessionS: 1))
        func counts(_ later: TokenVerifier) -> Bool {
            later.counts(standing, .passenger, claims.subject, now: now / 1000)
        }
        #expect(try counts(before) && counts(verifier { $0.scopes = [] }))
        #expect(try !counts(verifier { $0.claims.subject = "email" }))
        #expect(try !counts(verifier { $0.values = ["rider": "passenger"] }))
    }

    @Test func `What outlives a connection counts under no other rules, whatever signs they are written with`() throws {
        func rules(_ change: (inout IssuerRules) -> Void) -> IssuerRules {
            var rules = IssuerRules()
            change(&rules)
            return rules
        }
        func proving(_ rules: IssuerRules) throws -> TokenVerifier {
            let key = try TokenPublicKey(kid: "theirs", pem: IssuerKey.es256.pem, rules: rules)
            return TokenVerifier(
                keys: TokenKeys(secrets: [secret], publicKeys: [key]), city: "milano", tokens: Settings().tokens)
        }
        let claims = Self.foreign(subject: "p1")
        let pairs: [(IssuerRules, IssuerRules)] = [
            (rules { $0.issuer = "a\nb" }, rules { ($0.issuer, $0.audience) = ("a", "b\n") }),
            (
                rules { ($0.claims.subject, $0.claims.role) = ("a\nb", "c") },
                rules { ($0.claims.subject, $0.claims.role) = ("a", "b\nc") }
            ),
            (rules { $0.values = ["a=b": "taxi"] }, rules { $0.values = ["a": "b=taxi"] }),
            (rules { $0.values = ["a": "taxi", "b": "taxi"] }, rules { $0.values = ["a": "taxi\nb=taxi"] }),
        ]
        for (one, other) in pairs {
            let standing = try #require(try proving(one).standing(of: claims, sessionS: 1))
            #expect(try proving(one).counts(standing, .passenger, "p1", now: now / 1000))
            #expect(try !proving(other).counts(standing, .passenger, "p1", now: now / 1000), "\(one) \(other)")
        }
        // Names of claims are no prefixes of others.
        let named = try proving(
            rules {
                ($0.claims.subject, $0.claims.role, $0.claims.kind, $0.claims.city) = ("a", "b", "c", "d")
            })
        let hash = ForeignSubject.id(String(repeating: "x", count: 80))
        let standing = try #require(named.standing(of: Self.foreign(subject: hash), sessionS: 1))
        let prefixed = try verifier(prefixes: ["theirs": "", "1": "a", "2": "b", "3": "c", "4": "d"])
        #expect(named.counts(standing, .passenger, hash, now: now / 1000))
        #expect(!prefixed.counts(standing, .passenger, hash, now: now / 1000))
    }

    /// What a token of theirs has said.
    private static func foreign(subject: String) -> TokenClaims {
        var claims = TokenClaims(
            subject: subject, role: .passenger, city: "milano", issuedAt: now / 1000, expiresAt: now / 1000 + 60)
        claims.keyID = "theirs"
        return claims
    }

    @Test func `What outlives a connection counts no more once its subject is another issuer's`() throws {
        let before = try verifier(prefixes: ["first": "", "bus": "bus_"])
        let after = try verifier(prefixes: ["first": "", "bus": "bus_", "acme": "acme.", "odd": "_x"])
        func counts(_ subject: String, _ kid: String = "first", made: TokenVerifier, now later: TokenVerifier) throws
            -> Bool
        {
            let claims = try made.verify(token(["sub": "\"\(subject)\""], kid: kid), nowMs: now)
            let standing = try #require(made.standing(of: claims, sessionS: 1))
            return later.counts(standing, .passenger, claims.subject, now: now / 1000)
        }
        for subject in ["bob", "a|b", "xacme.bob"] {
            #expect(try counts(subject, made: before, now: before) && counts(subject, made: before, now: after))
        }
        #expect(try counts("acme.bob", "bus", made: before, now: after), "bus_acme.bob is of bus")
        #expect(try counts("bob", "acme", made: after, now: after) && counts("a|b", "acme", made: after, now: after))
        for subject in ["acme.bob", "acme.", "acme.a|b"] {
            #expect(try counts(subject, made: before, now: before))
            #expect(try !counts(subject, made: before, now: after), "\(subject)")
        }
        // What began so can't be seen from a hash: what was said before the prefix was given counts no more, what is said since does.
        let long = String(repeating: "x", count: 80)
        #expect(try counts(long, made: before, now: before) && counts(long, made: after, now: after))
        #expect(try !counts(long, made: before, now: after))
        // Our own tokens may name anybody.
        let own = TokenClaims(
            subject: "acme.bob", role: .passenger, city: "milano", issuedAt: now / 1000, expiresAt: now / 1000 + 60)
        let claims = try before.verify(try TokenIssuer(secret: secret).issue(own), nowMs: now)
        let standing = try #require(before.standing(of: claims, sessionS: 1))
        #expect(after.counts(standing, .passenger, "acme.bob", now: now / 1000))
    }
}
