internal import Glibc

/// Bytes that are collected piece by piece. What was taken is freed by `freeIfTaken`, so that an idle owner holds none.
///
/// Memory grows with what has arrived, not with what was announced.
struct GrowingBytes: ~Copyable {
    private var memory: UnsafeMutableRawPointer?
    private(set) var capacity = 0
    private var isTaken = false
    private(set) var count = 0

    deinit { Glibc.free(memory) }

    /// `last`: how many bytes can still come, so that the last growth is not more than needed.
    mutating func append(_ bytes: UnsafeRawBufferPointer, last: Int) {
        freeIfTaken()
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        let needed = count + bytes.count
        if needed > capacity {
            // Doubled, or a message in many fragments would be copied once for each.
            capacity = min(max(needed, 2 * capacity, 128), needed + last)
            memory = realloc(memory, capacity)
        }
        (memory! + count).copyMemory(from: source, byteCount: bytes.count)
        count = needed
    }

    /// What was collected, valid until the next call of anything; the collection starts anew.
    mutating func take() -> UnsafeRawBufferPointer {
        defer {
            isTaken = true
            count = 0
        }
        return UnsafeRawBufferPointer(start: memory, count: count)
    }

    mutating func freeIfTaken() {
        if isTaken { free() }
    }

    mutating func free() {
        Glibc.free(memory)
        memory = nil
        capacity = 0
        count = 0
        isTaken = false
    }
}
