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
    let mode: Mode
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
    let entries: [Push]
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
        entries = (fields[9].array ?? []).compactMap { entry in
            guard let seq = entry[0].text, let type = entry[1]["type"].text, let time = entry[1]["time"].int,
                let data = entry[1]["data"].bytes
            else { return nil }
            return Push(channel: "", seq: seq, type: type, time: time, meta: "", data: data)
        }
    }
}
