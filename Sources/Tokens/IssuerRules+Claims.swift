import Settings
import Wire

extension IssuerRules {
    /// Whether a connection that these rules let in may stay now that the new ones count.
    func allows(_ role: Role, asBefore old: IssuerRules) -> Bool {
        var same = old
        same.roles = roles
        return same == self && roles.contains(role)
    }

    /// The role of a token: of the words that it has, those that are roles here; of these the first in our order.
    func role(among words: [String]) -> Role? {
        let named = words.compactMap { Role(rawValue: values.isEmpty ? $0 : meaning(of: $0) ?? "") }
        return roles.first { named.contains($0) }
    }

    /// Our word for one of theirs; nil: it has none. Byte for byte (RFC 7519, 7.3): a group that somebody made whose name
    /// only looks the same, as with a letter that is composed in another way, is another group.
    func meaning(of word: String) -> String? {
        guard let place = values.index(forKey: word), values[place].key.isSame(as: word) else { return nil }
        return values[place].value
    }
}

extension String {
    /// Whether both have the same bytes. To `==` texts that are written alike are the same, as `K` and the sign of kelvin.
    func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
