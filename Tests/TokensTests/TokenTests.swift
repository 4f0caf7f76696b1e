import Settings
import Synchronization
import Testing

@testable import Tokens

private let now: Int64 = 1_795_210_199_000
private let secret = TokenSecret(kid: "k1", bytes: Array(0..<32))
private let claims = TokenClaims(
    subject: "T345", role: .driver, city: "milano", issuedAt: now / 1_000, expiresAt: now / 1_000 + 3_600)

/// HMAC for real; public keys count as signing what ends in the algorithm's name.
private let cryptography = TokenCryptography(hmacSHA256: SHA256.hmac) { algorithm, pem in
    { signature, data in signature == Array("\(pem.utf8.count) \(algorithm.rawValue) \(data.count)".utf8) }
}

private func verifier(
    secrets: [TokenSecret] = [secret], publicKeys: [TokenPublicKey] = [], city: String = "milano"
) -> TokenVerifier {
    TokenVerifier(
        keys: TokenKeys(secrets: secrets, publicKeys: publicKeys), city: city, tokens: Settings().tokens,
        cryptography: cryptography)
}

/// A token of any header and claims, signed with the secret.
private func token(header: String = #"{"alg":"HS256","typ":"JWT","kid":"k1"}"#, body: String) -> String {
    let signed = Base64URL.encode(header.utf8) + "." + Base64URL.encode(body.utf8)
    return signed + "." + Base64URL.encode(SHA256.hmac(key: secret.bytes, data: Array(signed.utf8)))
}

private func body(_ changes: [String: String?] = [:]) -> String {
    var fields: [String: String?] = [
        "sub": "\"T345\"", "role": "\"driver\"", "city": "\"milano\"", "exp": "1795213799", "iat": "1795210199",
    ]
    for (name, value) in changes { fields[name] = .some(value) }
    return "{" + fields.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }.joined(separator: ",") + "}"
}

private func failure(_ token: String, _ verifier: TokenVerifier = verifier(), at time: Int64 = now) -> TokenError? {
    do {
        _ = try verifier.verify(token, nowMs: time)
        return nil
    } catch {
        return error
    }
}

