/// The lines of a file that is read piece by piece. One that is longer than ``mostBytes`` is left out: nobody has written it, and it would have to
/// be held as a whole.
struct PieceLines {
    static let mostBytes = 65_536

    private var begun: [UInt8] = []
    private var isTooLong = false

    /// Calls `body` with each line that ends in this piece, without its end; not with empty ones.
    mutating func add(_ piece: ArraySlice<UInt8>, _ body: ([UInt8]) -> Void) {
        var rest = piece
        while let end = rest.firstIndex(of: 10) {
            hold(rest[rest.startIndex..<end])
            give(body)
            rest = rest[(end + 1)...]
        }
        hold(rest)
    }

    /// The file ends here: calls `body` with its last line, if that is not empty and has no end.
    mutating func end(_ body: ([UInt8]) -> Void) { give(body) }

    private mutating func hold(_ part: ArraySlice<UInt8>) {
        guard !isTooLong else { return }
        if begun.count + part.count > Self.mostBytes {
            isTooLong = true
            begun = []
        } else {
            begun.append(contentsOf: part)
        }
    }

    private mutating func give(_ body: ([UInt8]) -> Void) {
        if !begun.isEmpty { body(begun) }
        begun.removeAll(keepingCapacity: true)
        isTooLong = false
    }
}
