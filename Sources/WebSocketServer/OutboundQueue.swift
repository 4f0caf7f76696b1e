internal import DequeModule

/// What waits to be written to one socket: references to ready-made bytes, in order.
struct OutboundQueue {
    private var pieces: Deque<[UInt8]> = []
    /// How much of the first piece has been taken.
    private var offset = 0
    /// Bytes that wait.
    private(set) var byteCount = 0

    var isEmpty: Bool { byteCount == 0 }

    mutating func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        pieces.append(bytes)
        byteCount += bytes.count
    }

    /// Copies as much as fits to `target` and takes it off the queue. Returns how many bytes that were.
    mutating func take(into target: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        while filled < target.count, let piece = pieces.first {
            let count = min(piece.count - offset, target.count - filled)
            piece.withUnsafeBytes { bytes in
                (target.baseAddress! + filled).copyMemory(from: bytes.baseAddress! + offset, byteCount: count)
            }
            filled += count
            offset += count
            if offset == piece.count {
                pieces.removeFirst()
                offset = 0
            }
        }
        byteCount -= filled
        // An idle connection holds no queue.
        if pieces.isEmpty { pieces = [] }
        return filled
    }

    /// Drops what waits, but for the rest of a piece that has begun to go out. Returns how many bytes were dropped.
    mutating func dropWaiting() -> Int {
        let before = byteCount
        let begun = offset > 0 ? pieces.first : nil
        pieces = []
        byteCount = 0
        if let begun {
            pieces.append(begun)
            byteCount = begun.count - offset
        }
        return before - byteCount
    }
}
