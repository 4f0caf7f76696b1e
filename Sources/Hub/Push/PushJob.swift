import RedisLink
import Tokens
import WebPush
import Wire

/// What is to be pushed to one person: an entry of the stream `wakings` (waking.lua).
struct PushJob {
    /// Of the entry.
    let id: String
    /// Whose it is.
    let channel: String
    /// `high` or `normal` (RFC 8030, 5.3).
    let urgency: String
    /// When the event was told, machine ms.
    let toldAt: Int64
    /// From when on it is of no use, machine ms.
    let until: Int64
    /// The event as JSON, as the person's channel has it.
    let message: [UInt8]
    /// Endpoints that need it no more.
    var done: Set<String> = []
    /// When endpoints that have put it off may be asked again, ms of the loop: the machine's clock may be set meanwhile.
    var due: [String: UInt64] = [:]
    /// How often it was tried.
    var attempts = 0

    /// What a push service takes at most is 4,096 bytes, with the encryption.
    static let mostBytes = 3072
    /// Of a larger event: what says which it is. The page has the rest when it is opened.
    private static let short = [
        "ride", "booking", "request", "reservation", "line", "at", "reason", "code", "by", "eta_s", "distance_m",
        "silent",
        "expires_at",
    ]

    /// Nil when the entry is not of that form.
    init?(_ entry: RedisReply) {
        let fields = entry[1]
        guard let id = entry[0].text, let channel = fields["channel"].text, let seq = fields["seq"].text,
            let type = fields["type"].text, let time = fields["time"].int, let until = fields["until"].int,
            let urgency = fields["urgency"].text, let data = fields["data"].bytes
        else { return nil }
        self.id = id
        toldAt = seq.split(separator: "-").first.flatMap { Int64($0) } ?? until
        self.channel = channel
        self.urgency = urgency
        self.until = until
        let whole = Encode.event(channel: channel, seq: seq, type: type, time: time, data: data)
        guard whole.count > Self.mostBytes else {
            message = whole
            return
        }
        let less = data.withUnsafeBytes { JSONMembers.only(Self.short, of: $0) }
        message = Encode.event(channel: channel, seq: seq, type: type, time: time, data: less)
        guard message.count <= Self.mostBytes else { return nil }
    }
}

/// A browser that is to be sent a job.
struct PushTarget {
    let endpoint: PushEndpoint
    let receiver: PushReceiver
    /// What Redis had of it when it was read: one that is said again has another.
    let kept: String

    /// One that counts no more. kept: as above, where the function has told it, or else empty.
    struct Gone: Equatable {
        let endpoint: String
        let kept: String
    }

    /// The answer of `push_targets`: of all whose push service may still be sent to, and that were said with a token that
    /// still counts; and the others, with nothing beside their endpoints where the function knows that.
    static func read(
        _ reply: RedisReply, services: [String], counts: (TokenStanding) -> Bool
    ) -> (good: [PushTarget], bad: [Gone]) {
        var found: (good: [PushTarget], bad: [Gone]) = ([], [])
        let flat = reply.array ?? []
        for index in stride(from: 0, to: flat.count - 1, by: 2) {
            guard let url = flat[index].text, let value = flat[index + 1].text else { continue }
            let parts = value.split(separator: " ")
            if parts.count == 6, let standing = TokenStanding(Array(parts[3...])), counts(standing),
                let endpoint = try? PushEndpoint(url, services: services),
                let receiver = try? PushReceiver(p256dh: String(parts[1]), auth: String(parts[2]))
            {
                found.good.append(PushTarget(endpoint: endpoint, receiver: receiver, kept: value))
            } else {
                found.bad.append(Gone(endpoint: url, kept: value))
            }
        }
        return found
    }
}
