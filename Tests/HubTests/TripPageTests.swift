import Domain
import Testing

@testable import Hub

/// Trips as a table for a spreadsheet.
@Suite struct TripPageTests {
    @Test("M10: a table says where it goes on, for the same person and as many rows")
    func link() {
        let own = TripPages.link("r_2", path: "/v1/trips.csv", query: nil)
        #expect(own == "</v1/trips.csv?from=r_2>; rel=\"next\"")
        let query = "subject=p%3A7&from=r_9&limit=100&role=passenger&x=%3E&limits=3"
        let others = TripPages.link("r_2", path: "/v1/trips", query: query)
        #expect(others == "</v1/trips?from=r_2&subject=p%3A7&limit=100&role=passenger>; rel=\"next\"")
    }

    @Test("a cell is quoted and marked by its scalars, whatever stands on them")
    func cells() {
        let accent = "\u{301}"
        let cells = [
            "T345": "T345", "": "", "a,b": "\"a,b\"", "a\nb": "\"a\nb\"", "a\rb": "\"a\rb\"", "a\r\nb": "\"a\r\nb\"",
            "a,\(accent)b": "\"a,\(accent)b\"", "say \"hi\"": "\"say \"\"hi\"\"\"",
            "\"\(accent)x": "\"\"\"\(accent)x\"", "=1+1": "'=1+1", "=\(accent)1": "'=\(accent)1", "@a,b": "\"'@a,b\"",
            "ok;=A2": "ok;'=A2", "ok; =A2;x=1": "ok; '=A2;x=1", "a\t@b": "a\t'@b", "a =b": "a =b",
            "bag\n=A2": "\"bag\n'=A2\"", "bag\r\n =A2": "\"bag\r\n '=A2\"", "bag\r@x\nbye": "\"bag\r'@x\nbye\"",
            "\u{FF1D}1+1": "'\u{FF1D}1+1", "\u{FF0B}1": "'\u{FF0B}1", "\u{FF0D}1": "'\u{FF0D}1",
            "ok; \u{FF20}A2": "ok; '\u{FF20}A2", "1\u{FF1D}1": "1\u{FF1D}1", "\u{FF21}": "\u{FF21}",
            "bag\n\"=A2\"": "\"bag\n\"\"'=A2\"\"\"", "a\n1-1": "\"a\n1-1\"",
        ]
        for (written, cell) in cells {
            #expect(Array(SpreadsheetCell.text(written).utf8) == Array(cell.utf8), "\(written.debugDescription)")
        }
    }
}
