import Glibc
import Testing
import Wire

@Suite("Numbers are read and written exactly")
struct NumberTests {
    private func read(_ text: String) throws -> JSONNumber {
        try Array(text.utf8).withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            let number = try reader.number()
            try reader.finish()
            return number
        }
    }

    private func isSkipped(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            guard (try? reader.skipValue()) != nil else { return false }
            return (try? reader.finish()) != nil
        }
    }

    @Test("what is skipped is checked as strictly as what is read")
    func skipped() {
        let zeros = String(repeating: "0", count: 400)
        let largest = "17976931348623157"
        for text in [
            "0", "-0.0e5", "0e999999999999999999999", "0.0e999999999", "1e308", "9.9e307", "1e309", "-1e309", "1e-400",
            "1e99999999999999",
            "\(largest)e292", "\(largest)e293", "0.\(largest)e309", "1.7976931348623158e308", "1.7976931348623159e308",
            "179769313486231580700e288", "179769313486231580800e288", "1.7976931348623158079e308",
            "1.7976931348623158080e308",
            "17976931348623158079372897140530341507993413271003782693617377898044496829276475094664901797758720709633028641669288791094655554785194040263065748867150582068190890200070838367627385484581771153176447573027006985557136695962284291481986083493647529271907416844436551070434271155969950809304287",
            "0.\(zeros)1e709", "0.\(zeros)1e710", "1\(zeros)", "1\(zeros)e-92", "1\(zeros)e-91", "01", "1.", "-", "1e",
            "1e+", ".5", "+1",
        ] {
            #expect(isSkipped(text) == ((try? read(text)) != nil), "\(text)")
            #expect(isSkipped("[\(text)]") == isSkipped(text))
        }
        #expect(isSkipped("1e308") && !isSkipped("1e309"))
    }

    private func matchesStrtod(_ text: String) throws -> Bool {
        let double = try read(text).double
        return double.bitPattern == strtod(text, nil).bitPattern
    }

    @Test("100,000 random doubles, in full and with 1 to 20 digits, agree with strtod to the last bit")
    func random() throws {
        var random = SeededGenerator(seed: 41)
        var differing: [String] = []
        for round in 0..<100_000 {
            let text: String
            switch round % 4 {
            case 0:
                let double = Double(bitPattern: random.next())
                text = double.isFinite ? double.description : "0"
            case 1: text = Double.random(in: -180...180, using: &random).description
            case 2:
                // Digits on both sides of the point: 1 to 20 of them.
                let digits = String(random.next()).prefix(.random(in: 1...20, using: &random))
                let point = digits.index(digits.startIndex, offsetBy: .random(in: 1...digits.count, using: &random))
                let (whole, fraction) = (digits[..<point], digits[point...])
                text = (whole.hasPrefix("0") ? "0" : whole) + (fraction.isEmpty ? "" : "." + fraction)
            default:
                text =
                    "\(random.next() >> UInt64.random(in: 0..<63, using: &random))e\(Int.random(in: -340...289, using: &random))"
            }
            if try !matchesStrtod(text) { differing.append(text) }
        }
        #expect(differing == [])
    }

    @Test("halfway cases, the smallest, the largest, and hundreds of digits agree with strtod")
    func hard() throws {
        let zeros = String(repeating: "0", count: 400)
        for text in [
            "0", "-0", "0.0", "-0.0e5", "0e999999999999999999999", "1", "-1", "9007199254740993", "9007199254740992",
            "9007199254740991.5", "900719925474099.35", "9007199254740993.0", "9007199254740993e-3",
            "4503599627370496.5", "4503599627370497.5", "18014398509481985", "18014398509481987e-19",
            "9999999999999999999", "9999999999999999999e-19", "1e22", "1e23", "8.5e22", "123456789012345678e-5",
            "2.2250738585072011e-308", "2.2250738585072014e-308", "4.9406564584124654e-324", "2.4703282292062327e-324",
            "2.4703282292062328e-324", "1.7976931348623157e308", "1.7976931348623158e308", "1e-400", "0.\(zeros)1e401",
            "1\(zeros)e-400", "0.1\(zeros)1", "45.4642110000000000000000000001", "6929495644600919.5",
            "1.00000000000000011102230246251565404236316680908203124",
            "1.00000000000000011102230246251565404236316680908203125",
            "1.00000000000000011102230246251565404236316680908203126",
        ] {
            #expect(try matchesStrtod(text), "\(text)")
        }
    }

    @Test("numbers that no double holds are refused; the tiny are 0")
    func range() throws {
        for text in [
            "1e309", "-1e309", "1.7976931348623159e308", "1e99999999999999999999",
            "9" + String(repeating: "0", count: 400),
        ] {
            #expect(throws: WireError.self) { try read(text) }
        }
        #expect(try read("1e-99999999999999999999").double == 0)
    }

    @Test("whole numbers are exact over all of Int64, and nil beyond or with a fraction or exponent")
    func integers() throws {
        var random = SeededGenerator(seed: 42)
        var samples: [Int64] = [0, 1, -1, .max, .min, .max - 1, .min + 1, 9_007_199_254_740_993]
        for _ in 0..<10_000 {
            samples.append(Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0..<63, using: &random))
        }
        for sample in samples {
            #expect(try read("\(sample)").integer == sample)
            var writer = JSONWriter()
            writer.integer(sample)
            #expect(String(decoding: writer.bytes, as: UTF8.self) == "\(sample)")
        }
        for text in [
            "9223372036854775808", "-9223372036854775809", "18446744073709551616", "1.0", "1e3", "99999999999999999999",
        ] {
            #expect(try read(text).integer == nil, "\(text)")
        }
    }

    private func written(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("decimals: rounded, no trailing zeros, never a sign before zero, never invalid")
    func decimals() {
        for (value, places, text) in [
            (45.464211, 5, "45.46421"), (45.464215, 5, "45.46422"), (9.19, 5, "9.19"), (9, 5, "9"), (-0.000001, 5, "0"),
            (-0.00001, 5, "-0.00001"), (0.000001, 6, "0.000001"), (-73.999999, 6, "-73.999999"), (179.999999, 5, "180"),
            (8.349, 1, "8.3"), (271.5, 0, "272"), (-271.5, 0, "-272"), (1.05, 9, "1.05"), (1234.5, -1, "1235"),
            (1e15, 6, "1000000000000000"), (1e22, 0, "1e+22"), (.nan, 2, "null"), (.infinity, 2, "null"),
        ] as [(Double, Int, String)] {
            #expect(written { $0.decimal(value, places: places) } == text)
        }
    }

    @Test("100,000 random doubles read back as the very same")
    func doubles() throws {
        var random = SeededGenerator(seed: 43)
        var differing: [Double] = []
        for round in 0..<100_000 {
            let any = Double(bitPattern: random.next())
            let double = round % 2 == 0 ? (any.isFinite ? any : 0) : Double.random(in: -180...180, using: &random)
            if try read(written { $0.double(double) }).double != double { differing.append(double) }
        }
        #expect(differing == [])
        for double in [
            0, 0.1, 1e-7, 123_456.654321, 9_007_199_254_740_991, -9_007_199_254_740_992, .leastNonzeroMagnitude,
            .greatestFiniteMagnitude,
        ] {
            #expect(try read(written { $0.double(double) }).double == double)
        }
        #expect(written { $0.double(.nan) } == "null")
        #expect(written { $0.double(-.infinity) } == "null")
        #expect(written { $0.double(1_795_210_199_000) } == "1795210199000")
        #expect(written { $0.double(45.464211) } == "45.464211")
    }
}
