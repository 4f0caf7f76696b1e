// Looks for input whose cost grows faster than its length. `tools/fuzz` compiles it with the readers of strangers' bytes as
// one module. The fuzzer makes a pattern; here it is repeated to 1 KiB and to 16 KiB, fed to each reader in pieces of a size
// that the first byte says, and the CPU time of a byte is compared. What is linear costs the same in both, what is
// quadratic 16 times as much. One head of HTTP is not to be dear either, however its cost grows.

import Glibc

private let (short, long) = (1_024, 16_384)
/// Between the two. A table that no longer fits into a cache costs some times more.
private let worstRatio = 4.0
/// So many short inputs, each longer by one pattern. In one of them the last pattern ends in the middle of a value, which
/// is refused at once, and in another it does not: the dearest counts.
private let endings = 4
/// Less is noise, seconds.
private let noise = 0.004
/// How many times what a plain head costs a head of the same length may.
private let dearest = 16.0

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    guard count >= 2 else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    let piece = [1, 3, 64, 1_500, long][Int(bytes[0]) % 5]
    let pattern = Array(bytes.dropFirst().prefix(512))
    for reader in Reader.all {
        check(reader, pattern, piece)
        if reader.isHead { checkPrice(reader, pattern) }
    }
    return 0
}

/// One who reads what strangers send: what stands around the repeated pattern, and how it is read.
private struct Reader: Sendable {
    let name: String
    var before = ""
    var after = ""
    /// One head, but for what the pattern makes of it.
    var isHead = false
    let read: @Sendable (_ input: [UInt8], _ piece: Int) -> Void

    static let all = [
        Reader(name: "HTTP", read: readHTTP),
        Reader(
            name: "HTTP headers", before: "GET / HTTP/1.1\r\nHost: x\r\n", after: "\r\n\r\n", isHead: true,
            read: readHTTP),
        Reader(
            name: "HTTP tokens", before: "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: ",
            after: "\r\n\r\n", isHead: true, read: readHTTP),
        Reader(
            name: "HTTP target", before: "GET /", after: " HTTP/1.1\r\nHost: x\r\n\r\n", isHead: true, read: readHTTP),
        Reader(name: "frames of clients") { readFrames($0, $1, expectsMask: true) },
        Reader(name: "frames of servers") { readFrames($0, $1, expectsMask: false) },
        Reader(name: "JSON", read: readJSON),
        Reader(name: "JSON array", before: "[", after: "0]", read: readJSON),
        Reader(name: "JSON object", before: #"{"cmd":"position","#, after: #""id":1}"#, read: readJSON),
        Reader(name: "JSON text", before: #"{"cmd":"seat.set","key":""#, after: #""}"#, read: readJSON),
        Reader(name: "JSON number", before: #"{"id":1"#, after: "}", read: readJSON),
        Reader(name: "protobuf", read: readProtobuf),
    ]
}

private func check(_ reader: Reader, _ pattern: [UInt8], _ piece: Int) {
    var shortest = (Double.infinity, Double.infinity)
    // A slow moment of the machine is not the reader's: the best of some tries counts.
    for _ in 0..<4 {
        let time = seconds(reader, pattern, long, piece)
        guard time > noise else { return }
        shortest.1 = min(shortest.1, time / Double(long))
        let dearestEnding = (0..<endings).map { ending in
            let length = short + ending * pattern.count
            return seconds(reader, pattern, length, piece) / Double(length)
        }
        shortest.0 = min(shortest.0, dearestEnding.max() ?? 0)
        guard shortest.1 > shortest.0 * worstRatio else { return }
    }
    fatalError("\(reader.name): a byte of \(long) takes \(shortest.1) s, one of \(short) \(shortest.0) s")
}

private func checkPrice(_ reader: Reader, _ pattern: [UInt8]) {
    // Several heads cost what several heads cost.
    guard !pattern.contains(10) else { return }
    var shortest = (Double.infinity, Double.infinity)
    for _ in 0..<4 {
        shortest.1 = min(shortest.1, seconds(reader, pattern, long, long))
        guard shortest.1 > noise else { return }
        shortest.0 = min(shortest.0, seconds(reader, [UInt8(ascii: "a")], long, long))
        guard shortest.1 > shortest.0 * dearest else { return }
    }
    fatalError("\(reader.name): a head of \(long) bytes takes \(shortest.1) s, a plain one \(shortest.0) s")
}

/// CPU time of reading so much of the pattern.
private func seconds(_ reader: Reader, _ pattern: [UInt8], _ count: Int, _ piece: Int) -> Double {
    var input = Array(reader.before.utf8)
    while input.count < count { input += pattern }
    input += Array(reader.after.utf8)
    let begin = now()
    reader.read(input, piece)
    return now() - begin
}

private func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
}

/// With limits so large that they don't hide how the cost grows.
@Sendable private func readHTTP(_ input: [UInt8], _ piece: Int) {
    var reader = HTTPReader(maxHeadBytes: 1 << 20, maxBodyBytes: 1 << 20)
    var start = 0
    while start < input.count {
        let end = min(start + piece, input.count)
        input[start..<end].withUnsafeBytes { reader.append($0) }
        start = end
        steps: while true {
            switch reader.next() {
            case .needsMore: break steps
            case .refused: return
            case .wantsContinue: break
            case .request(let request):
                _ = request.hasToken("upgrade", "websocket") && request.hasToken("connection", "upgrade")
                _ = (request.bearerToken, request.keepsAlive, request.isFromThisMachine)
                _ = request.tokens("sec-websocket-protocol")
            }
        }
    }
}

private func readFrames(_ input: [UInt8], _ piece: Int, expectsMask: Bool) {
    var parser = FrameParser(expectsMask: expectsMask, maxMessageBytes: 1 << 20)
    // The parser takes masks off in place.
    var input = input
    input.withUnsafeMutableBytes { bytes in
        var start = 0
        while start < bytes.count {
            let end = min(start + piece, bytes.count)
            var part = UnsafeMutableRawBufferPointer(rebasing: bytes[start..<end])
            start = end
            while let event = parser.next(&part) {
                if case .failure = event { return }
            }
        }
    }
}

@Sendable private func readJSON(_ input: [UInt8], _ piece: Int) {
    input.withUnsafeBytes { bytes in
        _ = decode(bytes)
        _ = try? JSONValue(parsing: bytes)
    }
}

@Sendable private func readProtobuf(_ input: [UInt8], _ piece: Int) {
    input.withUnsafeBytes { _ = ProtobufWire().decode($0) }
}
