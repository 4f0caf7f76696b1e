import Testing

@testable import Hub

/// What waits on a worker: whose turn it is, and how much one turn of the loop has for feeds.
@Suite struct SubjectQueueTests {
    @Test func `subjects take turns, and what is one's own comes in its order`() {
        var queue = SubjectQueue<String>()
        for n in 0..<4 { queue.append("a\(n)", of: "service:a") }
        var order = [queue.next()]
        queue.append("b0", of: "passenger:b")
        queue.append("c0", of: "passenger:c")
        queue.append("b1", of: "passenger:b")
        while !queue.isEmpty { order.append(queue.next()) }
        #expect(order == ["a0", "a1", "b0", "c0", "a2", "b1", "a3"])
        let none = queue.next()
        #expect(none == nil)
        // Who comes back has a line again.
        queue.append("b2", of: "passenger:b")
        let back = queue.next()
        #expect(back == "b2" && queue.isEmpty)
    }

    @Test func `a share of a turn ends with its time, its bytes or its feeds`() {
        let share = FeedShare(at: 1_000)
        #expect(share.isLeft(at: 1_000) && share.isLeft(at: 1_000 + FeedShare.ns - 1))
        #expect(!share.isLeft(at: 1_000 + FeedShare.ns))
        var large = share
        large.take(bytes: FeedShare.bytes - 1)
        #expect(large.isLeft(at: 1_000))
        large.take(bytes: 1)
        #expect(!large.isLeft(at: 1_000))
        var many = share
        for _ in 1..<FeedShare.feeds { many.take(bytes: 0) }
        #expect(many.isLeft(at: 1_000))
        many.take(bytes: 0)
        #expect(!many.isLeft(at: 1_000))
    }

    @Test func `what a kind of work takes of a turn is counted together, wherever in the turn it is done`() {
        var share = TurnShare()
        let atFirst = share.isLeft(at: 7)
        share.spend(TurnShare.ns - 1)
        let almost = share.isLeft(at: 7)
        share.spend(1)
        let after = share.isLeft(at: 7)
        // The next turn has all of it, whatever the one before took beyond its own.
        share.spend(5 * TurnShare.ns)
        let next = share.isLeft(at: 8)
        #expect(atFirst && almost && !after && next)
    }
}
