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
        let named = words.compactMap { Role(rawValue: values.isEmpty ? $0 : values[$0] ?? "") }
        return roles.first { named.contains($0) }
    }
}
