import EventLoop
import Logging
import RedisLink
import Settings
import Tokens
import Wire

/// Ends the connections that the office wants ended, and knows whose tokens it has revoked, also where Redis has lost that (``KeptRevocations``).
final class OfficeSessions: PushListener {
    let services: WorkerServices
    private let clients: Sessions
    private let kept: KeptRevocations

    init(_ services: WorkerServices, _ clients: Sessions, _ kept: KeptRevocations) {
        self.services = services
        self.clients = clients
        self.kept = kept
    }

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        guard case .office(.endSession(let role, let subject, let reason, let revoke)) = message.command else {
            return false
        }
        callForJournal(
            "office_end_session",
            [
                "operator": RedisArgument(identity.subject), "role": RedisArgument(role.rawValue),
                "subject": RedisArgument(subject), "reason": RedisArgument(reason), "revoke": revoke ? "1" : "",
                "leeway_s": RedisArgument(settings.tokens.publicKeys.isEmpty ? 0 : settings.tokens.leewayS),
                "now_s": RedisArgument(EventLoop.wallClock() / 1000), "key": RedisArgument(message.key ?? ""),
            ], hidden: ["before", "others_before"], message, session
        ) { reply, tell in
            guard let before = reply?["before"]?.integer else { return tell() }
            // It counts already. Who has asked hears so when nothing can take it back any more.
            let revoked = RevocationJournal.Revoked(
                role: role, subject: subject, before: before, othersBefore: reply?["others_before"]?.integer)
            self.kept.keep(revoked, tell)
        }
        return true
    }

    func onPublish(_ push: Push) -> Bool {
        let isAgain = push.channel == Channel.revocations
        guard isAgain || push.channel == Channel.ended else { return false }
        guard let data = try? JSONValue(parsing: push.data), let role = data["role"]?.text.flatMap(Role.init),
            let subject = data["subject"]?.text
        else { return true }
        let before = Int64(push.meta)
        if let before {
            var revoked = [TokenRevocation(role: role, subject: subject, before: before)]
            if let others = data["others_before"]?.integer {
                revoked.append(TokenRevocation(role: role, subject: subject, before: others, isOfOthers: true))
            }
            let isNew = services.revoke(revoked)
            if isAgain {
                if isNew { hasHeard = true }
                return true
            }
            sayWhenLate(role, subject, before)
        }
        clients.end(role, subject, isRevoked: before != nil, reason: data["reason"]?.text ?? "")
        return true
    }

    /// New tokens of that person do not count for a while: the office hears only that it is done.
    private func sayWhenLate(_ role: Role, _ subject: String, _ before: Int64) {
        let waitS = before - EventLoop.wallClock() / 1000
        guard waitS > Self.soonS else { return }
        log.warning(
            "a clock was ahead, and tokens may have been signed by it: new ones of who is revoked now count when that time has come",
            metadata: ["role": "\(role.rawValue)", "subject": "\(subject)", "wait_s": "\(waitS)"])
    }

    /// Clocks of machines may differ by as much, s.
    private static let soonS: Int64 = 10

    /// Before anybody's token is taken: this Redis may have lost what the journal has.
    func redisIsUp() {
        let take = { (revoked: [TokenRevocation]) in
            if self.services.revoke(revoked) { self.hasFound = true }
        }
        kept.read(take) {
            self.knowsJournal = true
            self.readRevoked()
        }
    }

    func subscriptionBack() {
        if knowsJournal { readRevoked() }
    }

    func second() {
        if hasFailed, commands.isUp { readRevoked() }
        if hasHeard {
            hasHeard = false
            // The keys are the same.
            clients.sendAwayUnaccepted(provedBy: services.verifier)
        }
        kept.second()
    }

    /// The journal was read, once at least.
    private var knowsJournal = false
    /// Another hub has put back what this worker did not know of; connections that have to leave are not looked for yet.
    private var hasHeard = false

    private static let page = 1_000
    /// So many are read twice where a page goes on within a second: who is revoked again meanwhile goes to a later one.
    private static let overlap = 100

    /// Counts how often they were read: a reading ends when another one begins.
    private var reading = 0
    /// The last reading has not come to its end.
    private var hasFailed = false
    /// A reading has found what this worker did not know of; connections that have to leave are not looked for yet.
    private var hasFound = false

    /// What was pushed before this worker heard it. Redis and the link of the subscriptions come back together, as a rule: then it is read once.
    private func readRevoked() {
        reading += 1
        hasFailed = false
        readRevoked(from: 0, reading)
    }

    /// From a second on, some of it left out: a page, and then the next one. When all are read the connections that have to leave are looked for, once.
    private func readRevoked(from second: Int64, skipped: Int = 0, _ number: Int) {
        functions.call("office_revoked", ["from": RedisArgument(second), "skipped": RedisArgument(skipped)]) { result in
            guard number == self.reading else { return }
            guard let rows = self.elements(result, of: "office_revoked") else {
                self.hasFailed = true
                return
            }
            let revoked = stride(from: 0, to: rows.count - 1, by: 2).compactMap { index in
                Self.revocation(rows[index].text ?? "", rows[index + 1].text ?? "")
            }
            if self.services.revoke(revoked) { self.hasFound = true }
            self.kept.seen(revoked)
            if rows.count >= 2 * Self.page, let last = revoked.last?.before {
                guard last == second else { return self.readRevoked(from: last, number) }
                return self.readRevoked(from: second, skipped: skipped + Self.page - Self.overlap, number)
            }
            self.services.knowsRevoked = true
            self.kept.allSeen()
            guard self.hasFound else { return }
            self.hasFound = false
            // The keys are the same.
            self.clients.sendAwayUnaccepted(provedBy: self.services.verifier)
        }
    }

    /// `<role> <subject>`, or `<role> <subject> others`, and the second.
    private static func revocation(_ member: String, _ second: String) -> TokenRevocation? {
        let words = member.utf8.split(separator: UInt8(ascii: " "))
        guard words.count >= 2, let role = Role(rawValue: String(Substring(words[0]))), let before = Double(second)
        else { return nil }
        return TokenRevocation(
            role: role, subject: String(Substring(words[1])), before: Int64(before), isOfOthers: words.count == 3)
    }
}
