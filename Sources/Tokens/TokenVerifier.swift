import Glibc
public import Settings
public import Wire

/// Proves tokens (JWT; HS256, RS256, ES256, EdDSA). Made anew when keys are reloaded.
public struct TokenVerifier: Sendable {
    /// Longest token that is looked at, bytes. Ours have about 250; the limit bounds what a stranger can make us do.
    private static let maxBytes = 4_096

    private enum Key: Sendable {
        case secret(HMACKey)
        case publicKey(TokenPublicKey)

        var algorithm: TokenAlgorithm {
            switch self {
            case .secret: .hs256
            case .publicKey(let key): key.algorithm
            }
        }

        /// What its tokens may say; nil for our own, which may say anything.
        var rules: IssuerRules? {
            if case .publicKey(let key) = self { key.rules } else { nil }
        }

        func proves(_ signature: [UInt8], of signed: [UInt8]) -> Bool {
            switch self {
            case .secret(let key): key.proves(signature, of: signed)
            case .publicKey(let key): key.proves(signature, of: signed)
            }
        }

        /// Another key of the same name has another one, and so has one whose tokens must be of another issuer. It tells nothing of a secret.
        ///
        /// - Parameter foreign: prefixes with which no subject of it may begin, where the mark is to change with them.
        func mark(_ kid: String, foreign: [String] = []) -> String {
            let (key, rules) =
                switch self {
                case .secret(let key): (key, "")
                case .publicKey(let key):
                    (HMACKey(Array(key.pem.utf8)), Self.said(of: key.rules))
                }
            // No prefix of a subject has a sign that is escaped, or a space.
            let said = (["mark of \(Self.escaped(kid))\(rules)"] + foreign).joined(separator: "\n")
            return Base64URL.encode(key.code(of: Array(said.utf8)).prefix(12))
        }

        /// What decides whose a token is: where its claims stand, too, when they have other places or words. No two rules say the same:
        /// three lines are always there, and each of the others begins with what it is.
        private static func said(of rules: IssuerRules) -> String {
            var lines = [rules.issuer, rules.audience, rules.prefix].map { escaped($0) }
            let (names, usual) = (rules.claims, IssuerRules.ClaimNames())
            if names != usual {
                lines += [names.subject, names.role, names.kind, names.city].map { "claim \(escaped($0))" }
            }
            for (word, meaning) in rules.values.sorted(by: { $0.key < $1.key }) {
                lines.append("value \(escaped(word, "\n="))=\(escaped(meaning))")
            }
            return lines.map { "\n\($0)" }.joined()
        }

