import Testing

@testable import Hub

/// Who is sent a body packed.
@Suite struct SharedPageTests {
    @Test(arguments: [
        ("gzip", true), ("GZIP", true), ("gzip ; q=0.5", true), ("*", true), ("gzip;q=1.000", true),
        ("gzip;q=0", false), ("gzip; q=0.000", false), ("*;q=0", false), ("br", false), ("gzipped", false), ("", false),
    ])
    func `an encoding may be named with a quality, and by a star`(encoding: String, isTaken: Bool) {
        #expect(SharedPage.acceptsGzip([encoding[...]]) == isTaken)
        #expect(SharedPage.acceptsGzip(["br", encoding[...]]) == isTaken)
    }

    @Test func `of a name with thousands of parts only the first are looked at`() {
        let parts = String(repeating: ";q=1", count: 4_000)
        #expect(SharedPage.acceptsGzip([("gzip" + parts + ";q=0")[...]]))
        #expect(!SharedPage.acceptsGzip([("br" + parts)[...]]))
    }
}
