import Testing

@testable import Hub

/// What stands in a query, and how it is written there.
@Suite struct PercentTextTests {
    @Test("a plus is a space in a query only")
    func plus() {
        #expect(PercentText.decoded("a+b%20c%2B", space: UInt8(ascii: "+")) == "a b c+")
        #expect(PercentText.decoded("a+b") == "a+b")
    }

    @Test("C60: what is too long is not looked through")
    func tooLong() {
        #expect(PercentText.decoded(String(repeating: "+", count: 15_000), space: UInt8(ascii: "+")) == nil)
    }
}
