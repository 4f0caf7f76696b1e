import KerbsideClient
import Testing

@Suite struct JSONTests {
    @Test(arguments: [
        #"{"a":[1,-2,0.5,1e+20],"b":{"c":null,"d":true,"e":false}}"#, #"[]"#, #"{}"#, #""ü\"\\\n\u0001😀""#,
        "1795369646395", "45.4642",
    ]) func whatIsReadIsWrittenAlike(_ text: String) throws {
        #expect(try JSON(parsing: text).text == text)
    }

    @Test func escapesAreRead() throws {
        #expect(try JSON(parsing: #" "\u00fc\ud83d\ude00\/\b\f\r\t" "#) == "ü😀/\u{8}\u{c}\r\t")
        // Half a pair stands for nothing.
        #expect(try JSON(parsing: #""\ud83dx\ud83d\u0041\ude00""#) == "\u{FFFD}x\u{FFFD}A\u{FFFD}")
    }

    @Test(arguments: [
        "", "{", "[1,]", #"{"a"}"#, #"{"a":1,}"#, "tru", "nul", "1 2", "01x", "-", "1e999", #""a"#, "\"a\nb\"",
        #""\x""#,
        #""\u12""#, #"{a:1}"#,
    ]) func whatIsNoneIsRefused(_ text: String) {
        #expect(throws: JSONError.self) { try JSON(parsing: text) }
    }

    @Test func depthIsLimited() {
        #expect(throws: JSONError.self) { try JSON(parsing: String(repeating: "[", count: 100_000)) }
    }
}
