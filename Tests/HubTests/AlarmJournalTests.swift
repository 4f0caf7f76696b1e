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

    @Test func `a file that is older than is kept stays while an alarm of it is open`() throws {
        let directory = data + "/alarms/test/"
        let today = Int64(time(nil)) / 86_400
        func raised(_ id: String, at: Int64) -> String {
            #"{"sos":"\#(id)","at":\#(at),"role":"driver","subject":"T1","ride":"","text":""}"# + "\n"
        }
        func closed(_ id: String) -> String { #"{"closed":"\#(id)"}"# + "\n" }
        /// What is open, and of which days there is a file then.
        func left(_ files: [Int64: String]) throws -> ([AlarmJournal.Alarm], [Int64]) {
            var found: [AlarmJournal.Alarm] = []
            var names: [String] = []
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            for (day, text) in files {
                try text.write(toFile: directory + "\(day).jsonl", atomically: false, encoding: .utf8)
            }
            try journal { journal, loop in
                journal.forgetOld(keptDays: 30)
                journal.unclosed(keptDays: 30, loop) {
                    found = $0
                    names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
                    loop.stop()
                }
            }
            return (found, names.compactMap { Int64($0.prefix { $0 != "." }) }.sorted())
        }
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
}
