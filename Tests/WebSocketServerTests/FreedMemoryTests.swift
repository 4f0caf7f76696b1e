import Testing

@testable import WebSocketServer

/// On the heap of a thread of the tests; `test_floods.py` has a worker give memory back.
struct FreedMemoryTests {
    @Test func `all pieces are freed, as often as it is asked for`() {
        var memory = FreedMemory()
        var isBusy = memory.isBusy
        #expect(!isBusy, "nobody has asked")
        for _ in 0..<2 {
            memory.begin()
            isBusy = memory.isBusy
            #expect(isBusy)
            // The first takes pieces, the last frees them.
            var turns = 0
            while memory.isBusy, turns < 100_000 {
                memory.begin()
                memory.giveBackSome()
                turns += 1
            }
            #expect(turns >= 2 && turns < 100_000)
        }
    }
}
