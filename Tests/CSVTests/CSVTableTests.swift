import CSV
import Testing

@Suite struct CSVTableTests {
    /// All rows, with the line on which each begins first.
    func rows(_ text: String, separator: Character = ",", hasHeadLine: Bool = false) throws -> [[String]] {
        var table = try CSVTable(
            name: "x", bytes: Array(text.utf8), separator: separator, hasHeadLine: hasHeadLine)
        var rows: [[String]] = []
        while table.readNext() {
            rows.append(["\(table.line)"] + (0..<table.fieldCount).map { table.text(CSVTable.Column(at: $0)) })
        }
        return rows
    }

    @Test(
        arguments: [
            ("", []), ("\n\r\n  \n", []), ("a,b", [["1", "a", "b"]]), ("a,b\n", [["1", "a", "b"]]),
            ("a,b\r\nc,d\re,f", [["1", "a", "b"], ["2", "c", "d"], ["3", "e", "f"]]),
            ("\u{FEFF}a,b\n\n c , d\t\n", [["1", "a", "b"], ["3", "c", "d"]]),
            ("a,,\n,", [["1", "a", "", ""], ["2", "", ""]]),
            (#""a,b","c""d""#, [["1", "a,b", #"c"d"#]]),
            ("\"a\r\nb\",c\nd,e", [["1", "a\r\nb", "c"], ["3", "d", "e"]]),
            (#" "a" , "" ,b"c"#, [["1", "a", "", #"b"c"#]]),
            ("\"never closed,b\nc", [["1", "never closed,b\nc"]]),
            ("città,Čakovec", [["1", "città", "Čakovec"]]),
        ] as [(String, [[String]])])
    func rowsAndFields(_ text: String, _ expected: [[String]]) throws {
        #expect(try rows(text) == expected)
    }

    @Test func anotherSeparator() throws {
        #expect(try rows("a,b;\"c;d\"", separator: ";") == [["1", "a,b", "c;d"]])
    }

    @Test func columnsByName() throws {
        var table = try CSVTable(name: "x", bytes: Array("\n id ,n,n,empty\n7,1.5,2,\n8\n".utf8))
        #expect(table.head == ["id", "n", "n", "empty"])
        let (id, n, none) = (table.column("id"), table.column("n"), table.column("none"))
        #expect(id.isThere && !none.isThere)
        let hasFirst = table.readNext()
        #expect(hasFirst && table.line == 3)
        #expect(table.integer(id) == 7 && table.double(n) == 1.5 && table.integer(n) == nil)
        #expect(table.isEmpty(table.column("empty")) && table.isEmpty(none) && table.text(none) == "")
        #expect(Array(table.bytes(n)) == Array("1.5".utf8) && table.bytes(none).isEmpty)
        let hasSecond = table.readNext()
        #expect(hasSecond && table.text(id) == "8" && table.text(n) == "" && table.double(n) == nil)
        let hasThird = table.readNext()
        #expect(!hasThird)
    }

    @Test(
        arguments: [
            ("8", 8), ("-8.25", -8.25), ("8.25e1", 82.5), ("+8.5", 8.5), ("0x1p3", nil), ("-0X8.4", nil), ("nan", nil),
            ("inf", nil), ("1e999", nil), ("8 N", nil),
        ] as [(String, Double?)])
    func numbers(_ text: String, _ value: Double?) throws {
        var table = try CSVTable(name: "x", bytes: Array("n\n\(text)\n".utf8))
        let hasRow = table.readNext()
        #expect(hasRow && table.double(table.column("n")) == value)
    }

    @Test func aQuoteThatNothingClosesIsKnownByItsLine() throws {
        var table = try CSVTable(name: "x", bytes: Array("a,b\n\"1\n2\",x\n\"3\n\", \"never\nclosed\n".utf8))
        let hasFirst = table.readNext()
        #expect(hasFirst && table.line == 2 && table.openQuote == nil)
        let hasSecond = table.readNext()
        #expect(hasSecond && table.line == 4 && table.openQuote == 5)
        let hasThird = table.readNext()
        #expect(!hasThird && table.openQuote == nil)
    }

    @Test func aHeadLineWithoutEndIsRefused() {
        func head(_ count: Int) -> [UInt8] { Array((0..<count).map { "c\($0)" }.joined(separator: ",").utf8) }
        #expect(throws: Never.self) { try CSVTable(name: "x", bytes: head(CSVTable.mostColumns)) }
        let fault = #expect(throws: CSVFault.self) { try CSVTable(name: "x", bytes: head(200_000)) }
        #expect(fault?.description.hasPrefix("x:1: the head line has 200000 columns") == true)
    }

    @Test func whatIsNoTextIsRefusedWithItsLine() {
        #expect(throws: CSVFault.self) { try CSVTable(name: "x.txt", bytes: [97, 10, 98, 0xE9, 10]) }
        do {
            _ = try CSVTable(name: "x.txt", bytes: [97, 10, 98, 0xE9, 10])
        } catch {
            #expect(error.line == 2 && error.description.hasPrefix("x.txt:2: this is not UTF-8"))
        }
        #expect(throws: CSVFault.self) { try CSVTable(name: "x.txt", bytes: [97, 0, 98]) }
    }
}
