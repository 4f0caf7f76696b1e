import Testing
import Wire

@Suite("Texts of others on a terminal")
struct PrintableTextTests {
    @Test("what a terminal would obey is seen, and all else stays as it is")
    func texts() {
        let texts = [
            "": "", "Piazza Duomo\n\tè 1": "Piazza Duomo\n\tè 1", "\u{1B}]0;PWN\u{7}": "\\u{1b}]0;PWN\\u{7}",
            "\u{9B}2J\u{7F}": "\\u{9b}2J\\u{7f}", "a\r\nb": "a\\u{d}\nb", "x\u{202E}gnp.exe": "x\\u{202e}gnp.exe",
            "\u{200B}\u{200F}\u{2066}\u{2069}\u{FEFF}": "\\u{200b}\\u{200f}\\u{2066}\\u{2069}\\u{feff}",
            "\u{61C}\u{180E}\u{2060}\u{2061}\u{2064}\u{206A}": "\\u{61c}\\u{180e}\\u{2060}\\u{2061}\\u{2064}\\u{206a}",
            "\u{FFF9}\u{FFFB}\u{E0041}": "\\u{fff9}\\u{fffb}\\u{e0041}", "\u{205F}\u{2070}": "\u{205F}\u{2070}",
            "\u{2028}e\u{301}🚌": "\\u{2028}e\u{301}🚌", "\u{A0}–…": "\u{A0}–…", "Bahn\u{AD}hof": "Bahn\\u{ad}hof",
        ]
        for (text, shown) in texts {
            #expect(Array(text.printable.utf8) == Array(shown.utf8), "\(text.debugDescription)")
            #expect(shown.printable == shown)
        }
    }
}
