internal import COpenSSL
internal import Glibc

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
        // The digest stays as it was set.
        guard let context = EVP_MAC_CTX_dup(Self.keyless), EVP_MAC_init(context, bytes, bytes.count, nil) == 1 else {
            preconditionFailure("OpenSSL has taken no key for HMAC: \(Self.lastError)")
        }
        ready = context
    }

    /// HMAC with SHA-256 that has no key yet. Looked up once in the life of the process: OpenSSL 3.0 may find no algorithm while another
    /// thread has it load more of them. `nonisolated(unsafe)` because it is only copied once it is made.
    private nonisolated(unsafe) static let keyless: OpaquePointer = {
        for _ in 0..<100 {
            if let context = lookUp() { return context }
            sched_yield()
        }
        preconditionFailure("OpenSSL has no HMAC with SHA-256: \(lastError)")
    }()

    private static func lookUp() -> OpaquePointer? {
        guard let method = EVP_MAC_fetch(nil, "HMAC", nil) else { return nil }
        // The context holds the method from here on.
        defer { EVP_MAC_free(method) }
        guard let context = EVP_MAC_CTX_new(method) else { return nil }
        var digest = Array("SHA256".utf8CString)
        let isSet = digest.withUnsafeMutableBufferPointer { name in
            let options = [
                OSSL_PARAM_construct_utf8_string("digest", name.baseAddress, 0), OSSL_PARAM_construct_end(),
            ]
            return EVP_MAC_CTX_set_params(context, options) == 1
        }
        if isSet { return context }
        EVP_MAC_CTX_free(context)
        return nil
    }

    private static var lastError: String {
        var text = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(ERR_peek_last_error(), &text, text.count)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
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
