import CSV
import Testing

/// A table that is read in parts is the same as the one that is in memory.
@Suite struct CSVSourceTests {
    private struct Row: Equatable {
        let line: Int
        let texts: [String]
    }

    private func table(_ bytes: [UInt8], by size: Int) throws(CSVFault) -> CSVTable {
        var given = 0
        return try CSVTable(name: "x.txt") { (window) throws(CSVFault) in
            let part = bytes[given..<min(given + size, bytes.count)]
            window += part
            given += part.count
            return !part.isEmpty
        }
    }

    private func rows(_ table: consuming CSVTable) throws(CSVFault) -> [Row] {
        var table = table
        var rows = [Row(line: 0, texts: table.head)]
        while try table.next() {
            rows.append(
                Row(line: table.line, texts: (0..<table.fieldCount).map { table.text(CSVTable.Column(at: $0)) }))
        }
        return rows
    }

    @Test(
        "Wherever a part ends: within a character, a quote, an end of line or the mark of UTF-8",
        arguments: [
            "\u{FEFF}a,b\r\n1,\"x\r\n\"\"y\"\"\"\r\n\r\nü€😀,\"ß\"\r3,\n", "a\n\n\n\"never closed\n1\n", "a,b", "\r\n",
            "",
            "a,b\n" + String(repeating: "täglich,\"wö\nrk\"\n", count: 40),
        ])
    func parts(_ text: String) throws {
        let bytes = Array(text.utf8)
        let whole = try rows(try CSVTable(name: "x.txt", bytes: bytes))
        for size in 1...max(2, min(bytes.count, 60)) { #expect(try rows(try table(bytes, by: size)) == whole) }
    }

    @Test("What is no text is refused with its line when it is come to")
    func faults() throws {
        let bytes = Array("a,b\nü,1\n\"x\ny\",2\n".utf8) + [0xE9, 10] + Array("z,3\n".utf8)
        for size in 1...bytes.count {
            #expect(
                throws: CSVFault(
                    file: "x.txt", line: 5, message: "this is not UTF-8 text; save the file as UTF-8")
            ) { try rows(try table(bytes, by: size)) }
            #expect(throws: CSVFault.self) { try rows(try table([97, 10, 98, 0, 10], by: size)) }
            // A character of which the file lacks the end.
            #expect(throws: CSVFault.self) { try rows(try table([97, 10, 0xE2, 0x82], by: size)) }
        }
    }

    @Test("What a source can't read is its own to say")
    func source() throws {
        var parts = 0
        #expect(throws: CSVFault(message: "the disk is gone")) {
            try rows(
                try CSVTable(name: "x.txt") { (window) throws(CSVFault) in
                    parts += 1
                    guard parts < 3 else { throw CSVFault(message: "the disk is gone") }
                    window += Array("a,b\n".utf8)
                    return true
                })
        }
        #expect(CSVFault(message: "the disk is gone").description == "the disk is gone")
    }

    @Test("A row of any length is looked through a few times, not once for each part of it")
    func longRow() throws {
        var asked = 0
        var table = try CSVTable(name: "x.txt") { (window) throws(CSVFault) in
            asked += 1
            window += asked == 1 ? Array("a\n\"".utf8) : [UInt8](repeating: 97, count: 100)
            return asked <= 10_000
        }
        let isThere = try table.next()
        #expect(isThere && table.text(table.column("a")).utf8.count == 100 * 10_000)
    }

    @Test("Numbers that are read in place are those that Swift reads, but for hexadecimal ones")
    func numbers() throws {
        var random = SystemRandomNumberGenerator()
        var texts = [
            "0", "-0", "+5", "007", "1e3", "5.", ".5", "-", "--1", "1.2.3", "9223372036854775807",
            "9223372036854775808",
            "123456789012345", "1234567890123456", "0.000000000000001", "12 3", "nan", "inf", "0x1p3", "52.520008",
            "1_000",
        ]
        for _ in 0..<2_000 {
            let whole = Int64.random(in: -200_000_000...200_000_000, using: &random)
            let part = UInt64.random(in: 0...999_999_999, using: &random)
            texts += ["\(whole)", "\(whole).\(part)", "\(whole % 180).\(part % 1_000_000)"]
        }
        var table = try CSVTable(name: "x", bytes: Array(("n\n" + texts.joined(separator: "\n") + "\n").utf8))
        let column = table.column("n")
        for text in texts {
            let isThere = table.readNext()
            #expect(isThere)
            #expect(table.integer(column) == Int(text), "\(text)")
            let double = Double(text).flatMap { $0.isFinite && !text.contains("x") ? $0 : nil }
            #expect(table.double(column)?.bitPattern == double?.bitPattern, "\(text)")
        }
    }

    @Test func `Of a row without end no more is read than shows that it is too wide`() throws {
        var parts = 0
        // Without an end it is never whole.
        var table = try CSVTable(name: "x.txt") { (window) throws(CSVFault) in
            parts += 1
            window += parts == 1 ? Array("a,b\n1,2\n".utf8) : [UInt8](repeating: UInt8(ascii: ","), count: 2_000)
            return parts < 50
        }
        let hasFirst = try table.next()
        #expect(hasFirst)
        let rest = table
        let fault = #expect(throws: CSVFault.self) { try rows(rest) }
        #expect(fault?.description == "x.txt:3: there are more than 1000 columns; a table may have 1000")
        #expect(parts < 5)
    }

    @Test func `A row of as many columns as there may be is whole, in parts too`() throws {
        let row = (0..<CSVTable.mostColumns).map { "\($0)" }.joined(separator: ",")
        let all = try rows(try table(Array((row + "\n" + row + "\n").utf8), by: 7))
        #expect(all.count == 2 && all[1].texts.count == CSVTable.mostColumns && all[1].texts.last == "999")
    }

    @Test func `What a file in memory has beyond that is counted and not kept`() throws {
        let row = String(repeating: ",", count: 200_000)
        var table = try CSVTable(name: "x", bytes: Array("a\n\(row)\nz\n".utf8))
        let hasFirst = table.readNext()
        #expect(hasFirst && table.fieldCount == 200_001)
        #expect(table.text(CSVTable.Column(at: 150_000)).isEmpty)
        let hasSecond = table.readNext()
        #expect(hasSecond && table.text(table.column("a")) == "z" && table.fieldCount == 1)
    }

}
