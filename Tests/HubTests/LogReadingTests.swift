import Records
import RedisLink
import Testing

@testable import Hub

/// Which part of the event log is recorded next, and what is missing from it.
@Suite struct LogReadingTests {
    private func entry(_ ms: Int64) -> LogReading.Entry {
        LogReading.Entry(id: EventID(ms: ms, number: 0), type: "t", time: ms, data: Array("{}".utf8))
    }

    private func reading(now: Int64 = 10_000, added: Int64, held: Int64, last: Int64, _ entries: [Int64]) -> LogReading
    {
        LogReading(
            now: now, added: added, held: held, last: EventID(ms: last, number: 0), entries: entries.map(entry))
    }

    private func cursor(_ ms: Int64, _ place: Int64) -> RecordStore.Cursor {
        .init(id: EventID(ms: ms, number: 0), place: place)
    }

    @Test func whatFollowsTheCursorIsNext() {
        let plan = reading(added: 9, held: 5, last: 30, [10, 20, 30]).plan(
            after: cursor(10, 7), isAnew: false, settleMs: 0, most: 10)
        #expect(plan.entries == [entry(20), entry(30)])
        #expect(plan.gap == nil && plan.cursor == cursor(30, 9) && plan.leftEntries == 0 && plan.leftMs == 0)
    }

    @Test func whatIsYoungWaits() {
        let plan = reading(now: 3_025, added: 9, held: 5, last: 30, [10, 20, 30]).plan(
            after: cursor(10, 7), isAnew: false, settleMs: 3_000, most: 10)
        #expect(plan.entries == [entry(20)])
        #expect(plan.cursor == cursor(20, 8) && plan.leftEntries == 1 && plan.leftMs == 2_995)
    }

    @Test func noMoreThanMayBeAtOnce() {
        let plan = reading(added: 4, held: 4, last: 40, [10, 20, 30, 40]).plan(
            after: cursor(10, 1), isAnew: false, settleMs: 0, most: 2)
        #expect(plan.cursor == cursor(30, 3) && plan.leftEntries == 1 && plan.leftMs == 9_960)
    }

    @Test func recordsThatBeginSayWhatWasBefore() {
        let whole = reading(added: 2, held: 2, last: 20, [10, 20]).plan(
            after: nil, isAnew: false, settleMs: 0, most: 10)
        #expect(whole.gap == nil && whole.cursor == cursor(20, 2))
        let part = reading(added: 50, held: 2, last: 20, [10, 20]).plan(
            after: nil, isAnew: false, settleMs: 0, most: 10)
        #expect(part.gap == .init(kind: .before, after: .zero, before: EventID(ms: 10, number: 0), lost: 48))
        #expect(part.cursor == cursor(20, 50))
    }

