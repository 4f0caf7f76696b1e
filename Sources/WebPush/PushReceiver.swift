internal import COpenSSL
import Wire

/// A browser that reads what it is pushed: its keys, checked. Any thread.
public struct PushReceiver: Sendable {
    /// Its public key, a point of P-256.
    let point: [UInt8]
    /// Its authentication secret.
    let secret: [UInt8]

    /// What is wrong with a key.
    public struct Mismatch: Error {
        /// `p256dh` or `auth`.
        public let field: String
        public let expected: String
    }

    /// From the keys of a `PushSubscription`, in Base64 for URLs.
    public init(p256dh: String, auth: String) throws(Mismatch) {
        guard let point = Base64URL.decode(Self.unpadded(p256dh)), P256Key.isPoint(point) else {
            throw Mismatch(
                field: "p256dh",
                expected: "a point of the curve P-256, 65 bytes in Base64 for URLs, as the browser gave it")
        }
        guard let secret = Base64URL.decode(Self.unpadded(auth)), secret.count == 16 else {
            throw Mismatch(field: "auth", expected: "16 bytes in Base64 for URLs, as the browser gave them")
        }
        self.point = point
        self.secret = secret
    }

    private static func unpadded(_ text: String) -> Substring.UTF8View {
        var text = Substring(text)
        while text.utf8.last == UInt8(ascii: "=") { text.removeLast() }
        return text.utf8
    }

    /// A text that a push service takes at most has 4,096 bytes (RFC 8030, 7.2), of which the head and the tag are not the message.
    public static let mostBytes = 4096 - 86 - 17

    /// The body that is sent to the push service, in the coding `aes128gcm`: one record that only this receiver can read (RFC 8291).
    /// Nil when there is more than `mostBytes`.
    public func encrypt(_ message: [UInt8]) -> [UInt8]? {
        let salt = [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
            count = RAND_bytes(buffer.baseAddress, 16) == 1 ? 16 : 0
        }
        precondition(salt.count == 16, "OpenSSL has no randomness")
        return encrypt(message, with: P256Key(), salt: salt)
    }

    /// The same with a key and a salt that are used for nothing else.
    func encrypt(_ message: [UInt8], with own: P256Key, salt: [UInt8]) -> [UInt8]? {
        guard message.count <= Self.mostBytes, let shared = own.shared(with: point) else { return nil }
        let input = Self.derived(
            salt: secret, key: shared, info: Array("WebPush: info".utf8) + [0] + point + own.point, count: 32)
        let key = Self.derived(
            salt: salt, key: input, info: Array("Content-Encoding: aes128gcm".utf8) + [0], count: 16)
        let nonce = Self.derived(salt: salt, key: input, info: Array("Content-Encoding: nonce".utf8) + [0], count: 12)
        // The size of a record, and the length of the key that follows (RFC 8188, 2.1); 2 says that it is the last record.
        let head = salt + [0, 0, 0x10, 0] + [UInt8(own.point.count)] + own.point
        return Self.sealed(message + [2], key: key, nonce: nonce).map { head + $0 }
    }

    /// HKDF with SHA-256 (RFC 5869), of which the first block is enough.
    private static func derived(salt: [UInt8], key: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
        Array(code(code(key, by: salt), of: info + [1]).prefix(count))
    }

    private static func code(_ data: [UInt8], by key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            var length: UInt32 = 0
            let made = HMAC(EVP_sha256(), key, Int32(key.count), data, data.count, buffer.baseAddress, &length)
            precondition(made != nil && length == 32, "OpenSSL has made no HMAC: is there no memory?")
            count = 32
        }
    }

    private static func code(_ key: [UInt8], of data: [UInt8]) -> [UInt8] { code(data, by: key) }

    /// AES-128-GCM, with its tag behind. Nil when OpenSSL has no memory.
    private static func sealed(_ text: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        guard let context = EVP_CIPHER_CTX_new() else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        var out = [UInt8](repeating: 0, count: text.count + 16)
        var count: Int32 = 0
        let isSealed = out.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return false }
            return EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce) == 1
                && EVP_EncryptUpdate(context, start, &count, text, Int32(text.count)) == 1
                && Int(count) == text.count && EVP_EncryptFinal_ex(context, start + text.count, &count) == 1
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, start + text.count) == 1
        }
        return isSealed ? out : nil
    }
}
