import Testing

@testable import WebSocketServer

/// A client's frame, masked; `key` nil leaves it unmasked.
func clientFrame(_ opcode: UInt8, _ payload: [UInt8], fin: Bool = true, key: [UInt8]? = [1, 2, 3, 4]) -> [UInt8] {
    var bytes = [(fin ? 0x80 : 0) | opcode]
    let bit: UInt8 = key == nil ? 0 : 0x80
    switch payload.count {
    case ..<126: bytes.append(bit | UInt8(payload.count))
    case ..<65_536: bytes += [bit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default: bytes += [bit | 127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
    }
    guard let key else { return bytes + payload }
    return bytes + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
}

/// A payload in words: whole if short, else its size and a checksum.
func brief(_ payload: [UInt8]) -> String {
    guard payload.count > 64 else { return "\(payload)" }
    return
        "\(payload.count) \(payload.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 })"
}

/// What a parser says of `bytes` when they arrive in pieces of the given sizes (the last repeats).
func events(_ bytes: [UInt8], pieces: [Int] = [.max], limit: Int = 1 << 20, expectsMask: Bool = true) -> [String] {
    var parser = FrameParser(expectsMask: expectsMask, maxMessageBytes: limit)
    var told: [String] = []
    var start = 0
    var turn = 0
    while start < bytes.count {
        let count = min(max(pieces[min(turn, pieces.count - 1)], 1), bytes.count - start)
        turn += 1
        var piece = Array(bytes[start..<start + count])
        start += count
        piece.withUnsafeMutableBytes { raw in
            var input = raw
            while let event = parser.next(&input) {
                switch event {
                case .message(let payload, let isText):
                    told.append("\(isText ? "text" : "binary") \(brief(Array(payload)))")
                case .ping(let payload): told.append("ping \(brief(Array(payload)))")
                case .pong(let payload): told.append("pong \(brief(Array(payload)))")
                case .close(let code, let reason): told.append("close \(code ?? 1005) \(brief(Array(reason)))")
                case .failure(let failure): told.append("failure \(failure.closeCode)")
                }
            }
        }
    }
    return told
}

@Suite struct FrameParserTests {
    @Test func `a message, a ping between fragments, and a close are told in order`() {
        let stream =
            clientFrame(1, [72, 105]) + clientFrame(2, [1], fin: false) + clientFrame(9, [7]) + clientFrame(0, [2])
            + clientFrame(10, []) + clientFrame(8, [0x03, 0xE8, 98])
        #expect(
            events(stream) == ["text [72, 105]", "ping [7]", "binary [1, 2]", "pong []", "close 1000 [98]"])
    }

    /// However a stream is cut, the same is told of it: random streams of right and wrong frames, random cuts.
    @Test(arguments: 0..<60) func `pieces make no difference`(seed: Int) {
        var random = SeededRandom(state: UInt64(seed) &* 0x9E37_79B9)
        var stream: [UInt8] = []
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let opcode = [0, 0, 1, 1, 2, 8, 9, 10, 3].randomElement(using: &random)!
            let large = Int.random(in: 0..<30, using: &random) == 0
            let size = large ? 66_000 : [0, 1, 5, 125, 126, 300].randomElement(using: &random)!
            let payload: [UInt8] =
                Bool.random(using: &random)
                ? Array(repeating: 97, count: size) : (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
            let key = (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) }
            stream += clientFrame(UInt8(opcode), payload, fin: Int.random(in: 0..<3, using: &random) > 0, key: key)
        }
        let whole = events(stream)
        #expect(events(stream, pieces: [1]) == whole)
        for _ in 0..<5 {
            let cuts = (0..<50).map { _ in Int.random(in: 1...200, using: &random) }
            #expect(events(stream, pieces: cuts) == whole)
        }
    }

    /// No input makes it trap, and it never tells more than one end.
    @Test(arguments: 0..<50) func `noise ends in at most one failure or close`(seed: Int) {
        var random = SeededRandom(state: UInt64(seed) &+ 77)
        let noise = (0..<5_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        let told = events(noise, pieces: [Int.random(in: 1...100, using: &random)])
        let ends = told.filter { $0.hasPrefix("failure") || $0.hasPrefix("close") }
        #expect(ends.count <= 1)
        if let end = ends.first { #expect(told.last == end) }
    }

    @Test func `a message over the limit fails at its header, in one frame or several`() {
        #expect(events(clientFrame(2, Array(repeating: 0, count: 11)), limit: 10) == ["failure 1009"])
        let parts = clientFrame(2, Array(repeating: 0, count: 6), fin: false) + clientFrame(0, [0, 0, 0, 0, 0])
        #expect(events(parts, limit: 10) == ["failure 1009"])
        #expect(events(clientFrame(2, Array(repeating: 0, count: 10)), limit: 10).count == 1)
    }

    @Test func `fragments without payload are few in a message, and may be in every message`() {
        let (first, empty, last) = (clientFrame(2, [], fin: false), clientFrame(0, [], fin: false), clientFrame(0, [1]))
        let most = FrameParser.mostEmptyFragments
        let message = first + Array(repeating: empty, count: most - 1).joined() + last
        #expect(events(message + message) == ["binary [1]", "binary [1]"])
        #expect(events(first + Array(repeating: empty, count: most).joined() + last) == ["failure 1008"])
    }

    @Test func `a client expects frames without a mask`() {
        #expect(events(Frame.text("ok").bytes, expectsMask: false) == ["text [111, 107]"])
        #expect(events(clientFrame(1, [1]), expectsMask: false) == ["failure 1002"])
        #expect(events(Frame.text("no").bytes) == ["failure 1002"])
    }

    @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 100_000])
    func `a frame that is encoded is read back`(size: Int) {
        let payload = (0..<size).map { UInt8($0 % 251) }
        #expect(events(Frame.binary(payload).bytes, expectsMask: false) == ["binary \(brief(payload))"])
    }

    @Test func `the reason of a close frame is cut between characters`() {
        let frame = Frame.close(4420, String(repeating: "é", count: 100))
        #expect(frame.count == 2 + 2 + 122)
        #expect(events(frame.bytes, expectsMask: false).first?.hasPrefix("close 4420") == true)
    }
}

/// A small generator, so that a failing seed can be repeated.
struct SeededRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
