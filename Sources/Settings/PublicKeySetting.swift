import Wire
import Yams

extension Settings.Tokens {
    /// Pairs of keys of which one could name the people of the other, each with what to do.
    var overlaps: [String] {
        publicKeys.indices.flatMap { index in
            publicKeys[..<index].compactMap { overlap($0, publicKeys[index]) }
        }
    }

    private func overlap(_ one: PublicKey, _ other: PublicKey) -> String? {
        let (first, second) = (one.rules.prefix, other.rules.prefix)
        // A key and the one that follows it: whose they are is held against `iss`, so their people are the same.
        let isOneIssuer = one.rules.issuer.utf8.elementsEqual(other.rules.issuer.utf8)
        if first == second, !one.rules.issuer.isEmpty, isOneIssuer { return nil }
        let names = "tokens.public_keys: \(one.kid) and \(other.kid)"
        let fix = "; or the same issuer, if both are keys of one"
        if first.isEmpty, second.isEmpty {
            return "\(names) have no prefix, so they could name the same people: give one of them a prefix\(fix)"
        }
        guard !first.isEmpty, !second.isEmpty, first.hasPrefix(second) || second.hasPrefix(first) else { return nil }
        return """
            \(names): of the prefixes \(first) and \(second) one begins with the other, so they could name the same people: \
            choose others\(fix)
            """
    }
}

/// An entry of `tokens.public_keys` as it stands in YAML.
extension Settings.Tokens.PublicKey {
    private static let members = ["kid", "file", "issuer", "audience", "roles", "claims", "values", "prefix", "scopes"]

    /// With what an issuer may do unless more is said.
    static func checked(
        kid: String, file: String, rules: IssuerRules = IssuerRules()
    ) throws(Mismatch) -> Settings.Tokens.PublicKey {
        try TextForm.keyID.check(kid)
        try TextForm.nonEmpty.check(file)
        return .init(kid: kid, file: file, rules: rules)
    }

    init(_ node: Node, expected: String) throws(Mismatch) {
        guard case .mapping(let mapping) = node else { throw Mismatch(expected) }
        let kid = try Self.scalar(mapping, "kid", expected)
        let file = try Self.scalar(mapping, "file", expected)
        for (key, _) in mapping {
            guard let name = key.scalar?.string, Self.members.contains(name) else {
                throw Mismatch("of each key only \(Self.members.joined(separator: ", "))", found: key.found)
            }
        }
        var rules = IssuerRules()
        rules.issuer = try Self.text(mapping, "issuer") ?? rules.issuer
        rules.audience = try Self.text(mapping, "audience") ?? rules.audience
        rules.prefix = try Self.text(mapping, "prefix") ?? rules.prefix
        let isPlain = rules.prefix.utf8.allSatisfy { Identifier.isPlain($0) }
        guard rules.prefix.utf8.count <= 16, isPlain else {
            throw Mismatch("a prefix of up to 16 of A-Z a-z 0-9 _ . -")
        }
        if let roles = mapping["roles"] { rules.roles = try Self.roles(roles) }
        if let scopes = mapping["scopes"] { rules.scopes = try Self.scopes(scopes) }
        for (name, value) in try Self.texts(mapping, "claims") {
            guard let known = IssuerRules.ClaimNames.keys.first(where: { $0.name == name }), !value.isEmpty else {
                throw Mismatch("in claims only subject, role, kind and city, each with the name of a claim")
            }
            rules.claims[keyPath: known.path] = value
        }
        for (theirs, ours) in try Self.texts(mapping, "values") {
            guard Role(rawValue: ours) != nil || ["taxi", "minibus"].contains(ours) else {
                throw Mismatch("in values their word and one of ours: a role, taxi or minibus")
            }
            rules.values[theirs] = ours
        }
        self = try .checked(kid: kid, file: file, rules: rules)
    }

    private static func scalar(
        _ mapping: Node.Mapping, _ name: String, _ expected: String
    ) throws(Mismatch) -> String {
        guard let node = mapping[name] else { throw Mismatch(expected, found: "no \(name)") }
        guard let scalar = node.scalar else { throw Mismatch(expected, found: "\(node.found) for \(name)") }
        return scalar.string
    }

    private static func roles(_ node: Node) throws(Mismatch) -> [Role] {
        var roles: [Role] = []
        for item in node.sequence ?? [] {
            guard let role = (item.scalar?.string).flatMap(Role.init), !roles.contains(role) else {
                roles = []
                break
            }
            roles.append(role)
        }
        guard !roles.isEmpty else {
            throw Mismatch("roles: a list of \(Role.allCases.map(\.rawValue).joined(separator: ", ")), each once")
        }
        return roles
    }

    private static func scopes(_ node: Node) throws(Mismatch) -> Set<TokenScope> {
        let items = node.sequence?.map { ($0.scalar?.string).flatMap(TokenScope.init) } ?? [nil]
        let scopes = Set(items.compactMap { $0 })
        guard scopes.count == items.count else {
            throw Mismatch(
                "scopes: a list of \(TokenScope.allCases.map(\.rawValue).joined(separator: ", ")), each once")
        }
        return scopes
    }

    private static func text(_ mapping: Node.Mapping, _ name: String) throws(Mismatch) -> String? {
        guard let node = mapping[name] else { return nil }
        guard let text = node.scalar?.string else { throw Mismatch("\(name): a text") }
        try TextForm.any.check(text)
        return text
    }

    private static func texts(_ mapping: Node.Mapping, _ name: String) throws(Mismatch) -> [(String, String)] {
        guard let node = mapping[name] else { return [] }
        guard case .mapping(let inner) = node else { throw Mismatch("\(name): a section of names and texts") }
        var pairs: [(String, String)] = []
        for (key, value) in inner {
            guard let key = key.scalar?.string, let value = value.scalar?.string else {
                throw Mismatch("\(name): a section of names and texts")
            }
            pairs.append((key, value))
        }
        return pairs
    }

    /// On one line; what is the default is left out.
    var yaml: String {
        func quoted(_ text: String) -> String { SettingValue.quoted(text) }
        func section(_ pairs: [(String, String)]) -> String {
            "{" + pairs.map { "\(quoted($0.0)): \(quoted($0.1))" }.joined(separator: ", ") + "}"
        }
        let plain = IssuerRules()
        var parts = ["kid: \(quoted(kid))", "file: \(quoted(file))"]
        if rules.issuer != plain.issuer { parts.append("issuer: \(quoted(rules.issuer))") }
        if rules.audience != plain.audience { parts.append("audience: \(quoted(rules.audience))") }
        if rules.roles != plain.roles {
            parts.append("roles: [" + rules.roles.map(\.rawValue).joined(separator: ", ") + "]")
        }
        if rules.claims != plain.claims {
            parts.append(
                "claims: " + section(IssuerRules.ClaimNames.keys.map { ($0.name, rules.claims[keyPath: $0.path]) }))
        }
        if !rules.values.isEmpty {
            parts.append("values: " + section(rules.values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
        }
        if !rules.scopes.isEmpty {
            parts.append("scopes: [" + rules.scopes.map { quoted($0.rawValue) }.sorted().joined(separator: ", ") + "]")
        }
        if !rules.prefix.isEmpty { parts.append("prefix: \(quoted(rules.prefix))") }
        return "{" + parts.joined(separator: ", ") + "}"
    }
}
