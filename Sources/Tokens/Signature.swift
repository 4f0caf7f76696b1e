internal import COpenSSL

/// The cryptography that tokens need, over OpenSSL's EVP. Any thread.
enum Signature {
    /// A public key out of a PEM text, parsed once and used often.
    ///
    /// `@unchecked Sendable` because the key is never changed after `init`, and OpenSSL lets threads share such a key.
    final class PublicKey: @unchecked Sendable {
        /// The one algorithm that this key is good for, whatever a token's header may claim.
        let algorithm: TokenAlgorithm
        private let key: OpaquePointer

        /// Takes `-----BEGIN PUBLIC KEY-----`. Nil for anything else than RSA of 2048 bits, P-256 and Ed25519.
        init?(pem: String) {
            // The source reads the bytes in place: they must stay where they are until the key is out.
            let read = Array(pem.utf8).withUnsafeBytes { bytes in
                let source = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
                defer { BIO_free(source) }
                return PEM_read_bio_PUBKEY(source, nil, nil, nil)
            }
            guard let key = read else {
                ERR_clear_error()
                return nil
            }
            guard let algorithm = Self.algorithm(of: key) else {
                EVP_PKEY_free(key)
                return nil
            }
            self.key = key
            self.algorithm = algorithm
        }

        deinit { EVP_PKEY_free(key) }

        /// Whether `signature`, in the form of JWS (for ES256: r and s of 32 bytes each), is this key's over `data`.
        func verifies(_ signature: [UInt8], of data: [UInt8]) -> Bool {
            switch algorithm {
            case .rs256, .edDSA: return verifiesDER(signature, of: data)
            case .es256:
                guard let der = Self.der(fromJWS: signature) else { return false }
                return verifiesDER(der, of: data)
            case .hs256: return false
            }
        }

        private func verifiesDER(_ signature: [UInt8], of data: [UInt8]) -> Bool {
            guard let context = EVP_MD_CTX_new() else { return false }
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

        private static func algorithm(of key: OpaquePointer) -> TokenAlgorithm? {
            switch EVP_PKEY_get_base_id(key) {
            case EVP_PKEY_RSA: return EVP_PKEY_get_bits(key) >= 2048 ? .rs256 : nil
            case EVP_PKEY_EC:
                var name = [CChar](repeating: 0, count: 32)
                guard EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1 else { return nil }
                return name.starts(with: "prime256v1\0".utf8.map(CChar.init)) ? .es256 : nil
            case EVP_PKEY_ED25519: return .edDSA
            default: return nil
            }
        }

        /// OpenSSL wants r and s as a DER sequence.
        private static func der(fromJWS signature: [UInt8]) -> [UInt8]? {
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

    /// HMAC with SHA-256: 32 bytes. For tokens the key should have 32 bytes or more (RFC 7518 3.2).
    static func hmacSHA256(key: [UInt8], _ data: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        // An empty array may have no address, which would mean the key of an earlier call.
        let result = (key.isEmpty ? [0] : key).withUnsafeBytes {
            HMAC(EVP_sha256(), $0.baseAddress, Int32(key.count), data, data.count, &digest, &count)
        }
        precondition(result != nil && count == 32, "OpenSSL has no HMAC-SHA256")
        return digest
    }
}
