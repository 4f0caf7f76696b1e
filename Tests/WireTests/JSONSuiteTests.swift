import Testing
import Wire

@Suite(
    "The public JSON parsing suite",
    .enabled(if: !TestData.jsonSuite.isEmpty, "no json-parsing/test_parsing in the test data (KERBSIDE_TEST_DATA)"))
struct JSONSuiteTests {
    @Test("is there whole: 318 files")
    func complete() {
        #expect(TestData.jsonSuite.count == 318)
    }

    @Test("y_ files are accepted, and mean the same after writing and reading them again")
    func accepted() {
        for (name, bytes) in TestData.jsonSuite where name.hasPrefix("y_") {
            do {
                let value = try JSONValue(parsing: bytes)
                #expect(try JSONValue(parsing: value.serialized()) == value, "\(name)")
            } catch {
                Issue.record("\(name) was refused: \(error)")
            }
        }
    }

    @Test("n_ files are refused, with a place inside the text")
    func refused() {
        for (name, bytes) in TestData.jsonSuite where name.hasPrefix("n_") {
            do throws(WireError) {
                let value = try JSONValue(parsing: bytes)
                Issue.record("\(name) was accepted as \(value)")
            } catch {
                #expect((0...bytes.count).contains(error.offset) && error.line >= 1 && error.column >= 1, "\(name)")
            }
        }
    }

    @Test("what the standard leaves open is decided: halves of surrogate pairs, bad UTF-8, huge numbers are refused")
    func decided() throws {
        // All of them but these are refused.
        let accepted: Set = [
            "i_number_double_huge_neg_exp.json", "i_number_real_underflow.json", "i_number_too_big_neg_int.json",
            "i_number_too_big_pos_int.json", "i_number_very_big_negative_int.json",
        ]
        for (name, bytes) in TestData.jsonSuite where name.hasPrefix("i_") {
            #expect(((try? JSONValue(parsing: bytes)) != nil) == accepted.contains(name), "\(name)")
        }
    }

    @Test("as messages: never more than a refusal, and never a command")
    func asMessages() {
        for (name, bytes) in TestData.jsonSuite {
            guard case .refused(_, let error) = decoded(bytes) else {
                Issue.record("\(name) is no command")
                continue
            }
            #expect(error.code == .badMessage, "\(name)")
        }
    }

    @Test("inside a message, where unknown fields are skipped, just the same is accepted")
    func asUnknownField() {
        for (name, bytes) in TestData.jsonSuite {
            let isValue = (try? JSONValue(parsing: bytes)) != nil
            let message = Array(#"{"cmd":"driver.available","unknown":"#.utf8) + bytes + [UInt8(ascii: "}")]
            // One level of depth more.
            let isMessageWellFormed = (try? JSONValue(parsing: message)) != nil
            if case .message = decoded(message) {
                #expect(isMessageWellFormed, "\(name)")
            } else {
                #expect(!isMessageWellFormed, "\(name)")
            }
            if isValue { #expect(isMessageWellFormed, "\(name)") }
        }
    }
}

func decoded(_ bytes: [UInt8]) -> Decoded { bytes.withUnsafeBytes { decode($0) } }
func decoded(_ text: String) -> Decoded { decoded(Array(text.utf8)) }
