/// The memory of all that waits in outbound queues: bytes that many readers wait for count once. And of TLS records that have not gone out
/// whole.
///
/// So a large page that thousands ask for, or an event for a crowd of slow readers, is not taken for thousands of pages, and
/// a limit on the whole is one on memory.
struct HeldBytes {
    /// What a queue needs for one piece, beside the piece.
    private static let pieceBytes = 16

    /// Queues that hold a piece, by the place of its bytes.
    private var holders: [UInt: Int] = [:]
    private(set) var count = 0

    mutating func hold(_ bytes: [UInt8]) {
        count += Self.pieceBytes
        let place = Self.place(of: bytes)
        let others = holders[place, default: 0]
        if others == 0 { count += bytes.count }
        holders[place] = others + 1
    }

    mutating func release(_ bytes: [UInt8]) {
        count -= Self.pieceBytes
        let place = Self.place(of: bytes)
        guard let all = holders[place] else { return }
        if all > 1 {
            holders[place] = all - 1
        } else {
            holders[place] = nil
            count -= bytes.count
        }
    }

    /// Of a record that has not gone out whole OpenSSL holds a copy.
    mutating func holdRecord() { count += SocketContext.recordMemory }

    mutating func releaseRecord() { count -= SocketContext.recordMemory }

    /// What it would take to hold these bytes once more.
    func cost(of bytes: [UInt8]) -> Int {
        bytes.isEmpty ? 0 : Self.pieceBytes + (holders[Self.place(of: bytes)] == nil ? bytes.count : 0)
    }

    /// A queue holds a reference, so that nothing else gets this place meanwhile.
    private static func place(of bytes: [UInt8]) -> UInt {
        bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }
}
