/// Algorithms that are accepted, by their JWT names. `none` is not one, nor is any other.
enum TokenAlgorithm: String, CaseIterable, Sendable {
    case hs256 = "HS256"
    case rs256 = "RS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"
}

/// The cryptography that tokens need.
struct TokenCryptography: Sendable {
    /// HMAC-SHA-256: (key, data) → 32 bytes.
    let hmacSHA256: @Sendable (_ key: [UInt8], _ data: [UInt8]) -> [UInt8]
    /// Whether the signature of the data was made by the private half of a key (`rs256`: PKCS #1 v1.5 with SHA-256;
    /// `es256`: P-256 with SHA-256, the signature as in a JWT, 64 bytes `r ‖ s`; `edDSA`: Ed25519).
    typealias Check = @Sendable (_ signature: [UInt8], _ data: [UInt8]) -> Bool
    /// What checks by a PEM public key. Reading one takes ten times as long as a signature, so it is done once.
    let check: @Sendable (_ algorithm: TokenAlgorithm, _ pem: String) -> Check

    static var openSSL: TokenCryptography {
        TokenCryptography(
            hmacSHA256: { Signature.hmacSHA256(key: $0, $1) },
            check: { algorithm, pem in
                guard let key = Signature.PublicKey(pem: pem), key.algorithm == algorithm else {
                    return { _, _ in false }
                }
                return { key.verifies($0, of: $1) }
            })
    }
}
