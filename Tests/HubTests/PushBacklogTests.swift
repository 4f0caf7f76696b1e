import RedisLink
import Testing

@testable import Hub

extension PushJob {
    /// Of an entry of the stream, as its function writes it.
    init?(_ id: String, of channel: String, data: String = "{}") {
        let fields = [
            "channel", channel, "seq", id, "type", "offer.made", "time", "5", "until", "9", "urgency", "high", "data",
            data,
        ]
        self.init(.array([.string(Array(id.utf8)), .array(fields.map { .string(Array($0.utf8)) })]))
    }
}

/// Which pushes are held, and what is sent when.
@Suite struct PushBacklogTests {
    private func job(_ id: String, of channel: String = "passenger:a") throws -> PushJob {
        try #require(PushJob(id, of: channel))
    }

    @Test func `of one person the latest twenty are held`() throws {
        var backlog = PushBacklog(mostHeld: 30)
        for n in 1...20 {
            let made = backlog.add(try job("a\(n)"))
            #expect(made.ofPerson == nil)
        }
        let other = backlog.add(try job("b", of: "passenger:b"))
        #expect(other.ofPerson == nil)
        let made = backlog.add(try job("a21"))
        #expect(made.ofPerson == "a1" && made.ofAll == [])
        #expect(backlog["a1"] == nil && backlog["a2"] != nil && backlog["a21"] != nil && backlog["b"] != nil)
        // One that is sent makes room.
        let wasHeld = backlog.remove("a9")
        let next = backlog.add(try job("a22"))
        #expect(wasHeld && next.ofPerson == nil && backlog["a2"] != nil)
    }

    @Test func `of all the oldest that are left make room for new ones`() throws {
        var backlog = PushBacklog(mostHeld: 30)
        // However many have come and gone.
        for n in 0..<100 {
            _ = backlog.add(try job("gone\(n)", of: "passenger:\(n)"))
            backlog.remove("gone\(n)")
        }
        for n in 0..<30 {
            let made = backlog.add(try job("\(n)", of: "passenger:\(n)"))
            #expect(made.ofAll == [])
        }
        backlog.remove("0")
        backlog.remove("2")
        let made = try ["x", "y", "z", "w"].map { backlog.add(try job($0, of: "passenger:" + $0)).ofAll }
        #expect(made == [[], [], ["1"], ["3"]])
        let wasHeld = [backlog.remove("1"), backlog.remove("4")]
        #expect(wasHeld == [false, true])
    }

    @Test func `it is tried where it was put off, when that is due, and is over when nobody needs it`() throws {
        var backlog = PushBacklog(mostHeld: 30)
        _ = backlog.add(try job("1"))
        let first = backlog.begin("1", to: ["sent", "late", "later"], now: 1_000)
        #expect(first == .goes(["sent", "late", "later"]))
        backlog.answered("1", "sent", again: nil)
        backlog.answered("1", "late", again: 1_040)
        backlog.answered("1", "later", again: 1_060)
        let isOver = backlog.finish("1")
        #expect(!isOver)
        let due = [backlog.takeDue(at: 1_039), backlog.takeDue(at: 1_040), backlog.takeDue(at: 1_040)]
        #expect(due == [[], ["1"], []])
        let steps = [1_039, 1_040].map { backlog.begin("1", to: ["sent", "late", "later"], now: $0) }
        #expect(steps == [.waits, .goes(["late"])])
        #expect(backlog["1"]?.attempts == 2)
        backlog.answered("1", "late", again: nil)
        let isOverNow = backlog.finish("1")
        #expect(!isOverNow, "one is left")
        backlog.answered("1", "later", again: nil)
        let ends = [backlog.finish("1"), backlog.finish("1")]
        #expect(ends == [true, false])
        let left = backlog.takeDue(at: .max)
        #expect(backlog["1"] == nil && left == [])
    }

    @Test func `what no browser of the person needs is over`() throws {
        var backlog = PushBacklog(mostHeld: 30)
        _ = backlog.add(try job("1"))
        let step = backlog.begin("1", to: [], now: 10)
        #expect(step == .isOver && backlog["1"] == nil)
    }

    @Test func `what waits for its next attempt comes in the order of the stream, and only while it is held`()
        throws
    {
        var backlog = PushBacklog(mostHeld: 30)
        for id in ["2", "1", "3", "4"] {
            _ = backlog.add(try job(id))
            backlog.wait(for: id, until: 5)
        }
        backlog.remove("3")
        backlog.wait(for: "3", until: 5)
        backlog.wait(for: "4", until: 6)
        let due = backlog.takeDue(at: 5)
        #expect(due == ["1", "2"])
    }

    @Test func `a service is sent so many at once, and of one person one`() throws {
        var backlog = PushBacklog(mostHeld: 30)
        var (begun, ends): ([String], [() -> Void]) = ([], [])
        func begin(_ id: String, at service: String) throws {
            let turn = backlog.turn(of: id, at: service)
            let (turns, subject) = try #require(turn)
            let isTaken = turns.add(subject) { ended in
                begun.append(id + service)
                ends.append(ended)
                return true
            }
            #expect(isTaken)
        }
        for id in ["a1", "a2"] {
            _ = backlog.add(try job(id))
            try begin(id, at: "S")
            try begin(id, at: "T")
        }
        #expect(begun == ["a1S", "a1T"])
        ends[0]()
        #expect(begun == ["a1S", "a1T", "a2S"])
        for n in 1...28 {
            _ = backlog.add(try job("b\(n)", of: "passenger:b\(n)"))
            try begin("b\(n)", at: "S")
        }
        // What is under way is so, whatever is forgotten.
        backlog.beginAnew()
        for n in 1...4 {
            _ = backlog.add(try job("c\(n)", of: "passenger:c\(n)"))
            try begin("c\(n)", at: "S")
        }
        #expect(begun.filter { $0.hasSuffix("S") }.count == 33 && begun.last == "c3S")
        ends[2]()
        #expect(begun.last == "c4S")
    }

    @Test func `begun anew nothing is held, and what comes again is taken`() throws {
        var backlog = PushBacklog(mostHeld: 30)
        _ = backlog.add(try job("1"))
        backlog.wait(for: "1", until: 5)
        let term = backlog.term
        backlog.beginAnew()
        let due = backlog.takeDue(at: 5)
        let turn = backlog.turn(of: "1", at: "S")
        #expect(backlog["1"] == nil && due == [] && turn == nil && backlog.term == term + 1)
        _ = backlog.add(try job("1"))
        #expect(backlog["1"] != nil)
    }
}
