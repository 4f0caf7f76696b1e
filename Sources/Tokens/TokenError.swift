import Settings
import Wire

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
    /// Its subject begins with the prefix of another issuer. `kid` is its key here, for the log.
    case notItsSubject(kid: String)
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
        case .notItsSubject:
            "The token's subject begins with what is the prefix of another issuer here (tokens.public_keys)."
        case .tooLong(let most):
            "The token is good for too long: `exp` may be at most \(most) s after `iat` (tokens.max_life_s)."
        case .revoked: "The token was revoked: get a new one."
        }
    }
}

extension TokenError {
    public enum Claim: String, CaseIterable, Sendable {
        case sub, role, city, exp, iat, nbf, kind, seats, began, jti

        fileprivate var expected: String {
            switch self {
            case .sub, .jti: "1 to 64 characters of A-Z a-z 0-9 _ . -"
            case .role:
                "one of \(Role.allCases.map(\.rawValue).joined(separator: ", ")) that its key may give"
            case .city: "the id of a city"
            case .exp, .iat, .nbf, .began: "Unix seconds, as a number"
            case .kind: "taxi or minibus"
            case .seats: "a whole number from 1 to 99"
            }
        }
    }
}
