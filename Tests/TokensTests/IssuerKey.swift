import COpenSSL
import Testing
import Wire

@testable import Tokens

/// A private key of another issuer, made for this run: signs tokens as others do.
///
/// `@unchecked Sendable` because it is never changed, and OpenSSL lets threads share such a key.
final class IssuerKey: @unchecked Sendable {
    static let rs256 = IssuerKey(.rs256)
    static let es256 = IssuerKey(.es256)
    static let edDSA = IssuerKey(.edDSA)

    private let algorithm: TokenAlgorithm
    private let key: OpaquePointer

    private init(_ algorithm: TokenAlgorithm) {
        self.algorithm = algorithm
        let kind =
            switch algorithm {
            case .rs256: EVP_PKEY_RSA
            case .es256: EVP_PKEY_EC
            default: EVP_PKEY_ED25519
            }
        let context = EVP_PKEY_CTX_new_id(kind, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        let isMade =
            EVP_PKEY_keygen_init(context) == 1
            && (kind != EVP_PKEY_RSA || EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1)
            && (kind != EVP_PKEY_EC || EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1)
            && EVP_PKEY_keygen(context, &made) == 1
        guard isMade, let made else { preconditionFailure("no key of \(algorithm)") }
        key = made
    }

    deinit { EVP_PKEY_free(key) }

    /// The public half.
    var pem: String {
        let text = BIO_new(BIO_s_mem())
        defer { BIO_free(text) }
        precondition(PEM_write_bio_PUBKEY(text, key) == 1)
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = BIO_read(text, &bytes, Int32(bytes.count))
        return String(decoding: bytes[..<Int(count)], as: UTF8.self)
    }

    /// The header and these claims, signed.
    func token(kid: String, algorithm name: String? = nil, body: String) -> String {
        let header = #"{"alg":"\#(name ?? algorithm.rawValue)","kid":"\#(kid)"}"#
        let signed = Base64URL.encode(header.utf8) + "." + Base64URL.encode(body.utf8)
        return signed + "." + Base64URL.encode(signature(of: Array(signed.utf8)))
    }

    /// In the form of a JWT.
    private func signature(of data: [UInt8]) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var bytes = [UInt8](repeating: 0, count: 512)
        var count = bytes.count
        let isSigned =
            EVP_DigestSignInit(context, nil, algorithm == .edDSA ? nil : EVP_sha256(), nil, key) == 1
            && EVP_DigestSign(context, &bytes, &count, data, data.count) == 1
        precondition(isSigned)
        let signature = Array(bytes[..<count])
        return algorithm == .es256 ? Self.pair(signature) : signature
    }

    /// r and s of 32 bytes each out of the DER sequence that OpenSSL makes.
    private static func pair(_ signature: [UInt8]) -> [UInt8] {
        let numbers = signature.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var next = bytes.baseAddress
            return d2i_ECDSA_SIG(nil, &next, bytes.count)
        }
        defer { ECDSA_SIG_free(numbers) }
        var r = [UInt8](repeating: 0, count: 32)
        var s = r
        precondition(BN_bn2binpad(ECDSA_SIG_get0_r(numbers), &r, 32) == 32)
        precondition(BN_bn2binpad(ECDSA_SIG_get0_s(numbers), &s, 32) == 32)
        return r + s
    }
}
