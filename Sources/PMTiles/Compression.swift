internal import CZlib

/// How a part of an archive is packed, by the numbers of the format.
enum Compression: UInt8 {
    case none = 1
    case gzip = 2

    /// `what` is packed so; other ways can't be read here.
    init(_ number: UInt8, of what: String) throws(PMTilesError) {
        guard let known = Compression(rawValue: number) else {
            let names: [UInt8: String] = [0: "an unknown way", 3: "brotli", 4: "zstd"]
            throw PMTilesError("its \(what) are packed by \(names[number] ?? "way \(number)"): make it with gzip")
        }
        self = known
    }

    /// What was packed, at most `limit` bytes of it.
    func unpacked(_ bytes: [UInt8], _ what: String, limit: Int) throws(PMTilesError) -> [UInt8] {
        guard self == .gzip else { return bytes }
        // zlib packs to a thousandth at best.
        let capacity = min(limit, bytes.count * 1_100)
        var count = 0
        let plain = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
            count = kerbside_gunzip(bytes, bytes.count, buffer.baseAddress, capacity)
            filled = max(0, count)
        }
        guard count >= 0 else { throw PMTilesError("\(what) is no gzip, damaged, or larger than \(limit) bytes") }
        return plain
    }
}
