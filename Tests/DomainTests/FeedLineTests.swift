import Domain
import Testing
import Wire

struct FeedLineTests {
    private func read(_ text: String) -> (lines: [FeedLine], skipped: Int) {
        var lines: [FeedLine] = []
        let skipped = Array(text.utf8).withUnsafeBytes { FeedLine.read($0) { lines.append($0) } }
        return (lines, skipped)
    }

    @Test("records and departures, in all forms that numbers have")
    func lines() {
        let (lines, skipped) = read(
            """
            V T345 45.464211 -9.191383 271.4 1795210199000 1795210199123 available taxi 3 -
            G T9
            V B1 4.5e+1 -1.5e-05 - 1.7952101990e+12 1795210199123.0 busy bus - R7 out@1200,in@7
            """)
        #expect(skipped == 0)
        let first = FeedRecord(
            id: "T345", lat: 45.464211, lon: -9.191383, heading: 271.4, at: 1_795_210_199_000,
            heard: 1_795_210_199_123, state: .available, seats: 3)
        let second = FeedRecord(
            id: "B1", lat: 45, lon: -0.000015, heading: nil, at: 1_795_210_199_000, heard: 1_795_210_199_123,
            state: .busy, kind: .bus, route: "R7", along: "out@1200,in@7")
        #expect(lines == [.vehicle(first), .gone("T9"), .vehicle(second)])
    }

    @Test(
        "what is no record is skipped and counted, and the lines around it are read",
        arguments: [
            "", " ", "V", "G", "G ", "X T1", "G T1 2", "V T1 45 9 - 1 1 available taxi -",
            "V T1 45 9 - 1 1 available taxi - - -", "V T1 45 9 - 1 1 available minibus 3 R1 out@12 x",
            "V T1 95 9 - 1 1 available taxi - -",
            "V T1 45 9 - 1 1 asleep taxi - -", "V T1 45 9 - 1 1 available tram - -",
            "V T1 45 9 - x 1 available taxi - -",
            "V T1 45 9 - 1 1 available taxi -1 -", "V T1 4.5.5 9 - 1 1 available taxi - -",
            "V T1 nan 9 - 1 1 available taxi - -", "V  45 9 - 1 1 available taxi - -",
            "V T1 - 9 - 1 1 available taxi - -",
            "V T1 1e999 9 - 1 1 available taxi - -", "V T1 45 9 - 99999999999999999999 1 available taxi - -",
        ])
    func skipping(line: String) {
        let (lines, skipped) = read("G A\n\(line)\nG B")
        #expect(lines == [.gone("A"), .gone("B")])
        #expect(skipped == 1)
    }

    @Test("random bytes never trap")
    func noise() {
        var random = Random(seed: 6)
        let alphabet = Array("VG T1 \n.-e0123456789 available taxi".utf8)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in alphabet.randomElement(using: &random)!
            }
            bytes.withUnsafeBytes { _ = FeedLine.read($0) { _ in } }
        }
    }
}
