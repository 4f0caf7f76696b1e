import Wire

/// Proves tokens (JWT; HS256, RS256, ES256). Made anew when keys are reloaded.
public struct TokenVerifier: Sendable {
    /// Longest token that is looked at, bytes. Ours have about 250; the limit bounds what a stranger can make us do.
    public static let maxBytes = 4_096

    private enum Key: Sendable {
        case secret([UInt8])
        case publicKey(TokenPublicKey)

        var algorithm: TokenAlgorithm {
            switch self {
            case .secret: .hs256
            case .publicKey(let key): key.algorithm
            }
        }
    }

    private let keys: [String: Key]
    private let city: String
    private let leeway: Int64
    private let cryptography: TokenCryptography

    /// - Parameters:
    ///   - keys: all that are accepted.
    ///   - city: the city that tokens must be for.
    ///   - leewayS: by how much clocks may differ, seconds.
    public init(keys: TokenKeys, city: String, leewayS: Int, cryptography: TokenCryptography) {
        var byID: [String: Key] = [:]
        for key in keys.publicKeys { byID[key.kid] = .publicKey(key) }
        for secret in keys.secrets { byID[secret.kid] = .secret(secret.bytes) }
        self.keys = byID
        self.city = city
        leeway = Int64(leewayS)
        self.cryptography = cryptography
    }

    /// The claims of a token that counts here and now.
    ///
    /// - Parameters:
    ///   - token: the compact form, `header.claims.signature`.
    ///   - nowMs: Unix milliseconds of real time: the issuer's clock knows no scale.
    public func verify(_ token: String, nowMs: Int64) throws(TokenError) -> TokenClaims {
        try verify(Array(token.utf8), nowMs: nowMs)
    }

    /// As ``verify(_:nowMs:)-(String,_)`` for the token's bytes.
    public func verify(_ token: [UInt8], nowMs: Int64) throws(TokenError) -> TokenClaims {
        guard token.count <= Self.maxBytes else { throw .malformed }
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]), let body = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw .malformed }

        let key = try key(header: header)
        let signed = Array(token[..<parts[1].endIndex])
        let isGenuine =
            switch key {
            case .secret(let secret): Self.areEqual(cryptography.hmacSHA256(secret, signed), signature)
            case .publicKey(let key): cryptography.verify(key.algorithm, key.pem, signature, signed)
            }
        guard isGenuine else { throw .badSignature }
        return try claims(body, now: nowMs / 1_000)
    }

    /// The key that the header names, if the header's algorithm is the one that the key is for: the token doesn't
    /// choose how it is checked.
    private func key(header: [UInt8]) throws(TokenError) -> Key {
        guard let fields = TokenJSON.object(header),
            case .text(let algorithm) = fields["alg"], case .text(let kid) = fields["kid"],
            // Extensions that must be understood (RFC 7515, 4.1.11): none are.
            fields["crit"] == nil,
            TokenAlgorithm(rawValue: algorithm) != nil
        else { throw .malformed }
        if let type = fields["typ"] {
            guard case .text(let name) = type, ["jwt", "at+jwt"].contains(name.lowercased()) else { throw .malformed }
        }
        guard let key = keys[kid] else { throw .unknownKey }
        guard key.algorithm.rawValue == algorithm else { throw .badSignature }
        return key
    }

    private func claims(_ body: [UInt8], now: Int64) throws(TokenError) -> TokenClaims {
        guard let fields = TokenJSON.object(body) else { throw .malformed }
        guard case .text(let subject) = fields["sub"], Identifier.isValid(subject) else { throw .badClaim(.sub) }
        guard case .text(let roleName) = fields["role"], let role = Role(rawValue: roleName) else {
            throw .badClaim(.role)
        }
        guard case .text(let city) = fields["city"] else { throw .badClaim(.city) }
        guard let expiresAt = try Self.date(fields, .exp) else { throw .badClaim(.exp) }
        let issuedAt = try Self.date(fields, .iat)
        let notBefore = try Self.date(fields, .nbf)

        guard now < expiresAt + leeway else { throw .expired }
        for start in [issuedAt, notBefore] {
            if let start, start > now + leeway { throw .notYetValid }
        }
        guard city == self.city else { throw .wrongCity }
        return TokenClaims(
            subject: subject, role: role, city: city, issuedAt: issuedAt ?? 0, expiresAt: expiresAt,
            kind: try Self.kind(fields["kind"]), seats: try Self.seats(fields["seats"]))
    }

    /// What a driver drives; a taxi when the claim isn't there.
    private static func kind(_ field: TokenJSON.Field?) throws(TokenError) -> VehicleKind {
        switch field {
        case nil, .text("taxi"): return .taxi
        case .text("minibus"): return .minibus
        default: throw .badClaim(.kind)
        }
    }

    private static func seats(_ field: TokenJSON.Field?) throws(TokenError) -> Int? {
        guard let field else { return nil }
        guard case .number(let seats) = field, let whole = Int(exactly: seats), (1...99).contains(whole) else {
            throw .badClaim(.seats)
        }
        return whole
    }

    /// Unix seconds, fractions cut off; nil when the claim isn't there. Up to the year 9999, so that milliseconds fit.
    private static func date(
        _ fields: [String: TokenJSON.Field], _ claim: TokenError.Claim
    ) throws(TokenError) -> Int64? {
        guard let field = fields[claim.rawValue] else { return nil }
        guard case .number(let seconds) = field, (0...253_402_300_799).contains(seconds) else { throw .badClaim(claim) }
        return Int64(seconds)
    }

    /// Compared in a time that depends on the length alone, so that a guess isn't told how far it was right.
    static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard a.count == b.count else { return false }
        var difference: UInt8 = 0
        for index in a.indices { difference |= a[index] ^ b[index] }
        return difference == 0
    }
}
