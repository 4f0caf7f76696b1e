public import Wire

/// What a token says about the client that bears it.
public struct TokenClaims: Sendable, Equatable {
    /// Claim `sub`: id of the taxi, passenger, line, operator or service; 1 to 64 of `A-Z a-z 0-9 _ . -`,
    /// because channels and Redis keys are made of it, with colons between their parts.
    public var subject: String
    /// Claim `role`.
    public var role: Role
    /// Claim `city`: id of the one city in which the token counts.
    public var city: String
    /// Claim `iat`, Unix seconds; 0 when the issuer left it out.
    public var issuedAt: Int64
    /// Claim `exp`, Unix seconds. A connection doesn't outlive it.
    public var expiresAt: Int64
    /// Claim `kind`, of drivers: a taxi unless it says `minibus`.
    public var kind: VehicleKind
    /// Claim `seats`, of a minibus' driver: 1…99 seats for passengers; nil: as the settings have it.
    public var seats: Int?
    /// Claim `scope`: what it allows besides its role. Words that are not ours are left out.
    public var scopes: Set<TokenScope>
    /// Claim `guest`, of our own tokens: nobody knows who this passenger is, so it may do little (`Permissions`).
    public var isGuest = false
    /// Claim `began`, of our own tokens, Unix seconds: when the sign-in was to which the token belongs. Such a token can be renewed.
    public var beganAt: Int64?
    /// The `kid` of the key that has proved the token; empty of one that is to be issued.
    public var keyID = ""

    public init(
        subject: String, role: Role, city: String, issuedAt: Int64, expiresAt: Int64, kind: VehicleKind = .taxi,
        seats: Int? = nil, scopes: Set<TokenScope> = []
    ) {
        self.subject = subject
        self.role = role
        self.city = city
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.kind = kind
        self.seats = seats
        self.scopes = scopes
    }

    /// The subjects of guests begin so. Those of other issuers that do are encoded: nobody with an account is taken for a
    /// guest (people.lua).
    public static let guestPrefix = "guest-"

    /// A guest's first token.
    public static func guest(_ subject: String, city: String, now: Int64, lifeS: Int64) -> TokenClaims {
        var claims = TokenClaims(subject: subject, role: .passenger, city: city, issuedAt: now, expiresAt: now)
        claims.isGuest = true
        return claims.began(now: now, lifeS: lifeS)
    }

    /// The first token of a sign-in with such claims.
    public func began(now: Int64, lifeS: Int64) -> TokenClaims {
        var claims = self
        claims.issuedAt = now
        claims.expiresAt = now + lifeS
        claims.beganAt = now
        return claims
    }

    /// The same sign-in, for longer; nil when it can't be renewed, or not any more.
    ///
    /// - Parameters:
    ///   - lifeS: of the new token.
    ///   - sessionS: of the sign-in with all its tokens.
    public func renewed(now: Int64, lifeS: Int64, sessionS: Int64) -> TokenClaims? {
        guard let beganAt, now < beganAt + sessionS else { return nil }
        var claims = self
        claims.issuedAt = now
        claims.expiresAt = min(now + lifeS, beganAt + sessionS)
        return claims
    }

    /// The same for the driver of a minibus.
    public func minibus(seats: Int?) -> TokenClaims {
        var claims = self
        claims.kind = .minibus
        claims.seats = seats
        return claims
    }
}
