import RedisLink
import Wire

/// The drivers of a zone's queue as an operator is told them: read in pieces, as a long queue in one call would have
/// everybody wait. Who comes, goes or moves between two pieces may be missing from it, and is in it once at most.
struct QueueListing {
    /// So many are told.
    static let most = 500

    let zone: String
    /// How many have been read.
    private(set) var read = 0
    private var size: Int64 = 0
    private var drivers: Set<String> = []
    private var rows: [UInt8] = []

    init(zone: String) { self.zone = zone }

    /// Takes what `office_queue` answers: how many wait in all, then drivers, each with what is told of it. Answers whether
    /// that was the last piece; nil: it is no such answer.
    mutating func add(_ piece: [RedisReply]) -> Bool? {
        guard let size = piece.first?.int, piece.count % 2 == 1 else { return nil }
        self.size = size
        for index in stride(from: 1, to: piece.count, by: 2) {
            guard let driver = piece[index].text, let row = piece[index + 1].bytes else { return nil }
            read += 1
            guard drivers.count < Self.most, drivers.insert(driver).inserted else { continue }
            if !rows.isEmpty { rows.append(UInt8(ascii: ",")) }
            rows += Array("{\"rank\":\(drivers.count),".utf8) + row.dropFirst()
        }
        return piece.count == 1 || read >= min(Int(size), Self.most)
    }

    /// The reply of `office.queue`.
    var json: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("zone", zone)
        json.member("size", max(size, Int64(drivers.count)))
        json.member("more", size > Int64(drivers.count))
        json.endObject()
        return json.bytes.dropLast() + Array(",\"drivers\":[".utf8) + rows + Array("]}".utf8)
    }
}