        /// The text with a backslash before each sign that would end it, and before each backslash.
        private static func escaped(_ text: String, _ ends: String = "\n") -> String {
            let backslash = UInt8(ascii: "\\")
            let bytes = text.utf8.flatMap { ends.utf8.contains($0) || $0 == backslash ? [backslash, $0] : [$0] }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    private let keys: [String: Key]
    /// The keys' names by their marks; and by those for subjects that are hashes.
    private let marked: [String: String]
    private let markedForHashes: [String: String]
    /// Of each issuer's key the prefixes of the others that its own doesn't begin with: no subject of it may begin so.
    private let foreignPrefixes: [String: [String]]
    private let revocations: TokenRevocations
    private var ofOffice = OfficeRevocations()
    private let city: String
    private let leeway: Int64
    private let maxLife: Int64

    /// Reads the files of keys and revocations that the settings name: for start-up and reload only.
    ///
    /// - Throws: a problem for each that can't be used. There must be a secret: a new one would prove nobody's tokens.
    public init(_ settings: Settings) throws(SettingsError) {
        self.init(
            keys: try TokenKeys.load(settings, makesSecret: false),
            revocations: try TokenRevocations.load(settings.tokens.revokedFile),
            city: settings.city.id, tokens: settings.tokens)
    }

    /// The same, but that what the office has revoked is what `old` knows of.
    public func keepingOffice(of old: TokenVerifier) -> TokenVerifier {
        var new = self
        new.ofOffice = old.ofOffice
        return new
    }

    /// The office has revoked these, too. There may be many already: nothing is copied for one more, unless somebody holds a copy of this.
    ///
    /// - Returns: whether one of them was not known.
    @discardableResult
    public mutating func revoke(_ more: [TokenRevocation]) -> Bool { ofOffice.add(more) }

    /// Throws what is wrong with the files that ``init(_:)`` reads. A secret that isn't there is made at the first
    /// start.
    public static func check(_ settings: Settings) throws(SettingsError) {
        guard access(settings.tokenSecretFile, F_OK) != 0 else {
            _ = try TokenVerifier(settings)
            return
        }
        _ = try TokenKeys.publicKeys(settings)
        _ = try TokenRevocations.load(settings.tokens.revokedFile)
    }

    /// - Parameters:
    ///   - keys: all that are accepted.
    ///   - revocations: tokens that count no more.
    ///   - city: the city that tokens must be for.
    ///   - tokens: by how much clocks may differ, and how long a token may live.
    init(
        keys: TokenKeys, revocations: TokenRevocations = TokenRevocations(), city: String, tokens: Settings.Tokens
    ) {
        var byID: [String: Key] = [:]
        for key in keys.publicKeys { byID[key.kid] = .publicKey(key) }
        for secret in keys.secrets { byID[secret.kid] = .secret(secret.key) }
        self.keys = byID
        let prefixes = Set(keys.publicKeys.map(\.rules.prefix))
        let foreign = Dictionary(
            keys.publicKeys.map { key in (key.kid, prefixes.filter { !key.rules.prefix.hasPrefix($0) }.sorted()) },
            uniquingKeysWith: { $1 })
        foreignPrefixes = foreign
        marked = Dictionary(byID.map { kid, key in (key.mark(kid), kid) }, uniquingKeysWith: { $1 })
        markedForHashes = Dictionary(
            byID.map { kid, key in (key.mark(kid, foreign: foreign[kid, default: []]), kid) }, uniquingKeysWith: { $1 })
        self.revocations = revocations
        self.city = city
        leeway = Int64(tokens.leewayS)
        maxLife = Int64(tokens.maxLifeS)
    }

    /// Whether who came with such claims, proved by `old`, may stay: the key is the same and may still give the role,
    /// the token was not revoked, and the subject has not become another issuer's.
    public func stillAccepts(_ claims: TokenClaims, provedBy old: TokenVerifier) -> Bool {
        guard let key = keys[claims.keyID], let oldKey = old.keys[claims.keyID] else { return false }
        guard
            !isRevoked(
                claims.role, claims.subject, issuedAt: claims.issuedAt, beganAt: claims.beganAt, key.rules)
        else { return false }
        switch (key, oldKey) {
        case (.publicKey(let new), .publicKey(let before)):
            return new.pem == before.pem && new.rules.allows(claims.role, asBefore: before.rules)
                && !hasBecomeForeign(claims, since: old)
        case (.secret(let new), .secret(let before)): return new.bytes == before.bytes
        default: return false
        }
    }

    /// What is kept of a token by something that outlives its connections; nil: its key is gone.
    ///
    /// - Parameter sessionS: how long a sign-in lasts, with all its tokens.
    public func standing(of claims: TokenClaims, sessionS: Int) -> TokenStanding? {
        guard let key = keys[claims.keyID] else { return nil }
        let end = claims.beganAt.map { $0 + Int64(sessionS) } ?? claims.expiresAt
        // Whether a hash becomes another issuer's can't be seen later: its mark changes with the prefixes of others.
        let isHash = ForeignSubject.isHash(claims.subject)
        let foreign = isHash ? foreignPrefixes[claims.keyID, default: []] : []
        return TokenStanding(
            until: end + leeway, since: since(claims.issuedAt, beganAt: claims.beganAt, key.rules),
            key: key.mark(claims.keyID, foreign: foreign))
    }

    /// Whether who had such a token may still be told what is theirs: the key is there and may give the role, the subject is no other issuer's,
    /// and the token is not revoked. `now`: when it came about, Unix seconds.
    public func counts(_ standing: TokenStanding, _ role: Role, _ subject: String, now: Int64) -> Bool {
        let kids = ForeignSubject.isHash(subject) ? markedForHashes : marked
        guard now < standing.until, let kid = kids[standing.key], let key = keys[kid] else { return false }
        // No `othersAt`: `since` has the leeway in it that there was when the standing was made, whatever the setting is now.
        return key.rules?.roles.contains(role) ?? true
            && !foreignPrefixes[kid, default: []].contains { ForeignSubject.began(subject, with: $0) }
            && !isRevoked(role, subject, issuedAt: standing.since)
    }

    private func isRevoked(_ role: Role, _ subject: String, issuedAt: Int64, othersAt: Int64? = nil) -> Bool {
        revocations.revokes(role, subject, issuedAt: issuedAt)
            || ofOffice.revokes(role, subject, issuedAt: issuedAt, othersAt: othersAt)
    }

    /// Whether a token with such claims was revoked. With a sign-in that was revoked goes all that was renewed of it, also where that had not
    /// been heard yet.
    private func isRevoked(
        _ role: Role, _ subject: String, issuedAt: Int64, beganAt: Int64?, _ rules: IssuerRules?
    ) -> Bool {
        isRevoked(
            role, subject, issuedAt: since(issuedAt, beganAt: beganAt, rules), othersAt: rules == nil ? nil : issuedAt)
    }

    /// The earliest second of the hub's clock in which the token may have been issued: what counts for a revocation. The clock of another
    /// issuer may be ahead by the leeway; our own tokens are issued by the hub's clock. Unix seconds; 0: the token does not say it.
    private func since(_ issuedAt: Int64, beganAt: Int64?, _ rules: IssuerRules?) -> Int64 {
        rules == nil ? min(issuedAt, beganAt ?? .max) : max(0, issuedAt - leeway)
    }

    private func hasBecomeForeign(_ claims: TokenClaims, since old: TokenVerifier) -> Bool {
        let known = old.foreignPrefixes[claims.keyID, default: []]
        return foreignPrefixes[claims.keyID, default: []].contains {
            !known.contains($0)
                && (ForeignSubject.isHash(claims.subject) || ForeignSubject.began(claims.subject, with: $0))
        }
    }

    /// The claims of a token that counts here and now.
    ///
    /// - Parameters:
    ///   - token: the compact form, `header.claims.signature`.
    ///   - nowMs: Unix milliseconds of real time: the issuer's clock knows no scale.
    public func verify(_ token: String, nowMs: Int64) throws(TokenError) -> TokenClaims {
        try verify(token, types: ["jwt", "at+jwt"], nowMs: nowMs).claims
    }

    /// What an invitation of our own gives, and its id: it is good once. No token is an invitation, and no invitation a token.
    public func verify(invitation: String, nowMs: Int64) throws(TokenError) -> (claims: TokenClaims, id: String) {
        let (claims, fields) = try verify(invitation, types: [TokenIssuer.invitationType], nowMs: nowMs)
        guard let id = fields["jti"]?.text, Identifier.isSubject(id) else { throw .badClaim(.jti) }
        return (claims, id)
    }

    /// `types`: of the header's `typ`; a token may leave it out.
    private func verify(
        _ token: String, types: [String], nowMs: Int64
    ) throws(TokenError) -> (claims: TokenClaims, fields: TokenJSON) {
        guard token.utf8.count <= Self.maxBytes else { throw .malformed }
        let token = Array(token.utf8)
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]), let body = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw .malformed }

