import Tokens
import Wire

/// Who speaks for a connection besides its own token: whoever is the same person in the same role and vehicle, and is allowed as much, as what is
/// read by a scope is read on. So a token is renewed, and so something is said to a stream, maybe by another worker.
struct Speaker {
    private let person: String
    private let scopes: Set<String>

    init(_ claims: TokenClaims) {
        person = "\(Budgets.key(of: claims)) \(claims.kind) \(claims.seats ?? 0)"
        scopes = Set(claims.scopes.map(\.rawValue))
    }

    /// As another worker has said it.
    init?(_ text: String) {
        let parts = text.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        person = String(parts[0])
        scopes = Set(parts[1].split(separator: " ").map(String.init))
    }

    var text: String { person + "\t" + scopes.sorted().joined(separator: " ") }

    func speaks(for claims: TokenClaims) -> Bool {
        let other = Speaker(claims)
        return person == other.person && scopes.isSuperset(of: other.scopes)
    }
}
