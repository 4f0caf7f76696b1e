internal import DequeModule

/// What waits to be written to one socket: references to ready-made bytes, in order.
struct OutboundQueue {
    private var pieces: Deque<[UInt8]> = []
    /// How much of the first piece has gone out.
    private var offset = 0
    /// Bytes that wait.
    private(set) var byteCount = 0

    var isEmpty: Bool { byteCount == 0 }

    mutating func append(_ bytes: [UInt8], _ held: inout HeldBytes) {
        guard !bytes.isEmpty else { return }
        pieces.append(bytes)
        byteCount += bytes.count
        held.hold(bytes)
    }

    /// Gives the first bytes to `body`, which says how many of them went out, and takes those off: straight from a first
    /// piece with so many bytes left as `straight`, else put together in `scratch`, as far as they fit. nil from `body`
    /// takes off nothing.
    mutating func send(
        by scratch: UnsafeMutableRawBufferPointer, straight: Int, _ held: inout HeldBytes,
        _ body: (UnsafeRawBufferPointer) -> Int?
    ) -> Int? {
        let sent: Int?
        if let first = pieces.first, first.count - offset >= straight {
            sent = first.withUnsafeBytes { bytes in
                body(UnsafeRawBufferPointer(rebasing: bytes[offset...].prefix(scratch.count)))
            }
        } else {
            sent = body(UnsafeRawBufferPointer(rebasing: scratch[..<copy(to: scratch)]))
        }
        if let sent { drop(first: sent, &held) }
        return sent
    }

    /// Copies as much as fits. Returns how many bytes that were.
    func copy(to target: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        var skipped = offset
        for piece in pieces {
            let count = min(piece.count - skipped, target.count - filled)
            guard count > 0 else { break }
            piece.withUnsafeBytes { bytes in
                (target.baseAddress! + filled).copyMemory(from: bytes.baseAddress! + skipped, byteCount: count)
            }
            filled += count
            skipped = 0
        }
        return filled
    }

    /// Takes off what has gone out.
    mutating func drop(first count: Int, _ held: inout HeldBytes) {
        byteCount -= count
        offset += count
        while let piece = pieces.first, offset >= piece.count {
            offset -= piece.count
            held.release(pieces.removeFirst())
        }
        // An idle connection holds no queue.
        if pieces.isEmpty { pieces = [] }
    }

    /// Drops what waits, but for the first `committed` bytes and the rest of a piece that has begun to go out. Returns how
    /// many bytes were dropped.
    mutating func dropWaiting(committed: Int = 0, _ held: inout HeldBytes) -> Int {
        let before = byteCount
        var kept = 0
        var bytes = 0
        for piece in pieces {
            guard kept == 0 ? offset > 0 || committed > 0 : bytes - offset < committed else { break }
            kept += 1
            bytes += piece.count
        }
        while pieces.count > kept { held.release(pieces.removeLast()) }
        byteCount = kept > 0 ? bytes - offset : 0
        if pieces.isEmpty { pieces = [] }
        return before - byteCount
    }

    /// Drops all, when the socket is gone.
    mutating func removeAll(_ held: inout HeldBytes) {
        for piece in pieces { held.release(piece) }
        self = OutboundQueue()
    }
}
