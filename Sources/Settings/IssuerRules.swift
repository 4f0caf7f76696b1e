/// What the tokens of another issuer may say, and where in them it stands.
public struct IssuerRules: Sendable, Equatable {
    /// The claim `iss` that its tokens must have; empty: any.
    public var issuer = ""
    /// What the claim `aud` of its tokens must name; empty: anything. With it, a token may leave the city out.
    public var audience = ""
    /// The roles that it may give. Of several in a token the first in this order counts.
    public var roles: [Role] = [.passenger]
    /// Where things stand in its tokens.
    public var claims = ClaimNames()
    /// Its words for ours: roles, `taxi` and `minibus`. With any of them, a role must be among them.
    public var values: [String: String] = [:]
    /// Stands before each of its subjects, so that they can't be those of another issuer.
    public var prefix = ""

    public init() {}

    /// A claim that holds a `/` or `:` is one name (`https://example.com/role`); otherwise dots lead into objects
    /// (`realm_access.roles`).
    public struct ClaimNames: Sendable, Equatable {
        public var subject = "sub"
        public var role = "role"
        public var kind = "kind"
        public var city = "city"

        public init() {}

        static var keys: [(name: String, path: WritableKeyPath<ClaimNames, String>)] {
            [("subject", \.subject), ("role", \.role), ("kind", \.kind), ("city", \.city)]
        }
    }

    /// Whether a connection that these rules let in may stay now that the new ones count.
    func allows(_ role: Role, asBefore old: IssuerRules) -> Bool {
        var same = old
        same.roles = roles
        return same == self && roles.contains(role)
    }

    /// The role of a token: of the words that it has, those that are roles here; of these the first in our order.
    func role(among words: [String]) -> Role? {
        let named = words.compactMap { Role(rawValue: values.isEmpty ? $0 : values[$0] ?? "") }
        return roles.first { named.contains($0) }
    }
}

/// Subjects of other issuers as ids of ours. No two subjects become the same id.
enum ForeignSubject {
    /// Ids that begin so are made here, so a subject that begins so by itself is encoded, too.
    private static let encoded = "_x"
    private static let hashed = "_h"

    /// 1 to 64 of `A-Z a-z 0-9 _ . -` stay as they are. Anything else becomes `_x` and the subject, with each byte but
    /// `A-Z a-z 0-9 . -` as `_` and two hexadecimal digits: `auth0|ab` is `_xauth0_7Cab`. Is that longer than 64, it
    /// becomes `_h` and the hash, in base64url.
    static func id(_ subject: String, hash: ([UInt8]) -> [UInt8]) -> String {
        let bytes = Array(subject.utf8)
        let isPlain = bytes.allSatisfy(Identifier.isPlain)
        let isMade = subject.hasPrefix(encoded) || subject.hasPrefix(hashed)
        if isPlain, !isMade, (1...Identifier.longest).contains(bytes.count) { return subject }
        var id = encoded
        for byte in bytes {
            if isKept(byte) {
                id.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                id += "_" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return id.utf8.count <= Identifier.longest ? id : hashed + Base64URL.encode(hash(bytes))
    }

    private static func isKept(_ byte: UInt8) -> Bool { Identifier.isPlain(byte) && byte != UInt8(ascii: "_") }
}
