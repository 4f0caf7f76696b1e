/// Algorithms that are accepted, by their JWT names (RFC 7518, 3.1 and RFC 8037). `none` is not one, nor is any other.
enum TokenAlgorithm: String {
    /// HMAC with SHA-256.
    case hs256 = "HS256"
    /// RSASSA-PKCS1-v1_5 with SHA-256, by a key of 2048 bits or more.
    case rs256 = "RS256"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// Ed25519.
    case edDSA = "EdDSA"
}
