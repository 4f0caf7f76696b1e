public import Wire

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
    /// The scopes that it may give; words of others in its tokens count for nothing.
    public var scopes: Set<TokenScope> = []
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
}
