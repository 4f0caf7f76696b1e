/// What of a token says for how long something counts that was begun with it, and by which key it was proved. As text: three words.
public struct TokenStanding: Sendable, Equatable, CustomStringConvertible {
    /// When the token ends, or the sign-in whose tokens renew themselves; Unix seconds, the leeway included.
    public let until: Int64
    /// When the sign-in began, or the token was issued at the earliest, as far as its issuer's clock tells; Unix seconds.
    public let since: Int64
    /// Mark of the key.
    public let key: String

    init(until: Int64, since: Int64, key: String) {
        self.until = until
        self.since = since
        self.key = key
    }

    public var description: String { "\(until) \(since) \(key)" }

    /// Nil when the words are no such text.
    public init?(_ words: [Substring]) {
        guard words.count == 3, let until = Int64(words[0]), let since = Int64(words[1]) else { return nil }
        self.init(until: until, since: since, key: String(words[2]))
    }
}
