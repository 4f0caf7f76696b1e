public import Wire

/// What a client is.
public enum Role: String, CaseIterable, Sendable {
    case driver
    case passenger
    case busDriver = "bus_driver"
    case `operator`
    case service
}

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
    /// The `kid` of the key that has proved the token; empty of one that is to be issued.
    public var keyID = ""

    public init(
        subject: String, role: Role, city: String, issuedAt: Int64, expiresAt: Int64, kind: VehicleKind = .taxi,
        seats: Int? = nil
    ) {
        self.subject = subject
        self.role = role
        self.city = city
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.kind = kind
        self.seats = seats
    }

    /// The same for the driver of a minibus.
    public func minibus(seats: Int?) -> TokenClaims {
        var claims = self
        claims.kind = .minibus
        claims.seats = seats
        return claims
    }
}

/// Why a token is refused. The sentences are for the client; they hold nothing of the token.
public enum TokenError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Not a JWT of the form that is accepted here.
    case malformed
    /// Genuine, but one of its claims is missing or can't be.
    case badClaim(Claim)
    /// Its `kid` is none of the keys.
    case unknownKey
    /// The signature isn't that of the key, or made with another algorithm than the key is for.
    case badSignature
    case expired
    /// Its `nbf` or `iat` lies ahead by more than the leeway.
    case notYetValid
    /// Issued for another city.
    case wrongCity
    /// Its `iss` or `aud` is not what the key's settings ask for.
    case wrongIssuer, wrongAudience
    /// It would be good for longer than tokens may be here, seconds.
    case tooLong(most: Int64)
    /// Revoked by the list of the settings.
    case revoked

    public var description: String {
        switch self {
        case .malformed: "The token is malformed."
        case .badClaim(let claim):
            "The token's claim `\(claim.rawValue)` is missing or wrong: expected \(claim.expected)."
        case .unknownKey: "The token names a key that isn't known here."
        case .badSignature: "The token's signature is wrong."
        case .expired: "The token has expired."
        case .notYetValid: "The token isn't valid yet."
        case .wrongCity: "The token is for another city."
        case .wrongIssuer: "The token's claim `iss` is not the issuer that its key belongs to here."
        case .wrongAudience: "The token's claim `aud` does not name this hub."
        case .tooLong(let most):
            "The token is good for too long: `exp` may be at most \(most) s after `iat` (tokens.max_life_s)."
        case .revoked: "The token was revoked: get a new one."
        }
    }
}

extension TokenError {
    public enum Claim: String, CaseIterable, Sendable {
        case sub, role, city, exp, iat, nbf, kind, seats

        fileprivate var expected: String {
            switch self {
            case .sub: "1 to 64 characters of A-Z a-z 0-9 _ . -"
            case .role:
                "one of \(Role.allCases.map(\.rawValue).joined(separator: ", ")) that its key may give"
            case .city: "the id of a city"
            case .exp, .iat, .nbf: "Unix seconds, as a number"
            case .kind: "taxi or minibus"
            case .seats: "a whole number from 1 to 99"
            }
        }
    }
}

/// Algorithms that are accepted, by their JWT names. `none` is not one, nor is any other.
public enum TokenAlgorithm: String, CaseIterable, Sendable {
    case hs256 = "HS256"
    case rs256 = "RS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"
}

/// The cryptography that tokens need, given from outside: this module imports no C library.
public struct TokenCryptography: Sendable {
    /// HMAC-SHA-256: (key, data) → 32 bytes.
    public let hmacSHA256: @Sendable (_ key: [UInt8], _ data: [UInt8]) -> [UInt8]
    /// Whether the signature of the data was made by the private half of a key (`rs256`: PKCS #1 v1.5 with SHA-256;
    /// `es256`: P-256 with SHA-256, the signature as in a JWT, 64 bytes `r ‖ s`; `edDSA`: Ed25519).
    public typealias Check = @Sendable (_ signature: [UInt8], _ data: [UInt8]) -> Bool
    /// What checks by a PEM public key. Reading one takes ten times as long as a signature, so it is done once.
    public let check: @Sendable (_ algorithm: TokenAlgorithm, _ pem: String) -> Check

    public init(
        hmacSHA256: @escaping @Sendable (_ key: [UInt8], _ data: [UInt8]) -> [UInt8],
        check: @escaping @Sendable (_ algorithm: TokenAlgorithm, _ pem: String) -> Check
    ) {
        self.hmacSHA256 = hmacSHA256
        self.check = check
    }
}
