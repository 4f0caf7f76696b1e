import Settings

/// A public key of another issuer: what it is, is read from the key itself, so that no setting can say otherwise.
struct TokenPublicKey: Sendable, Equatable {
    /// `kid` of the tokens that it proves.
    let kid: String
    /// RS256 for an RSA key, ES256 for one on the curve P-256, EdDSA for an Ed25519 key.
    let algorithm: TokenAlgorithm
    /// The file's text.
    let pem: String
    /// What its tokens may say.
    let rules: IssuerRules

    /// A text that is no such key.
    struct Mismatch: Error {
        /// What is needed instead, and how to get it.
        let expected: String

        init(_ expected: String) { self.expected = expected }
    }

    /// Fails with what to do when the text is no such key.
    init(kid: String, pem: String, rules: IssuerRules = IssuerRules()) throws(Mismatch) {
        self.kid = kid
        self.pem = pem
        self.rules = rules
        algorithm = try Self.algorithm(of: Self.der(pem))
    }

    private static let begin = "-----BEGIN PUBLIC KEY-----"
    private static let end = "-----END PUBLIC KEY-----"

    private static func der(_ pem: String) throws(Mismatch) -> [UInt8] {
        guard let first = pem.firstRange(of: begin),
            let last = pem[first.upperBound...].firstRange(of: end)
        else {
            if pem.contains("PRIVATE KEY-----") {
                throw Mismatch(
                    "a public key; this is a private one, make its public half: openssl pkey -in FILE -pubout")
            }
            if pem.contains("BEGIN CERTIFICATE") {
                throw Mismatch(
                    "a public key; this is a certificate, take the key: openssl x509 -in FILE -noout -pubkey")
            }
            if pem.contains("BEGIN RSA PUBLIC KEY") {
                throw Mismatch("\"\(begin)\"; convert it: openssl rsa -RSAPublicKey_in -in FILE -pubout")
            }
            throw Mismatch("a PEM file with \"\(begin)\"")
        }
        let letters = pem[first.upperBound..<last.lowerBound].utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: " "): nil
            default: byte
            }
        }
        guard let der = Base64URL.decode(letters) else { throw Mismatch("a PEM file that isn't damaged") }
        return der
    }

    /// The algorithm stands first in the structure (RFC 5280, SubjectPublicKeyInfo), and is the same bytes for all keys
    /// of a kind.
    private static func algorithm(of der: [UInt8]) throws(Mismatch) -> TokenAlgorithm {
        let rsa: [UInt8] = [
            0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
        ]
        let p256: [UInt8] = [
            0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
            0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07,
        ]
        let ed25519: [UInt8] = [0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70]
        // SEQUENCE, its length in one to three bytes, then the algorithm.
        guard der.count > 4, der[0] == 0x30 else { throw Mismatch("a PEM file that isn't damaged") }
        let start = der[1] < 0x80 ? 2 : 2 + Int(der[1] & 0x7F)
        let rest = der.dropFirst(start)
        if rest.starts(with: p256) { return .es256 }
        if rest.starts(with: ed25519) { return .edDSA }
        guard rest.starts(with: rsa) else {
            throw Mismatch("an RSA key, an Ed25519 key, or one on the curve P-256 (prime256v1)")
        }
        // 2048 bits are 294 bytes in this form; shorter ones are forged in practice (RFC 7518, 3.3 forbids them).
        guard der.count >= 290 else { throw Mismatch("an RSA key of 2048 bits or more") }
        return .rs256
    }
}
