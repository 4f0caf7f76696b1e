import Domain
import Testing
import Wire

@testable import Hub

/// Costly work of many subjects: so much at once, each in its turn.
@Suite struct SubjectTurnsTests {
    private let subjects = (0..<3).map {
        Budget(key: "passenger:p\($0)", bucket: TokenBucket(capacity: 1, perSecond: 1))
    }

    @Test func `so many pieces are under way at once, and who has many waits for the others`() {
        let turns = SubjectTurns(most: 2, mostOfSubject: 4)
        var begun: [String] = []
        func add(_ subject: Int, _ name: String) -> Bool {
            turns.add(subjects[subject]) {
                begun.append(name)
                return true
            }
        }
        for n in 0..<6 { #expect(add(0, "a\(n)")) }
        #expect(add(1, "b0"))
        #expect(add(2, "c0"))
        let tooMany = add(0, "a6")
        #expect(!tooMany)
        #expect(begun == ["a0", "a1"])
        for _ in 0..<3 { turns.ended() }
        #expect(begun == ["a0", "a1", "a2", "b0", "c0"])
        for _ in 0..<5 { turns.ended() }
        #expect(begun == ["a0", "a1", "a2", "b0", "c0", "a3", "a4", "a5"])
    }

    @Test func `a piece that does not begin gives its place to the next`() {
        let turns = SubjectTurns(most: 1, mostOfSubject: 4)
        var begun = 0
        _ = turns.add(subjects[0]) { true }
        _ = turns.add(subjects[0]) { false }
        _ = turns.add(subjects[0]) { false }
        _ = turns.add(subjects[1]) {
            begun += 1
            return true
        }
        #expect(begun == 0)
        turns.ended()
        #expect(begun == 1)
    }
}
