import EventLoop
import Wire

/// What counts no more, on the disk of this machine, besides Redis: a Redis that has lost its newest writes, or is put back from a backup, would let
/// revoked tokens count again, and used invitations be good again. A line of `<data>/revocations` (``DayJournal``) for each. All calls come on the
/// worker's loop.
final class RevocationJournal: Sendable {
    /// What `office_revoke_again` is called with.
    struct Revoked: Sendable, Equatable {
        let role: Role
        let subject: String
        /// Unix s: its tokens that were issued earlier count no more.
        let before: Int64
        /// The same for tokens of other issuers; nil: there were none.
        let othersBefore: Int64?
    }

    struct UsedInvitation: Sendable, Equatable {
        let id: String
        /// Which attempt has accepted it (``Acceptance/text``).
        let attempt: String
        /// Unix s: so long Redis keeps it.
        let until: Int64
    }

    struct Content: Sendable {
        /// By `<role> <subject>`, the latest of each.
        var revoked: [String: Revoked] = [:]
        /// By id.
        var invitations: [String: UsedInvitation] = [:]
        /// False: a file could not be read.
        var isWhole = true
    }

    private let files: DayJournal
    private let mostBytes: Int

    /// - Parameters:
    ///   - data: the data directory.
    ///   - mostBytes: beyond so many, in all, the oldest files go. None goes by its age, as in Redis (office_sessions.lua): a clock that is ahead
    ///     would decide that for good. The default holds the 400,000 revocations of Redis, also with the longest names.
    init(data: String, city: String, mostBytes: Int = 64 << 20) {
        files = DayJournal(data: data, name: "revocations", city: city, mostRead: mostBytes)
        self.mostBytes = mostBytes
    }

    /// Calls `then` on the loop when it is on the disk, with false when it can't be written.
    func keep(_ revoked: Revoked, _ loop: EventLoop, then: @escaping (Bool) -> Void) {
        var json = JSONWriter()
        json.beginObject()
        json.member("role", revoked.role.rawValue)
        json.member("subject", revoked.subject)
        json.member("before", revoked.before)
        if let others = revoked.othersBefore { json.member("others", others) }
        json.endObject()
        files.append(json, loop, then: then)
    }

    /// `then` as for a revocation.
    func keep(_ invitation: UsedInvitation, _ loop: EventLoop, then: @escaping (Bool) -> Void) {
        var json = JSONWriter()
        json.beginObject()
        json.member("invitation", invitation.id)
        json.member("attempt", invitation.attempt)
        json.member("until", invitation.until)
        json.endObject()
        files.append(json, loop, then: then)
    }

    /// Deletes the oldest files beyond `mostBytes`, but never the newest one. Once a day.
    func forgetOld() { files.perform { [self] in _ = daysLeft() } }

    /// Deletes the same, and calls `then` on the loop with what `make` makes of what is left, on the journal's thread: with 400,000 revocations
    /// either takes a second or so.
    func read<Made: Sendable>(
        _ loop: EventLoop, _ make: @escaping @Sendable (Content) -> Made, then: @escaping (Made) -> Void
    ) {
        files.find(loop, { [self] _ in make(content(of: daysLeft())) }, then: then)
    }

    private func daysLeft() -> [Int64] {
        var (left, bytes): ([Int64], Int) = ([], 0)
        for day in files.days.reversed() {
            if bytes < mostBytes {
                left.append(day)
                bytes += files.size(of: day)
            } else {
                files.remove(day)
            }
        }
        return left
    }

    private func content(of days: [Int64]) -> Content {
        var content = Content()
        for day in days {
            let isRead = files.forEachLine(of: day) { json in
                if let revoked = Revoked(json) {
                    let person = "\(revoked.role.rawValue) \(revoked.subject)"
                    content.revoked[person] = revoked.joined(with: content.revoked[person])
                } else if let invitation = UsedInvitation(json) {
                    content.invitations[invitation.id] = invitation
                }
            }
            if !isRead { content.isWhole = false }
        }
        return content
    }
}

extension RevocationJournal.Revoked {
    /// The later second of each.
    fileprivate func joined(with other: Self?) -> Self {
        guard let other else { return self }
        let others = [othersBefore, other.othersBefore].compactMap { $0 }.max()
        return Self(role: role, subject: subject, before: max(before, other.before), othersBefore: others)
    }

    fileprivate init?(_ json: JSONValue) {
        guard let role = json["role"]?.text.flatMap(Role.init), let subject = json["subject"]?.text,
            let before = json["before"]?.integer
        else { return nil }
        self.init(role: role, subject: subject, before: before, othersBefore: json["others"]?.integer)
    }
}

extension RevocationJournal.UsedInvitation {
    fileprivate init?(_ json: JSONValue) {
        guard let id = json["invitation"]?.text, let attempt = json["attempt"]?.text,
            let until = json["until"]?.integer
        else { return nil }
        self.init(id: id, attempt: attempt, until: until)
    }
}