@Suite struct TokenTests {
    @Test func `The reference hash is right`() {
        // FIPS 180-4's example and RFC 4231's second case.
        func hex(_ bytes: [UInt8]) -> String {
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        #expect(
            hex(SHA256.hash(Array("abc".utf8))) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            hex(SHA256.hmac(key: Array("Jefe".utf8), data: Array("what do ya want for nothing?".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test func `The example of RFC 7515 A.1 has the signature that the RFC gives`() throws {
        let key = try #require(
            Base64URL.decode(
                "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow".utf8))
        let signed =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
            + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        #expect(
            Base64URL.encode(SHA256.hmac(key: key, data: Array(signed.utf8)))
                == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    }

    @Test(arguments: Role.allCases)
    func `What is issued verifies`(role: Role) throws {
        var claims = claims
        claims.role = role
        let token = try TokenIssuer(secret: secret, cryptography: cryptography).issue(claims)
        claims.keyID = "k1"
        #expect(try verifier().verify(token, nowMs: now) == claims)
        #expect(token.utf8.count < 300)
    }

    @Test func `A token counts from iat to exp, with the leeway`() throws {
        let token = try TokenIssuer(secret: secret, cryptography: cryptography).issue(claims)
        #expect(failure(token, at: now - 5_000) == nil)
        #expect(failure(token, at: now - 6_000) == .notYetValid)
        #expect(failure(token, at: now + 3_604_999) == nil)
        #expect(failure(token, at: now + 3_605_000) == .expired)
    }

    @Test func `Another city, key or secret is refused`() throws {
        let token = try TokenIssuer(secret: secret, cryptography: cryptography).issue(claims)
        #expect(failure(token, verifier(city: "torino")) == .wrongCity)
        #expect(failure(token, verifier(secrets: [.init(kid: "k2", bytes: secret.bytes)])) == .unknownKey)
        #expect(failure(token, verifier(secrets: [.init(kid: "k1", bytes: Array(1..<33))])) == .badSignature)
    }

    @Test func `Keys rotate: the first signs, all are accepted`() throws {
        let new = TokenSecret(kid: "k2", bytes: Array(100..<140))
        let old = try TokenIssuer(secret: secret, cryptography: cryptography).issue(claims)
        let keys = TokenKeys(secrets: [new, secret], publicKeys: [])
        #expect(keys.signing == new)
        let fresh = try TokenIssuer(secret: keys.signing, cryptography: cryptography).issue(claims)
        for token in [old, fresh] { #expect(failure(token, verifier(secrets: keys.secrets)) == nil) }
        #expect(failure(old, verifier(secrets: [new])) == .unknownKey)
    }

    @Test func `Every changed letter breaks a token`() throws {
        let token = Array(try TokenIssuer(secret: secret, cryptography: cryptography).issue(claims).utf8)
        let verifier = verifier()
        for index in token.indices {
            for letter in "A0-_.=+/ \n".utf8 where letter != token[index] {
                var changed = token
                changed[index] = letter
                #expect(throws: TokenError.self) { try verifier.verify(changed, nowMs: now) }
            }
        }
        for length in token.indices {
            #expect(throws: TokenError.self) { try verifier.verify(Array(token[..<length]), nowMs: now) }
        }
    }

    @Test(arguments: [
        #"{"alg":"none","kid":"k1"}"#, #"{"alg":"None","kid":"k1"}"#, #"{"alg":"HS512","kid":"k1"}"#,
        #"{"alg":"hs256","kid":"k1"}"#, #"{"kid":"k1"}"#, #"{"alg":"HS256"}"#, #"{"alg":"HS256","kid":1}"#,
        #"{"alg":["HS256"],"kid":"k1"}"#, #"{"alg":"HS256","kid":"k1","crit":["exp"]}"#,
        #"{"alg":"HS256","kid":"k1","typ":"JWE"}"#, #"{"alg":"HS256","kid":"k1","typ":7}"#, "[]", "\"HS256\"", "", "{",
        #"{"alg":"HS256","kid":"k1"}x"#, #"{"alg":"HS256","kid":"k1","typ":"JWT","n":"é"}"#,
        #"{"alg":"HS256","kid":"\u006b1"}"#, "null",
    ])
    func `A header that isn't ours is malformed`(header: String) {
        #expect(failure(token(header: header, body: body())) == .malformed)
    }

    @Test(
        arguments: [
            ["sub": nil], ["sub": "7"], ["sub": "\"\""], ["sub": "\"a b\""], ["sub": "\"a}\""], ["sub": "\"é\""],
            ["role": nil], ["role": "\"admin\""], ["role": "\"Driver\""], ["city": nil], ["city": "null"], ["exp": nil],
            ["exp": "\"1795213799\""], ["exp": "-1"], ["exp": "1e300"], ["exp": "true"], ["exp": "253402300800"],
            ["iat": "\"now\""], ["nbf": "{}"],
        ] as [[String: String?]])
    func `Claims that are missing or of the wrong kind are named`(changes: [String: String?]) {
        let claim = changes.keys.first.flatMap(TokenError.Claim.init)
        #expect(claim != nil && failure(token(body: body(changes))) == claim.map(TokenError.badClaim))
    }

    @Test func `A token may leave iat out, have fractions, nbf and claims of its own`() throws {
        let text = token(
            body: body(["iat": nil, "exp": "1795213799.75", "nbf": "1795210199", "x": "[1,{\"y\":null}]"]))
        let read = try verifier().verify(text, nowMs: now)
        #expect(read.issuedAt == 0)
        #expect(read.expiresAt == 1_795_213_799)
        #expect(failure(token(body: body(["nbf": "1795210205"]))) == .notYetValid)
    }

    @Test func `Tokens of other forms and sizes are malformed`() {
        for text in ["", ".", "..", "...", "a.b", "a.b.c.d", "é.é.é", String(repeating: "A", count: 5_000)] {
            #expect(failure(text) == .malformed)
        }
        let long = token(body: body(["x": "\"" + String(repeating: "x", count: 4_000) + "\""]))
        #expect(failure(long) == .malformed)
    }

    @Test func `An issuer refuses ids that channels can't have`() {
        let issuer = TokenIssuer(secret: secret, cryptography: cryptography)
        for subject in ["", "a:b", "a b", "a\"b", String(repeating: "x", count: 65)] {
            var wrong = claims
            wrong.subject = subject
            #expect(throws: TokenError.malformed) { try issuer.issue(wrong) }
        }
    }

    @Test func `A public key is used with its own algorithm only`() throws {
        var rules = IssuerRules()
        rules.roles = [.driver]
        let rsa = try TokenPublicKey(kid: "rsa", pem: PublicKeys.rsa2048, rules: rules)
        let ec = try TokenPublicKey(kid: "ec", pem: PublicKeys.p256, rules: rules)
        let verifier = verifier(publicKeys: [rsa, ec])
        func token(_ algorithm: String, _ key: TokenPublicKey, secret: [UInt8]? = nil) -> String {
            let signed =
                Base64URL.encode(#"{"alg":"\#(algorithm)","kid":"\#(key.kid)"}"#.utf8) + "."
                + Base64URL.encode(body().utf8)
            let signature =
                secret.map { SHA256.hmac(key: $0, data: Array(signed.utf8)) }
                ?? Array("\(key.pem.utf8.count) \(algorithm) \(signed.utf8.count)".utf8)
            return signed + "." + Base64URL.encode(signature)
        }
        #expect(failure(token("RS256", rsa), verifier) == nil)
        #expect(failure(token("ES256", ec), verifier) == nil)
        #expect(failure(token("ES256", rsa), verifier) == .badSignature)
        #expect(failure(token("RS256", ec), verifier) == .badSignature)
        // The public key taken for an HMAC secret: the classic confusion.
        #expect(failure(token("HS256", rsa, secret: Array(rsa.pem.utf8)), verifier) == .badSignature)
        #expect(failure(token("none", rsa), verifier) == .malformed)
    }

    @Test func `A public key is read once, however many tokens it is to check`() throws {
        let reads = Mutex(0)
        let key = try TokenPublicKey(kid: "ec", pem: PublicKeys.p256, rules: IssuerRules())
        let counting = TokenCryptography(hmacSHA256: SHA256.hmac) { _, _ in
            reads.withLock { $0 += 1 }
            return { _, _ in false }
        }
        let verifier = TokenVerifier(
            keys: TokenKeys(secrets: [secret], publicKeys: [key]), city: "milano", tokens: Settings().tokens,
            cryptography: counting)
        let token = Base64URL.encode(#"{"alg":"ES256","kid":"ec"}"#.utf8) + ".e30.AA"
        for _ in 1...3 { #expect(failure(token, verifier) == .badSignature) }
        #expect(reads.withLock { $0 } == 1)
    }

    @Test func `Bytes survive base64url, and it has one spelling`() {
        var bytes: [UInt8] = []
        for byte in 0...255 {
            bytes.append(UInt8(byte))
            #expect(Base64URL.decode(Base64URL.encode(bytes).utf8) == bytes)
        }
        for wrong in ["A", "AA=", "AA==", "A A", "AB", "AAB", "+A", "/A", "A\n"] {
            #expect(Base64URL.decode(wrong.utf8) == nil, "\(wrong)")
        }
        #expect(Base64URL.decode("".utf8) == [])
    }
}
