import EventLoop
import Foundation
import Glibc
import Testing

@testable import Hub

/// Alarms on the disk: which are there again when Redis has lost them.
@Suite struct AlarmJournalTests {
    private let data = FileManager.default.temporaryDirectory.path + "/kerbside-" + UUID().uuidString

    private func alarm(_ id: String, at: Int64, text: String = "", again: Int64 = 0) -> AlarmJournal.Alarm {
        .init(id: id, at: at, role: "driver", subject: "T1", ride: "", text: text, place: nil, again: again)
    }

    /// Calls `body` with a journal that reads so much of a day's file, and its loop, until somebody stops that.
    private func journal(mostRead: Int = 1 << 20, _ body: (AlarmJournal, EventLoop) -> Void) throws {
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: data) }
        let loop = try EventLoop()
        body(AlarmJournal(data: data, city: "test", mostRead: mostRead), loop)
        loop.run()
    }

    @Test func `who has said more is there once, with all of it, and who was closed is not`() throws {
        var found: [AlarmJournal.Alarm] = []
        var kept: [Bool] = []
        try journal { journal, loop in
            journal.keep(alarm("s_2", at: 2, text: "He has a knife."), loop) { kept.append($0) }
            journal.keep(alarm("s_1", at: 1), loop) { kept.append($0) }
            journal.keep(alarm("s_3", at: 3), loop) { kept.append($0) }
            journal.noteClosed("s_3", loop) { kept.append($0) }
            journal.keep(alarm("s_2", at: 4), loop) { kept.append($0) }
            journal.unclosed(keptDays: 30, loop) {
                found = $0
                loop.stop()
            }
        }
        #expect(kept == [true, true, true, true, true])
        #expect(found == [alarm("s_1", at: 1), alarm("s_2", at: 2, text: "He has a knife.")])
    }

    @Test func `who was opened again is there, in whatever order workers wrote that, and who was closed again is not`()
        throws
    {
        var found: [AlarmJournal.Alarm] = []
        try journal { journal, loop in
            for id in ["s_1", "s_2"] {
                journal.keep(alarm(id, at: 1), loop) { _ in }
                journal.keep(alarm(id, at: 2, again: 1), loop) { _ in }
                journal.noteClosed(id, loop) { _ in }
            }
            journal.noteClosed("s_2", again: 1, loop) { _ in }
            journal.unclosed(keptDays: 30, loop) {
                found = $0
                loop.stop()
            }
        }
        #expect(found == [alarm("s_1", at: 1, again: 1)])
    }

    @Test func `of a file without end its last part is read, and a line that is cut off counts for nothing`() throws {
        var found: [AlarmJournal.Alarm] = []
        try journal(mostRead: 400) { journal, loop in
            journal.keep(alarm("s_early", at: 1), loop) { _ in
                // A gigabyte that takes no place on the disk.
                let directory = data + "/alarms/test/"
                let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
                let isLong = names.map { truncate(directory + $0, 1 << 30) == 0 }
                #expect(isLong == [true])
                journal.keep(alarm("s_cut", at: 2, text: String(repeating: "x", count: 300)), loop) { _ in }
                journal.keep(alarm("s_last", at: 3), loop) { _ in }
                journal.unclosed(keptDays: 30, loop) {
                    found = $0
                    loop.stop()
                }
            }
        }
        #expect(found == [alarm("s_last", at: 3)])
    }

    /// The day, by UTC. It does not end while a test is played: one that begins in its last seconds waits for the next.
    private let today: Int64 = {
        let left = 86_400 - Int64(time(nil)) % 86_400
        if left <= 10 { sleep(UInt32(left)) }
        return Int64(time(nil)) / 86_400
    }()

    private func raised(_ id: String, at: Int64, again: Int64 = 0) -> String {
        #"{"sos":"\#(id)","at":\#(at),"role":"driver","subject":"T1","ride":"","text":"","again":\#(again)}"# + "\n"
    }

    private func closed(_ id: String, again: Int64 = 0) -> String {
        #"{"closed":"\#(id)","again":\#(again)}"# + "\n"
    }

    /// What is open of these files, by day, and of which days there is a file then.
    private func left(_ files: [Int64: String], keptDays: Int = 30) throws -> ([AlarmJournal.Alarm], [Int64]) {
        let directory = data + "/alarms/test/"
        var found: [AlarmJournal.Alarm] = []
        var names: [String] = []
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        for (day, text) in files {
            try text.write(toFile: directory + "\(day).jsonl", atomically: false, encoding: .utf8)
        }
        try journal { journal, loop in
            journal.forgetOld(keptDays: keptDays)
            journal.unclosed(keptDays: keptDays, loop) {
                found = $0
                names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
                loop.stop()
            }
        }
        return (found, names.compactMap { Int64($0.prefix { $0 != "." }) }.sorted())
    }

    @Test func `a file that is older than is kept stays while an alarm of it is open`() throws {
        let both = raised("s_1", at: 1) + raised("s_2", at: 2)
        let open = try left([100: both, 101: closed("s_1")])
        #expect(open.0 == [alarm("s_2", at: 2)])
        // Without the second one, s_1 would be open again.
        #expect(open.1 == [100, 101])
        let over = try left([100: both, 101: closed("s_1") + closed("s_2")])
        #expect(over.0.isEmpty && over.1.isEmpty)
        let young = try left([
            100: both + closed("s_1") + closed("s_2"), today - 20: raised("s_3", at: 3) + closed("s_3"),
        ])
        #expect(young.0.isEmpty)
        #expect(young.1 == [today - 20])
    }

    @Test
    func `an alarm of which no end is written is open while Redis knows whether it is, and its file goes after that`()
        throws
    {
        let most = AlarmJournal.mostOpenings
        /// Opened again so often; the end of each opening is written, but not that of the last.
        func often(_ openings: Int64) -> String {
            raised("s_1", at: 1)
                + (1...openings).map { closed("s_1", again: $0 - 1) + raised("s_1", at: 2, again: $0) }.joined()
        }
        let itself = [alarm("s_1", at: 1, again: most)]
        let young = try left([today - 28: often(most)])
        #expect(young.0 == itself)
        #expect(young.1 == [today - 28])
        // Closed on that day, it is forgotten in the course of this one.
        #expect(try left([today - 30: often(most)]).0.isEmpty)
        let old = try left([today - 32: often(most)])
        #expect(old.0.isEmpty)
        #expect(old.1.isEmpty)
        // Who has said more two days later had it open then.
        let late = try left([today - 30: often(most), today - 28: raised("s_1", at: 3, again: most)])
        #expect(late.0 == itself)
        // Redis knows for three days in any case.
        #expect(try left([today - 1: often(most)], keptDays: 1).0 == itself)
        #expect(try left([today - 3: often(most)], keptDays: 1).0.isEmpty)
        // One that was opened again less often is open, as its end would be written.
        let open = try left([today - 32: often(most - 1)])
        #expect(open.0 == [alarm("s_1", at: 1, again: most - 1)])
        #expect(open.1 == [today - 32])
    }
}
