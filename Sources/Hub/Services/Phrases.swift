import PageFiles
import WebSocketServer
import Wire

/// The texts of the pages in one language, for pages that the hub makes itself. What a catalog lacks is said in English.
struct Phrases {
    /// As `de`.
    let language: String
    private let own: JSONValue?

    private static let english = catalog("en")
    private static let others = Dictionary(
        uniqueKeysWithValues: ["de", "fr", "it", "st", "zu"].compactMap { tag in catalog(tag).map { (tag, $0) } })
    /// Of a list of wishes: browsers send four.
    private static let mostWishes = 8

    private static func catalog(_ tag: String) -> JSONValue? {
        PageFile.embedded["/assets/languages/\(tag).json"].flatMap { try? JSONValue(parsing: $0.bytes) }
    }

    /// The first language of the wishes (`de-AT,de;q=0.9`) in which the pages say `needed`; English, where there is none.
    init(_ wishes: [Substring], needed: String) {
        let tags = wishes.prefix(Self.mostWishes).map { Substring($0.utf8.prefix(2)).lowercased() }
        language = tags.first { $0 == "en" || Self.others[$0]?[needed] != nil } ?? "en"
        own = Self.others[language]
    }

    /// The text, with the values in the places of `{name}`; of a text with plurals the one for `count`.
    func say(_ id: String, _ values: [String: String] = [:], count: Int? = nil) -> String {
        let message = own?[id] ?? Self.english?[id]
        // Of our languages French, isiZulu and Sesotho count nothing as one, or may.
        let isOne = count == 1 || count == 0 && language == "fr"
        var text = message?.text ?? message?[isOne ? "one" : "other"]?.text ?? message?["other"]?.text ?? id
        for (name, value) in values { text = text.replacing("{\(name)}", with: value) }
        return count.map { text.replacing("{count}", with: "\($0)") } ?? text
    }
}
