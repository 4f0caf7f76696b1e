/// A pattern of event types, as `ride.*` or `queue.**`.
///
/// Types are words with dots between them. In a pattern `*` stands for exactly one word, `**` for any number of words,
/// none included; a lone `*` is everything.
public struct TopicPattern: Equatable, Sendable, CustomStringConvertible {
    private enum Part: Equatable, Sendable {
        case word(String)
        case any
        case rest
    }

    public let description: String
    private let parts: [Part]

    /// Nil when the pattern is empty, has an empty word, or a `*` within a word.
    public init?(_ text: String) {
        var parts: [Part] = []
        for word in text.split(separator: ".", omittingEmptySubsequences: false) {
            switch word {
            case "": return nil
            case "*": parts.append(.any)
            case "**": parts.append(.rest)
            default:
                guard !word.contains("*") else { return nil }
                parts.append(.word(String(word)))
            }
        }
        description = text
        self.parts = parts == [.any] ? [.rest] : parts
    }

    public func matches(_ type: String) -> Bool {
        TopicPattern.matches(parts[...], type.split(separator: ".", omittingEmptySubsequences: false)[...])
    }

    private static func matches(_ parts: ArraySlice<Part>, _ words: ArraySlice<Substring>) -> Bool {
        guard let part = parts.first else { return words.isEmpty }
        switch part {
        case .rest:
            let others = parts.dropFirst()
            // The shortest stretch that leaves a match for the others.
            return (words.startIndex...words.endIndex).contains { matches(others, words[$0...]) }
        case .any:
            return !words.isEmpty && matches(parts.dropFirst(), words.dropFirst())
        case .word(let word):
            return words.first.map { $0 == word } == true && matches(parts.dropFirst(), words.dropFirst())
        }
    }
}
