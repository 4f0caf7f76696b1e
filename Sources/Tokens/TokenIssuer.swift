public import Settings
import Wire

/// Makes signed tokens (JWT, HS256).
public struct TokenIssuer: Sendable {
    private let secret: TokenSecret

    /// Signs with the first secret of the file. Reads files: for start-up and commands only.
    ///
    /// - Parameter makesSecret: make the file of secrets if there is none. Several processes may do that at once.
    /// - Throws: a problem for each file of keys that can't be used, and when there is no secret and none is made.
    public init(_ settings: Settings, makesSecret: Bool = false) throws(SettingsError) {
        self.init(secret: try TokenKeys.load(settings, makesSecret: makesSecret).signing)
    }

    init(secret: TokenSecret) { self.secret = secret }

    /// The token. Fails with `malformed` when the subject or the city is not of the form that ids have here.
    public func issue(_ claims: TokenClaims) throws(TokenError) -> String { try sign(claims, type: "JWT") }

    /// An invitation: who has it gets tokens with such claims, once. It is no token itself (RFC 8725, 3.11).
    ///
    /// - Parameters:
    ///   - claims: whose it is, and how long the invitation is good.
    ///   - id: not to be guessed, and of the form of a subject.
    public func invite(_ claims: TokenClaims, id: String) throws(TokenError) -> String {
        guard Identifier.isSubject(id) else { throw .malformed }
        return try sign(claims, type: Self.invitationType, more: #","jti":"\#(id)""#)
    }

    static let invitationType = "invitation+jwt"

    private func sign(_ claims: TokenClaims, type: String, more: String = "") throws(TokenError) -> String {
        // Checked, so that nothing in them needs an escape in JSON.
        guard Identifier.isSubject(claims.subject), Identifier.isValid(claims.city) else { throw .malformed }
        let header = #"{"alg":"HS256","typ":"\#(type)","kid":"\#(secret.kid)"}"#
        let body = """
            {"sub":"\(claims.subject)","role":"\(claims.role.rawValue)","city":"\(claims.city)",\
            "iat":\(claims.issuedAt),"exp":\(claims.expiresAt)\(Self.vehicle(claims))\(Self.scope(claims))\
            \(Self.signIn(claims))\(more)}
            """
        let signed = Base64URL.encode(header.utf8) + "." + Base64URL.encode(body.utf8)
        return signed + "." + Base64URL.encode(secret.key.code(of: Array(signed.utf8)))
    }

    /// Eight hexadecimal digits for a text: the same for each who signs with this secret, and nobody else finds the text by them.
    public func mark(of text: String) -> String {
        secret.key.code(of: Array("mark:\(text)".utf8)).prefix(4).map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }

    private static func scope(_ claims: TokenClaims) -> String {
        let words = claims.scopes.map(\.rawValue).sorted().joined(separator: " ")
        return words.isEmpty ? "" : #","scope":"\#(words)""#
    }

    private static func signIn(_ claims: TokenClaims) -> String {
        (claims.isGuest ? #","guest":true"# : "") + (claims.beganAt.map { #","began":\#($0)"# } ?? "")
    }

    /// The claims of what isn't a taxi.
    private static func vehicle(_ claims: TokenClaims) -> String {
        guard claims.kind != .taxi else { return "" }
        return #","kind":"\#(claims.kind.text)""# + (claims.seats.map { #","seats":\#($0)"# } ?? "")
    }
}
