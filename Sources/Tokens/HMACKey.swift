internal import COpenSSL

/// A key of HMAC with SHA-256 (RFC 2104), set up once and used often: that takes longer than the hash of a token. Any
/// thread.
///
/// `@unchecked Sendable` because what is set up in `init` is only copied from then on.
final class HMACKey: @unchecked Sendable {
    /// As they were given.
    let bytes: [UInt8]
    /// Has taken the key and no data: each code is made with a copy.
    private let ready: OpaquePointer

    /// Of one byte or more; those of tokens have 32 or more (RFC 7518, 3.2).
    init(_ bytes: [UInt8]) {
        precondition(!bytes.isEmpty, "an HMAC without a key proves nothing")
        self.bytes = bytes
        let method = EVP_MAC_fetch(nil, "HMAC", nil)
        // The context holds the method from here on.
        defer { EVP_MAC_free(method) }
        var digest = Array("SHA256".utf8CString)
        let context = digest.withUnsafeMutableBufferPointer { name -> OpaquePointer? in
            let options = [
                OSSL_PARAM_construct_utf8_string("digest", name.baseAddress, 0), OSSL_PARAM_construct_end(),
            ]
            guard let method, let context = EVP_MAC_CTX_new(method) else { return nil }
            guard EVP_MAC_init(context, bytes, bytes.count, options) == 1 else {
                EVP_MAC_CTX_free(context)
                return nil
            }
            return context
        }
        guard let context else { preconditionFailure("OpenSSL has no HMAC with SHA-256") }
        ready = context
    }

    deinit { EVP_MAC_CTX_free(ready) }

    /// The 32 bytes that whoever has the key can make of the data.
    func code(of data: [UInt8]) -> [UInt8] {
        let context = EVP_MAC_CTX_dup(ready)
        defer { EVP_MAC_CTX_free(context) }
        var count = 0
        let code = [UInt8](unsafeUninitializedCapacity: 32) { bytes, written in
            if EVP_MAC_update(context, data, data.count) == 1,
                EVP_MAC_final(context, bytes.baseAddress, &count, bytes.count) == 1
            {
                written = count
            }
        }
        precondition(code.count == 32, "OpenSSL has made no HMAC: is there no memory?")
        return code
    }

    /// Whether it is the code of the data. Compared in a time that depends on the length alone, so that a guess isn't
    /// told how far it was right.
    func proves(_ code: [UInt8], of data: [UInt8]) -> Bool {
        let own = self.code(of: data)
        return code.count == own.count && CRYPTO_memcmp(code, own, own.count) == 0
    }
}
