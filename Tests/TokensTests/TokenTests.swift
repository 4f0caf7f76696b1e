import Settings
import Testing
import Wire

@testable import Tokens

private let now: Int64 = 1_795_210_199_000
private let secret = TokenSecret(kid: "k1", bytes: Array(0..<32))
private let claims = TokenClaims(
    subject: "T345", role: .driver, city: "milano", issuedAt: now / 1_000, expiresAt: now / 1_000 + 3_600)

private func verifier(
    secrets: [TokenSecret] = [secret], publicKeys: [TokenPublicKey] = [], city: String = "milano"
) -> TokenVerifier {
    TokenVerifier(
        keys: TokenKeys(secrets: secrets, publicKeys: publicKeys), city: city, tokens: Settings().tokens)
}

/// A token of any header and claims, signed with the secret.
private func token(
    header: String = #"{"alg":"HS256","typ":"JWT","kid":"k1"}"#, body: String, key: HMACKey = secret.key
) -> String {
    let signed = Base64URL.encode(header.utf8) + "." + Base64URL.encode(body.utf8)
    return signed + "." + Base64URL.encode(key.code(of: Array(signed.utf8)))
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
    @Test(arguments: Role.allCases)
    func `What is issued verifies`(role: Role) throws {
        var claims = claims
        claims.role = role
        let token = try TokenIssuer(secret: secret).issue(claims)
        claims.keyID = "k1"
        #expect(try verifier().verify(token, nowMs: now) == claims)
        #expect(token.utf8.count < 300)
    }

    @Test func `A token counts from iat to exp, with the leeway`() throws {
        let token = try TokenIssuer(secret: secret).issue(claims)
        #expect(failure(token, at: now - 5_000) == nil)
        #expect(failure(token, at: now - 6_000) == .notYetValid)
        #expect(failure(token, at: now + 3_604_999) == nil)
        #expect(failure(token, at: now + 3_605_000) == .expired)
    }

    @Test func `Another city, key or secret is refused`() throws {
        let token = try TokenIssuer(secret: secret).issue(claims)
        #expect(failure(token, verifier(city: "torino")) == .wrongCity)
        #expect(failure(token, verifier(secrets: [.init(kid: "k2", bytes: secret.key.bytes)])) == .unknownKey)
        #expect(failure(token, verifier(secrets: [.init(kid: "k1", bytes: Array(1..<33))])) == .badSignature)
    }

    @Test func `Keys rotate: the first signs, all are accepted`() throws {
        let new = TokenSecret(kid: "k2", bytes: Array(100..<140))
        let old = try TokenIssuer(secret: secret).issue(claims)
        let keys = TokenKeys(secrets: [new, secret], publicKeys: [])
        #expect(keys.signing.kid == "k2")
        let fresh = try TokenIssuer(secret: keys.signing).issue(claims)
        for token in [old, fresh] { #expect(failure(token, verifier(secrets: keys.secrets)) == nil) }
        #expect(failure(old, verifier(secrets: [new])) == .unknownKey)
    }

    @Test func `Every changed letter breaks a token`() throws {
        let token = Array(try TokenIssuer(secret: secret).issue(claims).utf8)
        let verifier = verifier()
        for index in token.indices {
            for letter in "A0-_.=+/ \n".utf8 where letter != token[index] {
                var changed = token
                changed[index] = letter
                #expect(throws: TokenError.self) {
                    try verifier.verify(String(decoding: changed, as: UTF8.self), nowMs: now)
                }
            }
        }
        for length in token.indices {
            #expect(throws: TokenError.self) {
                try verifier.verify(String(decoding: token[..<length], as: UTF8.self), nowMs: now)
            }
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
        let issuer = TokenIssuer(secret: secret)
        for subject in ["", "a:b", "a b", "a\"b", String(repeating: "x", count: 65)] {
            var wrong = claims
            wrong.subject = subject
            #expect(throws: TokenError.malformed) { try issuer.issue(wrong) }
        }
    }

    @Test func `A public key is used with its own algorithm only`() throws {
        var rules = IssuerRules()
        rules.roles = [.driver]
        let keys = ["RS256": IssuerKey.rs256, "ES256": .es256, "EdDSA": .edDSA]
        let verifier = verifier(
            publicKeys: try keys.map { try TokenPublicKey(kid: $0.key, pem: $0.value.pem, rules: rules) })
        for (name, key) in keys {
            #expect(failure(key.token(kid: name, body: body()), verifier) == nil)
            for other in keys.keys where other != name {
                #expect(failure(key.token(kid: other, body: body()), verifier) == .badSignature)
                #expect(failure(key.token(kid: other, algorithm: other, body: body()), verifier) == .badSignature)
            }
            #expect(failure(key.token(kid: name, algorithm: "none", body: body()), verifier) == .malformed)
            // The public key taken for an HMAC secret: the classic confusion.
            let confused = token(
                header: #"{"alg":"HS256","kid":"\#(name)"}"#, body: body(), key: HMACKey(Array(key.pem.utf8)))
            #expect(failure(confused, verifier) == .badSignature)
        }
    }

    @Test(arguments: [IssuerKey.rs256, .es256, .edDSA])
    func `A signature is of one form, and of every byte`(key: IssuerKey) throws {
        let verifier = verifier(publicKeys: [try TokenPublicKey(kid: "k", pem: key.pem)])
        let token = key.token(kid: "k", body: body(["role": "\"passenger\""]))
        #expect(failure(token, verifier) == nil)
        let end = try #require(token.lastIndex(of: "."))
        let signature = try #require(Base64URL.decode(token[token.index(after: end)...].utf8))
        func failed(_ other: [UInt8]) -> TokenError? {
            failure(token[...end] + Base64URL.encode(other), verifier)
        }
        #expect(failed([]) == .badSignature && failed(signature + [0]) == .badSignature)
        #expect(failed(Array(signature.dropLast())) == .badSignature)
        #expect(failed([UInt8](repeating: 0, count: signature.count)) == .badSignature)
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(failed(changed) == .badSignature)
        }
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
