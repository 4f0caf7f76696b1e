import Testing

@testable import PageFiles

@Suite("Addresses of pages")
struct PagePathTests {
    private static let files: Set = ["/line/index.html", "/line/line.js", "/board/index.html", "/board/board.js"]

    @Test(
        "An address means a file, or leads to its page",
        arguments: [
            ("/", PagePath.moved(to: "/line/")), ("/line", .moved(to: "/line/")), ("/line/", .file("/line/index.html")),
            ("/line/line.js", .file("/line/line.js")), ("/board/", .file("/board/index.html")),
            ("/board/north%20gate", .file("/board/index.html")), ("/board/board.js", .file("/board/board.js")),
            ("/board/a/b", nil), ("/line/other.js", nil), ("/drive/", nil), ("//", nil), ("", nil), ("*", nil),
        ] as [(String, PagePath?)])
    func meaning(path: String, meaning: PagePath?) {
        #expect(PagePath(path, exists: Self.files.contains) == meaning)
    }

    @Test("A long address is looked up nowhere")
    func long() {
        #expect(PagePath("/board/" + String(repeating: "x", count: 200)) { _ in true } == nil)
    }

    @Test(
        "Only plain names lead into a directory",
        arguments: ["/..", "/a/../b", "/.git", "/a//b", "/", "a", "/a\0b", "/%2e"])
    func names(path: String) {
        #expect(!PagePath.isPlain(path))
        #expect(PagePath.isPlain("/line/a-1_b.js"))
    }

    @Test("The library is in the program, packed to less")
    func embedded() throws {
        let file = try #require(PageFile.embedded["/assets/kerbside/kerbside.js"])
        #expect(file.contentType == "text/javascript; charset=utf-8")
        let packed = try #require(file.gzipped())
        #expect(packed.prefix(2) == [0x1f, 0x8b] && packed.count < file.bytes.count / 2)
    }
}
