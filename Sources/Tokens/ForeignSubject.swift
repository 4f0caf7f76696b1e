import Settings
import Wire

/// Subjects of other issuers as ids of ours. No two subjects become the same id.
enum ForeignSubject {
    /// Ids that begin so are made here, so a subject that begins so by itself is encoded, too.
    private static let encoded = "_x"
    private static let hashed = "_h"
    /// No secret: it makes of the HMAC a hash that is nobody else's.
    private static let key = HMACKey(Array("subject".utf8))

    /// 1 to 64 of `A-Z a-z 0-9 _ . -` stay as they are, unless they begin as ids that are made here or as our guests'.
    /// Anything else becomes `_x` and the subject, with each byte but `A-Z a-z 0-9 . -` as `_` and two hexadecimal digits:
    /// `auth0|ab` is `_xauth0_7Cab`. Is that longer than 64, it becomes `_h` and the hash, in base64url.
    static func id(_ subject: String) -> String {
        let bytes = Array(subject.utf8)
        let isPlain = bytes.allSatisfy(Identifier.isPlain)
        let isMade = [encoded, hashed, TokenClaims.guestPrefix].contains(where: subject.hasPrefix)
        if isPlain, !isMade, (1...Identifier.longest).contains(bytes.count) { return subject }
        let id = encode(bytes)
        return id.utf8.count <= Identifier.longest ? id : hashed + Base64URL.encode(key.code(of: bytes))
    }

    /// Whether the id is a hash: nobody knows how its subject began.
    static func isHash(_ id: String) -> Bool { id.hasPrefix(hashed) }

    /// Whether the subject that became this id began so; false of a hash.
    static func began(_ id: String, with prefix: String) -> Bool {
        guard !isHash(id) else { return false }
        return id.hasPrefix(id.hasPrefix(encoded) ? encode(Array(prefix.utf8)) : prefix)
    }

    private static func encode(_ bytes: [UInt8]) -> String {
        var id = encoded
        for byte in bytes {
            if isKept(byte) {
                id.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                id += "_" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return id
    }

    private static func isKept(_ byte: UInt8) -> Bool { Identifier.isPlain(byte) && byte != UInt8(ascii: "_") }
}
