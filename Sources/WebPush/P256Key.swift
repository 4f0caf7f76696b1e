internal import COpenSSL

/// A pair of keys of the curve P-256: that by which a hub signs what it sends, or one that encrypts a single message. Any thread.
///
/// `@unchecked Sendable` because nothing of it is changed after `init`, and OpenSSL lets threads share such a key.
public final class P256Key: @unchecked Sendable {
    private let key: OpaquePointer
    /// The point, not compressed: 65 bytes.
    public let point: [UInt8]

    /// Makes one.
    public init() {
        guard let key = kb_p256_new(), let point = Self.point(of: key) else {
            preconditionFailure("OpenSSL makes no keys: is there no memory?")
        }
        self.key = key
        self.point = point
    }

    /// The pair of a secret of 32 bytes and its point. Nil when they are none.
    public init?(secret: [UInt8], point: [UInt8]) {
        guard secret.count == 32, point.count == 65, let key = kb_p256_key(point, secret) else { return nil }
        self.key = key
        self.point = point
    }

    /// From a private key as PEM (PKCS #8), without a passphrase. Nil when it is none of that curve.
    public init?(pem: String) {
        let bytes = Array(pem.utf8)
        // A copy: BIO_new_mem_buf would read the array when Swift may have freed it.
        guard let source = BIO_new(BIO_s_mem()) else { return nil }
        defer {
            BIO_free(source)
            ERR_clear_error()
        }
        guard BIO_write(source, bytes, Int32(bytes.count)) == bytes.count else { return nil }
        // Without this OpenSSL would ask for a passphrase at the terminal.
        guard let key = PEM_read_bio_PrivateKey(source, nil, { _, _, _, _ in 0 }, nil) else { return nil }
        var name = [CChar](repeating: 0, count: 32)
        guard EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1, name.starts(with: "prime256v1".utf8CString),
            let point = Self.point(of: key)
        else {
            EVP_PKEY_free(key)
            return nil
        }
        self.key = key
        self.point = point
    }

    deinit { EVP_PKEY_free(key) }

    /// The private key (PKCS #8).
    public var pem: String {
        guard let out = BIO_new(BIO_s_mem()) else { preconditionFailure("OpenSSL has no memory") }
        defer { BIO_free(out) }
        guard PEM_write_bio_PrivateKey(out, key, nil, nil, 0, nil, nil) == 1 else {
            preconditionFailure("OpenSSL can't write a key that it has made")
        }
        let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(0, Int(BIO_read(out, buffer.baseAddress, Int32(buffer.count))))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What only the two owners of the keys can know (ECDH): 32 bytes. Nil when the other's point is none of the curve.
    func shared(with point: [UInt8]) -> [UInt8]? {
        guard point.count == 65, let other = kb_p256_key(point, nil) else { return nil }
        defer { EVP_PKEY_free(other) }
        guard let context = EVP_PKEY_CTX_new(key, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var count = 32
        var secret = [UInt8](repeating: 0, count: count)
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, other) == 1,
            EVP_PKEY_derive(context, &secret, &count) == 1, count == 32
        else { return nil }
        return secret
    }

    /// The signature ES256 as a JWT has it (RFC 7518, 3.4): r and s, of 32 bytes each.
    func signature(of data: [UInt8]) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var count = 80
        var der = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, &der, &count, data, data.count) == 1
        else { preconditionFailure("OpenSSL signs nothing: is there no memory?") }
        return Self.pair(of: Array(der[..<count]))
    }

    private static func pair(of der: [UInt8]) -> [UInt8] {
        let pair = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var next = bytes.baseAddress
            return d2i_ECDSA_SIG(nil, &next, bytes.count)
        }
        guard let pair else { preconditionFailure("OpenSSL can't read its own signature") }
        defer { ECDSA_SIG_free(pair) }
        var bytes = [UInt8](repeating: 0, count: 64)
        bytes.withUnsafeMutableBufferPointer { buffer in
            _ = BN_bn2binpad(ECDSA_SIG_get0_r(pair), buffer.baseAddress, 32)
            _ = BN_bn2binpad(ECDSA_SIG_get0_s(pair), buffer.baseAddress.map { $0 + 32 }, 32)
        }
        return bytes
    }

    private static func point(of key: OpaquePointer) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65)
        var count = 0
        guard EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, &bytes, bytes.count, &count) == 1,
            count == 65, bytes[0] == 4
        else { return nil }
        return bytes
    }

    /// Whether the bytes are a point of the curve, not compressed.
    static func isPoint(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 65, bytes[0] == 4, let key = kb_p256_key(bytes, nil) else { return false }
        EVP_PKEY_free(key)
        return true
    }
}
