/// Who is to be woken when: a heap of times. An entry that was overtaken by another one for the same client is passed
/// over when it comes up, instead of being searched for.
struct WakeQueue {
    private var heap: [(dueMs: Int64, client: Int)] = []
    /// By client: the entry that counts.
    private var due: [Int64] = []

    mutating func set(_ dueMs: Int64, for client: Int) {
        while due.count <= client { due.append(.max) }
        guard due[client] != dueMs else { return }
        due[client] = dueMs
        if dueMs < .max { push((dueMs, client)) }
    }

    /// The next client that is due by now; it has no entry any more.
    mutating func next(by nowMs: Int64) -> Int? {
        while let first = heap.first, first.dueMs <= nowMs {
            pop()
            guard due[first.client] == first.dueMs else { continue }
            due[first.client] = .max
            return first.client
        }
        return nil
    }

    private mutating func push(_ entry: (dueMs: Int64, client: Int)) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0, heap[child].dueMs < heap[(child - 1) / 2].dueMs {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func pop() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].dueMs < heap[least].dueMs {
                least = child
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
