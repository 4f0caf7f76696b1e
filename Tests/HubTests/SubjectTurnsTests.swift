import Domain
import Testing
import WebSocketServer
import Wire

@testable import Hub

/// Costly work of many subjects: so much at once, each in its turn.
@Suite struct SubjectTurnsTests {
    private let subjects = (0..<3).map {
        Budget(
            key: "passenger:p\($0)", bucket: TokenBucket(capacity: 1, perSecond: 1), inbound: InboundRate(perSecond: 1))
    }

    @Test func `so many pieces are under way at once, one of each subject, and who has many waits for the others`() {
        let turns = SubjectTurns(most: 2, mostOfSubject: 4)
        var (begun, ends): ([String], [() -> Void]) = ([], [])
        func add(_ subject: Int, _ name: String) -> Bool {
            turns.add(subjects[subject]) { ended in
                begun.append(name)
                ends.append(ended)
                return true
            }
        }
        for n in 0..<5 {
            let isTaken = add(0, "a\(n)")
            #expect(isTaken)
        }
        #expect(begun == ["a0"])
        let others = [add(1, "b0"), add(2, "c0"), add(0, "a5")]
        #expect(others == [true, true, false])
        #expect(begun == ["a0", "b0"])
        ends[0]()
        #expect(begun == ["a0", "b0", "c0"])
        ends[1]()
        #expect(begun == ["a0", "b0", "c0", "a1"])
        ends[2]()
        #expect(begun.count == 4)
        for n in 3..<7 { if n < ends.count { ends[n]() } }
        #expect(begun == ["a0", "b0", "c0", "a1", "a2", "a3", "a4"])
        let again = add(0, "a6")
        #expect(again && begun.last == "a6")
    }

    @Test func `a piece that does not begin gives its place to the next`() {
        let turns = SubjectTurns(most: 1, mostOfSubject: 4)
        var begun = 0
        var end: () -> Void = {}
        _ = turns.add(subjects[0]) {
            end = $0
            return true
        }
        _ = turns.add(subjects[0]) { _ in false }
        _ = turns.add(subjects[0]) { _ in false }
        _ = turns.add(subjects[1]) { _ in
            begun += 1
            return true
        }
        #expect(begun == 0)
        end()
        #expect(begun == 1)
    }

    @Test func `a piece that ends at once does, however many there are`() {
        let turns = SubjectTurns(most: 2, mostOfSubject: 100)
        var begun = 0
        for n in 0..<300 {
            _ = turns.add(subjects[n % 3]) { ended in
                begun += 1
                ended()
                return true
            }
        }
        #expect(begun == 300)
    }
}
