internal import COpenSSL
import Settings
import Wire

/// A public key of another issuer, parsed once and used often: parsing takes longer than checking a signature. What it
/// is, is read from the key itself, so that no setting can say otherwise. Any thread.
///
/// `@unchecked Sendable` because nothing of it is changed after `init`, and OpenSSL lets threads share such a key.
final class TokenPublicKey: @unchecked Sendable {
    /// `kid` of the tokens that it proves.
    let kid: String
    /// RS256 for an RSA key, ES256 for one on the curve P-256, EdDSA for an Ed25519 key, whatever a token's header
    /// says.
    let algorithm: TokenAlgorithm
    /// The file's text.
    let pem: String
    /// What its tokens may say.
    let rules: IssuerRules
    private let key: OpaquePointer

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
        (key, algorithm) = try Self.parsed(Self.der(pem))
    }

    deinit { EVP_PKEY_free(key) }

    /// Whether the signature, in the form of a JWT (of ES256: r and s of 32 bytes each), was made by the private half
    /// of this key over the data.
    func proves(_ signature: [UInt8], of data: [UInt8]) -> Bool {
        guard let signature = algorithm == .es256 ? Self.der(ofPair: signature) : signature,
            let context = EVP_MD_CTX_new()
        else { return false }
        defer {
            EVP_MD_CTX_free(context)
            // A refused signature leaves errors on the thread's queue.
            ERR_clear_error()
        }
        // Ed25519 has its hash in itself.
        let digest = algorithm == .edDSA ? nil : EVP_sha256()
        guard EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1 else { return false }
        return EVP_DigestVerify(context, signature, signature.count, data, data.count) == 1
    }

    // MARK: the key

    private static let begin = "-----BEGIN PUBLIC KEY-----"
    private static let end = "-----END PUBLIC KEY-----"
    private static let kinds = "an RSA key, an Ed25519 key, or one on the curve P-256 (prime256v1)"
    private static let damaged = Mismatch("a PEM file that isn't damaged, of \(kinds)")

    /// The bytes between the two lines. Taken out here, as OpenSSL would take the public half of a private key, too.
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
        guard let der = Base64URL.decode(letters), !der.isEmpty else { throw damaged }
        return der
    }

    /// The key out of a SubjectPublicKeyInfo (RFC 5280).
    private static func parsed(_ der: [UInt8]) throws(Mismatch) -> (OpaquePointer, TokenAlgorithm) {
        let read = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var next = bytes.baseAddress
            let key = d2i_PUBKEY(nil, &next, bytes.count)
            guard let key, next != bytes.baseAddress.map({ $0 + bytes.count }) else { return key }
            // More behind it.
            EVP_PKEY_free(key)
            return nil
        }
        guard let key = read else {
            ERR_clear_error()
            throw damaged
        }
        do {
            return (key, try algorithm(of: key))
        } catch {
            EVP_PKEY_free(key)
            throw error
        }
    }

    private static func algorithm(of key: OpaquePointer) throws(Mismatch) -> TokenAlgorithm {
        switch EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_RSA:
            // Shorter ones are forged in practice (RFC 7518, 3.3 forbids them).
            guard EVP_PKEY_get_bits(key) >= 2048 else { throw Mismatch("an RSA key of 2048 bits or more") }
            return .rs256
        case EVP_PKEY_EC:
            var name = [CChar](repeating: 0, count: 32)
            guard EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1,
                name.starts(with: "prime256v1".utf8CString)
            else { throw Mismatch(kinds) }
            return .es256
        case EVP_PKEY_ED25519: return .edDSA
        default: throw Mismatch(kinds)
        }
    }

    // MARK: signatures

    /// The pair r and s as OpenSSL wants it, a DER sequence; nil unless it has 64 bytes.
    private static func der(ofPair signature: [UInt8]) -> [UInt8]? {
        guard signature.count == 64, let pair = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(pair) }
        // The pair owns both numbers from here on.
        guard
            let r = BN_bin2bn(Array(signature[..<32]), 32, nil),
            let s = BN_bin2bn(Array(signature[32...]), 32, nil),
            ECDSA_SIG_set0(pair, r, s) == 1
        else { return nil }
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_ECDSA_SIG(pair, &encoded)
        guard count > 0, let encoded else { return nil }
        defer { CRYPTO_free(encoded, #fileID, Int32(#line)) }
        return Array(UnsafeBufferPointer(start: encoded, count: Int(count)))
    }
}