    @Test func whatWasTrimmedUnreadIsAGap() {
        let plan = reading(added: 100, held: 3, last: 90, [70, 80, 90]).plan(
            after: cursor(10, 60), isAnew: false, settleMs: 0, most: 10)
        #expect(
            plan.gap
                == .init(
                    kind: .trimmed, after: EventID(ms: 10, number: 0), before: EventID(ms: 70, number: 0), lost: 37))
        #expect(plan.cursor == cursor(90, 100))
    }

    @Test func whatWasTrimmedAfterItWasReadIsNone() {
        let plan = reading(added: 62, held: 2, last: 80, [70, 80]).plan(
            after: cursor(10, 60), isAnew: false, settleMs: 0, most: 10)
        #expect(plan.gap == nil && plan.cursor == cursor(80, 62))
        let empty = reading(added: 60, held: 0, last: 10, []).plan(
            after: cursor(10, 60), isAnew: false, settleMs: 0, most: 10)
        #expect(empty.gap == nil && empty.cursor == cursor(10, 60) && empty.leftEntries == 0 && !empty.mustRestart)
    }

    @Test func aGapWaitsForTheEventsAfterIt() {
        let plan = reading(now: 71, added: 100, held: 3, last: 90, [70, 80, 90]).plan(
            after: cursor(10, 60), isAnew: false, settleMs: 3_000, most: 10)
        #expect(plan.entries.isEmpty && plan.gap == nil && plan.cursor.id == EventID(ms: 10, number: 0))
    }

    @Test func aRedisThatHasLostTheEndIsFound() {
        // The cursor's entry is gone, and others of the same time are there.
        let plan = reading(added: 59, held: 59, last: 30, [20, 30]).plan(
            after: cursor(10, 60), isAnew: false, settleMs: 0, most: 10)
        #expect(plan.gap?.kind == .rewound && plan.cursor == cursor(30, 59))
    }

    @Test func anOlderRedisIsReadFromItsBeginning() {
        let older = reading(added: 5, held: 2, last: 8, [])
        #expect(older.plan(after: cursor(10, 60), isAnew: false, settleMs: 0, most: 10).mustRestart)
        let again = reading(added: 5, held: 2, last: 8, [7, 8]).plan(
            after: cursor(10, 60), isAnew: true, settleMs: 0, most: 10)
        #expect(again.gap?.kind == .rewound && again.entries.count == 2 && again.cursor == cursor(8, 5))
    }

    @Test func anEmptyRedisGoesOnWithWhatComes() {
        let empty = LogReading(now: 10_000).plan(after: cursor(10, 60), isAnew: false, settleMs: 0, most: 10)
        #expect(empty.entries.isEmpty && empty.cursor == cursor(10, 60) && !empty.mustRestart)
        let plan = reading(added: 2, held: 2, last: 30, [20, 30]).plan(
            after: cursor(10, 60), isAnew: false, settleMs: 0, most: 10)
        #expect(plan.gap?.kind == .rewound && plan.gap?.lost == nil && plan.cursor == cursor(30, 2))
    }

    /// The log's last entry is seen each time, by a clock that nobody sets.
    private func seen(_ times: (last: Int64, at: Int64)..., recorded: Int64 = 0) -> LogSightings {
        var sightings = LogSightings()
        for (last, at) in times {
            sightings.see(
                last: EventID(ms: last, number: 0), recorded: EventID(ms: recorded, number: 0), now: at)
        }
        return sightings
    }

    @Test func whatIsAheadOfAClockThatWasSetBackIsSettledBySeeingIt() {
        var ahead = reading(now: 1_000, added: 3, held: 3, last: 80_030, [80_010, 80_020, 80_030])
        let ages: [(LogSightings, [Int64])] = [
            (seen(), []), (seen((80_010, 5), (80_030, 3_004)), []), (seen((80_010, 5), (80_030, 3_005)), [80_010]),
            (seen((80_010, 5), (80_020, 6), (80_030, 3_006)), [80_010, 80_020]),
            (seen((80_030, 5), (80_030, 3_005)), [80_010, 80_020, 80_030]),
            // Redis had lost it: what has its id now is another one.
            (seen((80_030, 5), (80_020, 6), (80_030, 3_005)), []),
        ]
        for (sightings, settled) in ages {
            ahead.sightings = sightings
            let plan = ahead.plan(after: nil, isAnew: false, settleMs: 3_000, most: 10)
            #expect(plan.entries == settled.map(entry))
        }
        #expect(ahead.aheadMs == 79_030)
    }

    @Test func whatIsAheadOfAClockThatWasSetBackIsLateBySeeingIt() {
        var ahead = reading(now: 1_000, added: 3, held: 3, last: 80_030, [80_010, 80_020, 80_030])
        ahead.sightings = seen((80_020, 5), (80_030, 60_000), (80_030, 90_005), recorded: 80_010)
        #expect(ahead.oldest(cursor(80_010, 1)) == 90_000)
        let plan = ahead.plan(after: cursor(80_010, 1), isAnew: false, settleMs: 100_000, most: 10)
        #expect(plan.entries.isEmpty && plan.leftMs == 90_000)
        let next = ahead.plan(after: cursor(80_010, 1), isAnew: false, settleMs: 60_000, most: 10)
        #expect(next.entries == [entry(80_020)] && next.leftMs == 30_005)
    }

    @Test func theFirstThatIsNotRecordedIsAsOldAsItIsAndNoneIsOlder() {
        var sightings = LogSightings()
        func age(_ id: Int64) -> Int64 { sightings.age(of: EventID(ms: id, number: 0)) }
        for n in 1...2_000 as ClosedRange<Int64> {
            sightings.see(last: EventID(ms: n, number: 0), recorded: .zero, now: n * 250)
        }
        #expect(age(1) == 1_999 * 250 && age(2_000) == 0 && age(2_001) == 0)
        #expect((1...2_000).allSatisfy { age($0) <= (2_000 - $0) * 250 })
        #expect((1...1_999).allSatisfy { age($0) >= age($0 + 1) })
        sightings.see(last: EventID(ms: 2_000, number: 0), recorded: EventID(ms: 1_999, number: 0), now: 600_000)
        #expect(age(2_000) == 100_000)
    }

    @Test func aLogThatLacksWhatIsRecordedIsAnother() {
        func isAnother(first: Int64?, last: Int64, _ entries: [Int64], _ recorded: Int64) -> Bool {
            var log = reading(added: 9, held: 5, last: last, entries)
            log.first = first.map { EventID(ms: $0, number: 0) }
            return log.isAnother(than: cursor(recorded, 7))
        }
        #expect(!isAnother(first: 10, last: 30, [20, 30], 20))
        #expect(isAnother(first: 10, last: 30, [30], 20))
        #expect(isAnother(first: 10, last: 20, [], 30))
        // Its entry may have been cut off, with all others or not; and an empty log says nothing.
        #expect(!isAnother(first: 30, last: 40, [30, 40], 20))
        #expect(!isAnother(first: nil, last: 20, [], 20))
        #expect(!isAnother(first: nil, last: 0, [], 20))
    }

    @Test func anotherRecorderThatTakesNothingOfWhatThereIsDoesNotGoOn() {
        var (other, behindMs) = (OtherRecorder(), Int64(0))
        func look(_ recorded: Int64?, _ entries: [Int64], at seconds: Int64) -> RecordsMeter.Standing {
            let log = reading(now: 0, added: 9, held: 5, last: 90, entries)
            let found = other.look(log, recorded: recorded.map { cursor($0, 7) }, now: seconds * 1_000)
            behindMs = found.behindMs
            return found.standing
        }
        // With nothing to record it may be silent for long; and each entry that it takes is a sign of life.
        let alive = [look(10, [10], at: 0), look(10, [10], at: 500), look(10, [10, 20], at: 505)]
        #expect(alive == [.standby, .standby, .standby] && behindMs == 0)
        let slow = [look(10, [10, 20], at: 560), look(20, [20, 30], at: 600), look(20, [20, 30], at: 660)]
        #expect(slow == [.standby, .standby, .standby] && behindMs == 60_000)
        let idle = [look(20, [20, 30], at: 661), look(20, [20, 30], at: 700), look(30, [30, 40], at: 705)]
        #expect(idle == [.idle, .idle, .standby] && behindMs == 0)
        // It may have stopped before it recorded anything.
        let none = [look(nil, [10], at: 800), look(nil, [10], at: 861)]
        #expect(none == [.standby, .idle])
        let foreign = look(95, [], at: 900)
        #expect(foreign == .foreign)
    }

    @Test func aReadingIsTheAnswerOfRedis() async throws {
        try await TestCity.run { city in
            for n in 1...3 {
                try await city.raw(["XADD", "s", "\(n)-1", "type", "ride.x", "time", "\(n)", "data", "{}"])
            }
            try await city.raw(["XTRIM", "s", "MAXLEN", "2"])
            let read: @Sendable (String) async throws -> LogReading? = { key in
                try await city.raw(["MULTI"])
                try await city.raw(["TIME"])
                try await city.raw(["XINFO", "STREAM", key])
                try await city.raw(["XRANGE", key, "-", "+", "COUNT", "10"])
                return LogReading(try await city.raw(["EXEC"]))
            }
            let reading = try #require(try await read("s"))
            #expect(reading.added == 3 && reading.held == 2 && reading.last == EventID(ms: 3, number: 1))
            #expect(reading.entries.map(\.id.ms) == [2, 3] && reading.entries[0].type == "ride.x")
            #expect(reading.first == EventID(ms: 2, number: 1))
            // What another version writes, or a hand, keeps nothing from being read.
            try await city.raw(["XADD", "s", "4-1", "type", "x", "data", "{}"])
            #expect(try await read("s")?.entries.map(\.data) == [Array("{}".utf8), Array("{}".utf8), []])
            let none = try #require(try await read("none"))
            #expect(none.added == 0 && none.entries.isEmpty && none.now > 1_000_000)
        }
    }
}
