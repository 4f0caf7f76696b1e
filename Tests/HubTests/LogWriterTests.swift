import Dispatch
import Glibc
import Testing

@testable import Hub

/// Lines of the log, and who reads them.
@Suite struct LogWriterTests {
    /// A pipe, closed when it is released.
    private final class Pipe {
        let ends: [Int32]
        private var canWrite = true

        init() throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            self.ends = ends
        }

        deinit {
            close(ends[0])
            closeWriting()
        }

        func closeWriting() {
            if canWrite { close(ends[1]) }
            canWrite = false
        }

        /// All lines, as they come, until `isLast` says so of one, or nobody can write any more.
        func lines(until isLast: (String) -> Bool = { _ in false }) -> [String] {
            var (lines, part): ([String], [UInt8]) = ([], [])
            var buffer = [UInt8](repeating: 0, count: 1000)
            while true {
                let count = read(ends[0], &buffer, buffer.count)
                guard count > 0 else { return lines }
                for byte in buffer[..<count] {
                    guard byte == UInt8(ascii: "\n") else {
                        part.append(byte)
                        continue
                    }
                    lines.append(String(decoding: part, as: UTF8.self))
                    part = []
                    if isLast(lines[lines.count - 1]) { return lines }
                }
            }
        }
    }

    private static func line(_ text: String, length: Int = 0) -> [UInt8] {
        Array((text + String(repeating: " ", count: max(0, length - text.utf8.count)) + "\n").utf8)
    }

    private func write(_ text: String, _ writer: LogWriter) {
        writer.write(Self.line(text, length: 99)) { Self.line("lost \($0)") }
    }

    @Test func `who logs goes on when nobody reads, and each line comes or is counted`() throws {
        let pipe = try Pipe()
        let writer = LogWriter(pipe.ends[1], mostBytes: 10_000)
        // A pipe has room for 64 KiB.
        for number in 0..<2_000 { write("\(number)", writer) }
        var (read, lost): ([Int], Int) = ([], 0)
        let lines = pipe.lines { line in
            let words = line.split(separator: " ").compactMap { Int($0) }
            if line.hasPrefix("lost") { lost += words[0] } else { read += words }
            return read.count + lost == 2_000
        }
        #expect(lost >= 1_000 && read == read.sorted() && Set(read).count == read.count)
        #expect(lines.last?.hasPrefix("lost") == true, "after what had waited")
        // It goes on with whom reads again.
        write("more", writer)
        let next = pipe.lines { $0.hasPrefix("more") }
        #expect(next.count == 1)
    }

    @Test func `at the end of the process what waits is written`() throws {
        let pipe = try Pipe()
        let writer = LogWriter(pipe.ends[1])
        for number in 0..<30 { write("\(number)", writer) }
        writer.finish(within: .seconds(60))
        pipe.closeWriting()
        let numbers = pipe.lines().compactMap { Int($0.split(separator: " ")[0]) }
        #expect(numbers == Array(0..<30))
    }
}
