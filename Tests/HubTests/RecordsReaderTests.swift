import EventLoop
import Foundation
import Records
import Testing
import Wire

@testable import Hub

/// A worker that reads the records.
@Suite struct RecordsReaderTests {
    private final class Answers {
        var results: [Result<[[SQLValue]], DatabaseFailure>] = []
    }

    @Test func `who asks before the recorder has made the tables waits for them`() throws {
        let path = "/tmp/kb-reader-\(UUID().uuidString.prefix(8)).sqlite"
        defer { for end in ["", "-wal", "-shm"] { unlink(path + end) } }
        let loop = try EventLoop()
        let location = StoreLocation.sqlite(path: path)
        let reader = RecordsReader(loop, location, city: "a")
        let answers = Answers()
        let isTaken = reader.read(RecordQuery(.rides)) { answer in
            answers.results.append(answer.rows)
            loop.stop()
        }
        #expect(isTaken)
        // It looks at once, and finds no file.
        let timer = LoopTimer(loop)
        timer.start(afterMs: 100) {
            timer.close()
            try? RecordStore.recorder(location, city: "a", nowMs: 1)?.close()
        }
        loop.run()
        try #require(answers.results.count == 1)
        #expect(try answers.results[0].get() == [])
    }
}
