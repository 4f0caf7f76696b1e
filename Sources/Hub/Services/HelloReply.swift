import Domain
import RedisLink
import Wire

/// What the function `session_hello` answers: where a channel stands, what a reader missed, and how things are now.
struct HelloReply {
    enum Mode: String {
        /// It had seen nothing before: the snapshot tells it how things are.
        case fresh
        /// Every event since the one that it saw last is in `entries`.
        case resumed
        /// Every event that is kept is in `entries`; the snapshot tells what may have been before.
        case oldest
        /// The history no longer reaches back: the snapshot stands in for what is missing.
        case gap
    }

    let position: String
    private(set) var mode: Mode
    /// JSON of the snapshot's `data`, as it is sent, and read.
    let snapshotBytes: [UInt8]
    let snapshot: JSONValue
    /// Of an open offer: `lat,lon` of its pickup. Of a bus driver's tour: metres along the shape (`-` unknown),
    /// the Unix second from which the times of its trip count, and if it has sent a fix, what is known of its device's
    /// clock (`DeviceClock.text`); with spaces between. Otherwise empty.
    let meta: String
    /// The last position that Redis has of the vehicle, and when it was measured, hub time in ms.
    let lastPosition: (fix: Fix, heard: Int64)?
    /// The driver's place in a queue is kept for it.
    let isLost: Bool
    private(set) var entries: [Push]
    /// How far along its way Redis has a minibus (`PathProgress.text`); empty when nobody knows.
    let along: String

    init?(_ reply: RedisReply) {
        guard let fields = reply.array, fields.count == 11, let position = fields[0].text,
            let mode = fields[1].text.flatMap(Mode.init(rawValue:)), let snapshotBytes = fields[2].bytes,
            let snapshot = try? JSONValue(parsing: snapshotBytes)
        else { return nil }
        self.position = position
        self.mode = mode
        self.snapshotBytes = snapshotBytes
        self.snapshot = snapshot
        meta = fields[3].text ?? ""
        if let lat = fields[4].double, let lon = fields[5].double, let at = fields[6].int,
            let heard = fields[7].int
        {
            lastPosition = (Fix(GeoPoint(lat: lat, lon: lon), at: at), heard)
        } else {
            lastPosition = nil
        }
        isLost = fields[8].text == "1"
        along = fields[10].text ?? ""
        entries = (fields[9].array ?? []).compactMap { Push(entry: $0, on: "") }
    }

    /// The last entry that is given, if others follow that were left out; nil: it has all.
    var lastOfSome: String? {
        guard let last = entries.last, let reached = last.position, let end = StreamPosition(position.utf8),
            reached < end
        else { return nil }
        return last.seq
    }

    /// With the others, as XRANGE answers that begins with `lastOfSome`. If that is gone, others may be: a gap.
    func completed(with rest: RedisReply) -> HelloReply {
        var whole = self
        let rest = (rest.array ?? []).compactMap { Push(entry: $0, on: "") }
        if let first = rest.first, first.seq == entries.last?.seq {
            whole.entries += rest.dropFirst()
        } else {
            whole.entries = []
            whole.mode = .gap
        }
        return whole
    }
}
