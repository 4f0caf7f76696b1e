import Wire

/// A token's header or claims.
struct TokenJSON {
    private let members: JSONObject

    /// Nil for anything but a JSON object.
    init?(_ bytes: [UInt8]) {
        guard let members = (try? JSONValue(parsing: bytes))?.members else { return nil }
        self.members = members
    }

    subscript(name: String) -> JSONValue? { members[name] }

    /// What stands at a name of ``IssuerRules/ClaimNames``.
    func value(at claim: String) -> JSONValue? {
        guard !claim.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":") }) else {
            return members[claim]
        }
        let names = claim.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var value = members[names[0]]
        for name in names.dropFirst() { value = value?[name] }
        return value
    }
}

extension JSONValue {
    /// The text, or the texts of a list; what is no text is left out.
    var words: [String] { text.map { [$0] } ?? elements?.compactMap(\.text) ?? [] }
}
