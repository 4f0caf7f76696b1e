import EventLoop
import Foundation
import Glibc
import Testing
import Wire

@testable import Hub

/// What counts no more, on the disk: what is there again when Redis has lost it.
@Suite struct RevocationJournalTests {
    private typealias Revoked = RevocationJournal.Revoked
    private typealias UsedInvitation = RevocationJournal.UsedInvitation

    private let data = FileManager.default.temporaryDirectory.path + "/kerbside-" + UUID().uuidString
    private var directory: String { data + "/revocations/test" }

    private func revoked(_ subject: String, _ before: Int64, others: Int64? = nil) -> Revoked {
        Revoked(role: .passenger, subject: subject, before: before, othersBefore: others)
    }

    private func line(_ subject: String, _ before: Int64) -> String {
        #"{"role":"passenger","subject":"\#(subject)","before":\#(before)}"# + "\n"
    }

    /// Calls `body` with a journal of so many bytes, and its loop, until somebody stops that.
    private func journal(mostBytes: Int = 1 << 20, _ body: (RevocationJournal, EventLoop) -> Void) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: data) }
        let loop = try EventLoop()
        body(RevocationJournal(data: data, city: "test", mostBytes: mostBytes), loop)
        loop.run()
    }

    private func write(_ text: String, day: Int64) {
        do {
            try text.write(toFile: "\(directory)/\(day).jsonl", atomically: false, encoding: .utf8)
        } catch {
            Issue.record(error)
        }
    }

    private var days: [Int64] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.compactMap { Int64($0.prefix { $0 != "." }) }.sorted()
    }

    @Test
    func
        `of a person the latest revocation is there, of each kind of issuer, and of invitations which attempt has used each`()
        throws
    {
        var found = RevocationJournal.Content()
        var kept: [Bool] = []
        let invitation = UsedInvitation(id: "i1", attempt: "1796000000 k", until: 1_800_000_000)
        try journal { journal, loop in
            // Workers write in no certain order.
            journal.keep(revoked("p1", 20), loop) { kept.append($0) }
            journal.keep(revoked("p1", 10, others: 70), loop) { kept.append($0) }
            journal.keep(revoked("others", 30), loop) { kept.append($0) }
            journal.keep(invitation, loop) { kept.append($0) }
            journal.read(loop, { $0 }) {
                found = $0
                loop.stop()
            }
        }
        #expect(kept == [true, true, true, true])
        #expect(found.isWhole)
        #expect(
            found.revoked == [
                "passenger p1": revoked("p1", 20, others: 70), "passenger others": revoked("others", 30),
            ])
        #expect(found.invitations == ["i1": invitation])
    }

    @Test func `a line that was cut off counts for nothing, and the next one is whole`() throws {
        var found = RevocationJournal.Content()
        try journal { journal, loop in
            let day = Int64(time(nil)) / 86_400
            // Of p12: for p1 nothing was said.
            write(line("p0", 10) + #"{"role":"passenger","subject":"p1"#, day: day)
            journal.keep(revoked("p2", 20), loop) { _ in }
            journal.read(loop, { $0 }) {
                found = $0
                loop.stop()
            }
        }
        #expect(found.revoked == ["passenger p0": revoked("p0", 10), "passenger p2": revoked("p2", 20)])
    }

    @Test func `what is made of the journal is made while its loop goes on`() throws {
        var isMadeOnLoop = true
        try journal { journal, loop in
            journal.keep(revoked("p1", 20), loop) { _ in }
            journal.read(loop, { [loop] content in content.revoked.count == 1 && !loop.isOnLoop }) {
                isMadeOnLoop = !$0
                loop.stop()
            }
        }
        #expect(!isMadeOnLoop)
    }

    @Test func `files go by their size and not by their age, the oldest first, and the newest never`() throws {
        var found: [Set<String>] = []
        var left: [[Int64]] = []
        try journal(mostBytes: 100) { journal, loop in
            // One line has 50 bytes; a day of long ago, of now, and of a clock that was ahead.
            for (day, subject) in [(Int64(100), "p1"), (20_000, "p2"), (90_000, "p3")] {
                write(line(subject, 1_000), day: day)
            }
            journal.read(loop, { $0 }) {
                found.append(Set($0.revoked.keys))
                left.append(days)
                write(String(repeating: line("p4", 1_000), count: 20), day: 90_001)
                journal.forgetOld()
                journal.read(loop, { $0 }) {
                    found.append(Set($0.revoked.keys))
                    left.append(days)
                    loop.stop()
                }
            }
        }
        #expect(found == [["passenger p2", "passenger p3"], ["passenger p4"]])
        #expect(left == [[20_000, 90_000], [90_001]])
    }
}
