internal import CLibwebsockets
internal import Glibc

/// Gives memory that was freed back to the system, a portion in each turn of the loop.
///
/// glibc keeps what is freed below something that is not, for good. `malloc_trim` gives all of it back in one call, which holds the
/// heap's lock: 0.2 ms for each MB, and up to 10 ms for 80,000 free places between what is used. 14,000 sockets under TLS that left
/// made turns of 20 to 28 ms by it.
///
/// So the free places are taken as pieces, until the heap would have to grow for the next one. The system gets the pages of each piece
/// back. Then all pieces are freed. What stays: the page with the head of each piece, and free places that are smaller than a piece.
///
/// It works on the heap of the main thread, where a worker's loop runs, and which its other threads use, too
/// (`useOneHeap`). On a thread with a heap of its own it takes one piece of each size, and frees it.
struct FreedMemory: ~Copyable {
    /// The largest first, as less stays of them. Each with its head is whole pages. malloc maps what has 128 KiB or more if no free
    /// place is large enough.
    private static let sizes = [120 << 10, 16 << 10].map { $0 - 16 }
    /// Some 1 ms. The first piece takes up to 5 ms after 14,000 sockets: malloc sorts what was freed since.
    private static let bytesPerTurn = 4 << 20
    /// Some 0.3 ms.
    private static let freesPerTurn = 512
    private static let pageBytes = UInt(sysconf(Int32(_SC_PAGESIZE)))

    private var pieces: [UnsafeMutableRawPointer] = []
    /// The place in `sizes` of what is taken now; at their end pieces are freed.
    private var rank = sizes.count

    var isBusy: Bool { rank < Self.sizes.count || !pieces.isEmpty }

    /// Has the next calls of `giveBackSome` go through all of the heap.
    mutating func begin() {
        if !isBusy { rank = 0 }
    }

    mutating func giveBackSome() {
        if rank < Self.sizes.count { takeSome() } else { freeSome() }
    }

    private mutating func takeSome() {
        var bytes = 0
        while bytes < Self.bytesPerTurn, rank < Self.sizes.count {
            let size = Self.sizes[rank]
            let end = UInt(bitPattern: sbrk(0))
            guard let piece = malloc(size) else {
                rank = Self.sizes.count
                return
            }
            pieces.append(piece)
            bytes += size
            let start = UInt(bitPattern: piece)
            // Memory that was not there before: no free place is large enough.
            guard start < end, size <= end - start else {
                rank += 1
                continue
            }
            // glibc's head lies before the piece.
            let first = (start + Self.pageBytes - 1) & ~(Self.pageBytes - 1)
            let last = (start + UInt(size)) & ~(Self.pageBytes - 1)
            madvise(UnsafeMutableRawPointer(bitPattern: first), Int(last - first), MADV_DONTNEED)
        }
    }

    private mutating func freeSome() {
        for _ in 0..<min(Self.freesPerTurn, pieces.count) { free(pieces.removeLast()) }
        if pieces.isEmpty { pieces = [] }
    }

    deinit {
        for piece in pieces { free(piece) }
    }
}

extension WebSocketServer {
    /// Has all threads of the process use the heap of which a crowd's memory is given back. What others read for the loop (tiles of a map,
    /// records) and slow clients kept waiting stayed in heaps of theirs, 150 MB and more. To be called before there are threads.
    public static func useOneHeap() { kb_use_one_heap() }
}
