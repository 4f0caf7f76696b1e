import Testing

@testable import Hub

/// Lines of a file that is read piece by piece.
@Suite struct PieceLinesTests {
    /// The lines of a text that comes in pieces of so many bytes.
    private func lines(_ text: [UInt8], piece: Int) -> [String] {
        var reader = PieceLines()
        var found: [String] = []
        for start in stride(from: 0, to: text.count, by: piece) {
            let part = text[start..<min(start + piece, text.count)]
            reader.add(part) { found.append(String(decoding: $0, as: UTF8.self)) }
        }
        reader.end { found.append(String(decoding: $0, as: UTF8.self)) }
        return found
    }

    @Test(
        "wherever a piece ends, each line is there once and whole; also the last one, which has no end",
        arguments: 1...12)
    func isWhole(_ piece: Int) {
        let found = lines(Array("\none\n\ntwo\nthree\n\nfour".utf8), piece: piece)
        #expect(found == ["one", "two", "three", "four"])
        let ended = lines(Array("one\ntwo\n".utf8), piece: piece)
        #expect(ended == ["one", "two"])
        let none = lines([], piece: piece)
        #expect(none.isEmpty)
    }

    @Test("a line that is too long is left out, wherever it stands, and the next one is whole")
    func isTooLong() {
        let longest = [UInt8](repeating: 120, count: PieceLines.mostBytes)
        var text = longest + Array("\na\n".utf8)
        text += longest
        text += longest
        text += Array("\nb\n".utf8)
        text += longest + [120]
        let found = lines(text, piece: 65_536)
        #expect(found == [String(repeating: "x", count: PieceLines.mostBytes), "a", "b"])
    }
}
