import Testing

@testable import Wire

@Suite("What nobody sees in texts that are written by hand")
struct HiddenCharacterTests {
    private static let hidden = [
        "\u{AD}", "\u{34F}", "\u{61C}", "\u{115F}", "\u{180E}", "\u{200B}", "\u{202A}", "\u{202E}", "\u{2060}",
        "\u{2064}", "\u{2066}", "\u{2069}", "\u{206F}", "\u{3164}", "\u{FEFF}", "\u{FFF9}", "\u{E0041}", "\u{E007F}",
    ]

    private func read(_ text: String, _ command: String) -> Decoded {
        let fields =
            switch command {
            case "sos": #"{"text":"\#(text)"}"#
            case "report.send": #"{"category":"other","text":"\#(text)"}"#
            default: #"{"to":"drivers","text":"\#(text)"}"#
            }
        return Array(fields.utf8).withUnsafeBytes { decode(fields: $0, of: command, key: nil) }
    }

    @Test("it is refused, on one line and on several, and the refusal names it", arguments: hidden)
    func refused(character: String) throws {
        let code = try #require(character.unicodeScalars.first).value
        for command in ["report.send", "broadcast"] {
            guard case .refused(_, let error) = read("a" + character + "b", command) else {
                Issue.record("\(command) took U+\(String(code, radix: 16))")
                continue
            }
            #expect(error.code == .badMessage && error.field == "text")
            #expect(error.detail.contains("\(String(code, radix: 16, uppercase: true)), which nobody sees"))
        }
    }

    @Test("what joins letters or chooses their form, and marks of direction, are needed")
    func needed() {
        for text in ["می\u{200C}دان\u{200D}\u{200E}\u{200F}", "❤\u{FE0F}", "葛\u{E0100}", "e\u{301}", "\u{600}1"] {
            for command in ["report.send", "broadcast"] {
                guard case .message = read(text, command) else {
                    Issue.record("\(command) refused \(text.debugDescription)")
                    continue
                }
            }
        }
    }

    @Test("an alarm is not refused for it: it is left out")
    func alarm() {
        let message = ClientMessage(command: .safety(.sos(ride: nil, text: "help\nme", at: nil)))
        #expect(read(#"h\u202eel\u200bp\n\u00adme"#, "sos") == .message(message))
        guard case .refused(_, let error) = read(#"a\u0007"#, "sos") else {
            Issue.record("a control character was taken")
            return
        }
        #expect(error.field == "text")
    }
}
