/// A pattern of event names, as `ride.*` or `stop.>`.
///
/// Names are words with dots between them. In a pattern `*` stands for exactly one word, and `>`, which comes last, for all
/// that follow, one at least; `>` alone is everything.
public struct EventPattern: Hashable, Sendable, CustomStringConvertible {
    public let description: String
    private let words: [Substring]
    /// Whether more words may follow, one at least.
    private let isOpen: Bool

    /// Nil when the pattern is empty, has an empty word, a `*` or `>` within a word, or anything behind a `>`.
    public init?(_ text: some StringProtocol) {
        let text = String(text)
        var words = text.split(separator: ".", omittingEmptySubsequences: false)
        let isOpen = words.last == ">"
        if isOpen { words.removeLast() }
        for word in words where word != "*" {
            guard !word.isEmpty, word.utf8.allSatisfy(Self.isPlain) else { return nil }
        }
        guard isOpen || !words.isEmpty else { return nil }
        description = text
        self.words = words
        self.isOpen = isOpen
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
    }

    public func matches(_ name: String) -> Bool {
        let its = name.split(separator: ".", omittingEmptySubsequences: false)
        guard isOpen ? its.count > words.count : its.count == words.count else { return false }
        return zip(words, its).allSatisfy { $0 == "*" || $0 == $1 }
    }
}