        let (kid, key) = try key(header: header, types: types)
        let signed = Array(token[..<parts[1].endIndex])
        guard key.proves(signature, of: signed) else { throw .badSignature }
        guard let fields = TokenJSON(body) else { throw .malformed }
        return (try claims(fields, kid: kid, rules: key.rules, now: nowMs / 1_000), fields)
    }

    /// The key that the header names, if the header's algorithm is the one that the key is for: the token doesn't
    /// choose how it is checked.
    private func key(header: [UInt8], types: [String]) throws(TokenError) -> (kid: String, key: Key) {
        // Names of keys and algorithms are plain. Others would be costly to compare, and nothing is proven yet.
        guard Self.isPlain(header), let fields = TokenJSON(header), let algorithm = fields["alg"]?.text,
            let kid = fields["kid"]?.text,
            // Extensions that must be understood (RFC 7515, 4.1.11): none are.
            fields["crit"] == nil,
            TokenAlgorithm(rawValue: algorithm) != nil
        else { throw .malformed }
        let isInvitation = types == [TokenIssuer.invitationType]
        if let type = fields["typ"] {
            guard let name = type.text, types.contains(name.lowercased()) else { throw .malformed }
        } else if isInvitation {
            throw .malformed
        }
        guard let key = keys[kid], key.rules == nil || !isInvitation else { throw .unknownKey }
        guard key.algorithm.rawValue == algorithm else { throw .badSignature }
        return (kid, key)
    }

    /// ASCII throughout, escapes (`\u…`) included.
    private static func isPlain(_ json: [UInt8]) -> Bool {
        json.allSatisfy { $0 < 0x80 }
            && !zip(json, json.dropFirst()).contains { $0 == UInt8(ascii: "\\") && $1 == UInt8(ascii: "u") }
    }

    /// `rules`: those of the issuer; nil for our own tokens.
    private func claims(
        _ fields: TokenJSON, kid: String, rules: IssuerRules?, now: Int64
    ) throws(TokenError) -> TokenClaims {
        if let rules { try Self.check(fields, rules) }
        let names = rules?.claims ?? IssuerRules.ClaimNames()
        let subject = try subject(fields.value(at: names.subject), kid: kid, rules)
        let role = try Self.role(fields.value(at: names.role), rules)
        let city = fields.value(at: names.city)
        let isForUs = city == nil && rules?.audience.isEmpty == false
        guard let city = isForUs ? self.city : city?.text else { throw .badClaim(.city) }
        guard let expiresAt = try Self.date(fields, .exp) else { throw .badClaim(.exp) }
        let issuedAt = try Self.date(fields, .iat)
        let notBefore = try Self.date(fields, .nbf)

        guard now < expiresAt + leeway else { throw .expired }
        for start in [issuedAt, notBefore] {
            if let start, start > now + leeway { throw .notYetValid }
        }
        guard expiresAt - (issuedAt ?? now) <= maxLife else { throw .tooLong(most: maxLife) }
        guard city == self.city else { throw .wrongCity }
        // Others' tokens can be renewed where they come from.
        let beganAt = rules == nil ? try Self.date(fields, .began) : nil
        guard !isRevoked(role, subject, issuedAt: issuedAt ?? 0, beganAt: beganAt, rules) else { throw .revoked }
        var claims = TokenClaims(
            subject: subject, role: role, city: city, issuedAt: issuedAt ?? 0, expiresAt: expiresAt,
            kind: try Self.kind(fields.value(at: names.kind), rules), seats: try Self.seats(fields["seats"]),
            scopes: Self.scopes(fields["scope"], rules))
        claims.keyID = kid
        claims.beganAt = beganAt
        claims.isGuest = rules == nil && fields["guest"] == .bool(true)
        return claims
    }

    /// That the token is of this issuer and for this hub.
    private static func check(_ fields: TokenJSON, _ rules: IssuerRules) throws(TokenError) {
        guard rules.issuer.isEmpty || fields["iss"]?.text?.isSame(as: rules.issuer) == true else { throw .wrongIssuer }
        guard rules.audience.isEmpty || fields["aud"]?.words.contains(where: rules.audience.isSame) == true else {
            throw .wrongAudience
        }
    }

    private func subject(_ value: JSONValue?, kid: String, _ rules: IssuerRules?) throws(TokenError) -> String {
        guard let text = value?.text, !text.isEmpty else { throw .badClaim(.sub) }
        guard let rules else {
            guard Identifier.isSubject(text) else { throw .badClaim(.sub) }
            return text
        }
        let full = rules.prefix + text
        // By bytes: a combining letter behind the prefix would hide it from a comparison of characters.
        guard foreignPrefixes[kid]?.contains(where: { full.utf8.starts(with: $0.utf8) }) != true else {
            throw .notItsSubject(kid: kid)
        }
        return ForeignSubject.id(full)
    }

    private static func role(_ value: JSONValue?, _ rules: IssuerRules?) throws(TokenError) -> Role {
        let role = rules.map { $0.role(among: value?.words ?? []) } ?? value?.text.flatMap(Role.init)
        guard let role else { throw .badClaim(.role) }
        return role
    }

    /// What a driver drives; a taxi when the claim isn't there.
    private static func kind(_ value: JSONValue?, _ rules: IssuerRules?) throws(TokenError) -> VehicleKind {
        guard let value else { return .taxi }
        guard let text = value.text else { throw .badClaim(.kind) }
        switch rules?.meaning(of: text) ?? text {
        case "taxi": return .taxi
        case "minibus": return .minibus
        default: throw .badClaim(.kind)
        }
    }

    /// Of an issuer's words only those that its key may give. Some write a list of them.
    private static func scopes(_ value: JSONValue?, _ rules: IssuerRules?) -> Set<TokenScope> {
        let words = value?.words.flatMap { $0.split(separator: " ") } ?? []
        let scopes = words.compactMap { TokenScope(rawValue: String($0)) }
        return Set(scopes.filter { rules?.scopes.contains($0) ?? true })
    }

    private static func seats(_ value: JSONValue?) throws(TokenError) -> Int? {
        guard let value else { return nil }
        guard let seats = value.double, let whole = Int(exactly: seats), (1...99).contains(whole) else {
            throw .badClaim(.seats)
        }
        return whole
    }

    /// Unix seconds, fractions cut off; nil when the claim isn't there. Up to the year 9999, so that milliseconds fit.
    private static func date(_ fields: TokenJSON, _ claim: TokenError.Claim) throws(TokenError) -> Int64? {
        guard let value = fields[claim.rawValue] else { return nil }
        guard let seconds = value.double, (0...253_402_300_799).contains(seconds) else { throw .badClaim(claim) }
        return Int64(seconds)
    }
}
