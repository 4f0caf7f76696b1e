/// Which tiles an archive has, and where: the root, or a leaf that the root leads to.
struct TileDirectory {
    /// Some tiles in a row by their ids that are the same, as the sea; or, with a run of none, a further directory.
    struct Entry: Equatable {
        let id: UInt64
        let run: UInt32
        let length: UInt32
        /// From the begin of the section of tiles, or of leaves.
        let offset: UInt64
    }

    /// By their ids, which rise.
    let entries: [Entry]

    /// `bytes` as they are unpacked: the number of entries, and then by columns ids as differences, runs, lengths, offsets.
    init(_ bytes: [UInt8]) throws(PMTilesError) {
        var reader = VarintReader(bytes)
        let count = try reader.next()
        // Each column takes at least a byte.
        guard count <= UInt64(bytes.count) / 4 else { throw Self.damaged("it says it has \(count) entries") }
        let size = Int(count)
        var ids: [UInt64] = []
        ids.reserveCapacity(size)
        for index in 0..<size {
            let step = try reader.next()
            let (id, isTooLarge) = (ids.last ?? 0).addingReportingOverflow(step)
            guard !isTooLarge, step > 0 || index == 0 else { throw Self.damaged("the numbers of its tiles don't rise") }
            ids.append(id)
        }
        let runs = try reader.small(size, "run")
        let lengths = try reader.small(size, "length")
        var entries: [Entry] = []
        entries.reserveCapacity(size)
        for index in 0..<size {
            let code = try reader.next()
            let offset: UInt64
            if code > 0 {
                offset = code - 1
            } else {
                // It follows the one before.
                guard let last = entries.last else { throw Self.damaged("its first entry follows none") }
                let (end, isTooLarge) = last.offset.addingReportingOverflow(UInt64(last.length))
                guard !isTooLarge else { throw Self.damaged("an offset is beyond every file") }
                offset = end
            }
            guard lengths[index] > 0 else { throw Self.damaged("an entry has no bytes") }
            entries.append(Entry(id: ids[index], run: runs[index], length: lengths[index], offset: offset))
        }
        guard reader.isAtEnd else { throw Self.damaged("something follows its last entry") }
        self.entries = entries
    }

    static func damaged(_ what: String) -> PMTilesError { PMTilesError("a directory is damaged: \(what)") }

    /// The tile's entry, or that of the directory that may have it.
    func entry(of id: UInt64) -> Entry? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].id <= id { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let entry = entries[low - 1]
        return entry.run == 0 || id - entry.id < UInt64(entry.run) ? entry : nil
    }
}

/// Whole numbers of seven bits a byte, the lowest first.
private struct VarintReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    mutating func next() throws(PMTilesError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard place < bytes.count else { throw TileDirectory.damaged("it ends too early") }
            let byte = bytes[place]
            place += 1
            guard shift < 63 || byte <= 1 else { break }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw TileDirectory.damaged("a number has more than 64 bits")
    }

    mutating func small(_ count: Int, _ name: String) throws(PMTilesError) -> [UInt32] {
        var values: [UInt32] = []
        values.reserveCapacity(count)
        for _ in 0..<count {
            guard let value = UInt32(exactly: try next()) else { throw TileDirectory.damaged("a \(name) is too large") }
            values.append(value)
        }
        return values
    }
}
