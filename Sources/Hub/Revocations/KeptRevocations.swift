import EventLoop
import Logging
import PMTiles
import RedisLink
import Settings
import Tokens
import Wire

/// Revocations and used invitations that outlive a Redis which has lost some: written to the journal before their answers are sent, and put back
/// where Redis does not know them any more. Used on the worker's loop.
final class KeptRevocations {
    private let services: WorkerServices
    private let journal: RevocationJournal
    private let waits: DiskWaits
    /// What this worker has written, as a command or an attempt that is repeated is answered from Redis. Of many the latest are known.
    private var written = RecentlyUsed<String, Void>(most: 1000)
    private var isPutBackTroubled = false
    /// The day on which old files were deleted last.
    private var tidied: Int64 = 0

    private enum State {
        /// The journal is being read.
        case reading
        /// Redis is being asked what it has of it.
        case comparing
        case puttingBack
        /// Redis has all of it.
        case done
    }

    private struct Unseen: Sendable {
        let revoked: RevocationJournal.Revoked
        var isOwnSeen = false
        var areOthersSeen: Bool

        init(_ revoked: RevocationJournal.Revoked) {
            self.revoked = revoked
            areOthersSeen = revoked.othersBefore == nil
        }

        /// Redis has this one of it, or a later one.
        mutating func see(_ one: TokenRevocation) {
            if one.isOfOthers {
                if revoked.othersBefore ?? 0 <= one.before { areOthersSeen = true }
            } else if revoked.before <= one.before {
                isOwnSeen = true
            }
        }
    }

    private var state = State.reading
    /// Counts connections to Redis: what was begun for one ends with it.
    private var run = 0
    private var hasFailed = false
    /// What Redis has not shown yet, by `<role> <subject>`.
    private var unseen: [String: Unseen] = [:]
    /// What is to be put back, the next one at the end.
    private var lost: [RevocationJournal.Revoked] = []
    private var invitations: [RevocationJournal.UsedInvitation] = []
    /// So many revocations, or invitations, were lost.
    private var found = 0

    init(_ services: WorkerServices) {
        self.services = services
        waits = DiskWaits(
            services.loop, services.log,
            trouble: "revocations can't be written to \(services.settings.data.dir)/revocations, and are in Redis only")
        journal = RevocationJournal(data: services.settings.data.dir, city: services.settings.city.id)
    }

    private var loop: EventLoop { services.loop }
    private var log: Logger { services.log }

    /// Redis has what was used and revoked, as far as this machine knows: an invitation may be accepted.
    var isPutBack: Bool { state == .done }

    // MARK: writing

    /// Calls `tell` once: when it is on the disk, when it can't be, or when that takes too long (it counts already).
    func keep(_ revoked: RevocationJournal.Revoked, _ tell: @escaping () -> Void) {
        let name = "\(revoked.role.rawValue) \(revoked.subject) \(revoked.before) \(revoked.othersBefore ?? 0)"
        keep(name, tell) { self.journal.keep(revoked, self.loop, then: $0) }
    }

    /// `tell` as for a revocation.
    func keep(_ invitation: RevocationJournal.UsedInvitation, _ tell: @escaping () -> Void) {
        keep("invitation \(invitation.id)", tell) { self.journal.keep(invitation, self.loop, then: $0) }
    }

    private func keep(_ name: String, _ tell: @escaping () -> Void, _ write: (@escaping (Bool) -> Void) -> Void) {
        guard written.use(name) == nil else { return tell() }
        let wait = waits.begin(tell)
        write { isKept in
            if isKept { self.written.keep((), as: name, size: 1) }
            self.waits.end(wait, isKept: isKept)
        }
    }

    // MARK: putting back

    /// What the journal says, made on its thread.
    private struct Journaled: Sendable {
        let content: RevocationJournal.Content
        let unseen: [String: Unseen]
        let revocations: [TokenRevocation]

        init(_ content: RevocationJournal.Content) {
            self.content = content
            unseen = content.revoked.mapValues { Unseen($0) }
            revocations = content.revoked.values.flatMap(\.revocations)
        }
    }

    /// Reads the journal for a connection to Redis that is new, and gives `take` all that it says is revoked, a portion in each turn. Then calls
    /// `then`, and Redis is to be asked what it has of it (``seen(_:)``, ``allSeen()``).
    func read(_ take: @escaping ([TokenRevocation]) -> Void, then: @escaping () -> Void) {
        run += 1
        let run = self.run
        (state, hasFailed, lost, invitations) = (.reading, false, [], [])
        let read = { (journaled: Journaled) in
            guard run == self.run else { return }
            if !journaled.content.isWhole {
                self.log.error("a file of \(self.services.settings.data.dir)/revocations can't be read")
            }
            self.unseen = journaled.unseen
            let now = EventLoop.wallClock() / 1000
            self.invitations = journaled.content.invitations.values.filter { $0.until > now }
            self.give(journaled.revocations[...], run, take, then)
        }
        journal.read(loop, { Journaled($0) }, then: read)
    }

    /// So many take a worker a millisecond.
    private static let portion = 1_000

    private func give(
        _ rest: ArraySlice<TokenRevocation>, _ run: Int, _ take: @escaping ([TokenRevocation]) -> Void,
        _ then: @escaping () -> Void
    ) {
        guard run == self.run else { return }
        take(Array(rest.prefix(Self.portion)))
        let left = rest.dropFirst(Self.portion)
        guard left.isEmpty else { return loop.inNextTurn { self.give(left, run, take, then) } }
        state = .comparing
        then()
    }

    /// Redis has these.
    func seen(_ known: [TokenRevocation]) {
        guard state == .comparing else { return }
        for one in known {
            let person = "\(one.role.rawValue) \(one.subject)"
            guard var kept = unseen[person] else { continue }
            kept.see(one)
            unseen[person] = kept.isOwnSeen && kept.areOthersSeen ? nil : kept
        }
    }

    /// Redis has been read to its end: puts back what it has not shown, one after the other.
    func allSeen() {
        guard state == .comparing else { return }
        state = .puttingBack
        // Where Redis has no room for the oldest, it has none for those after it.
        lost = unseen.values.map(\.revoked).sorted { $0.before < $1.before }
        (unseen, found) = ([:], 0)
        putBack(run)
    }

    private func putBack(_ run: Int) {
        if let one = lost.last {
            putBack(one, run)
        } else if let one = invitations.last {
            putBack(one, run)
        } else {
            state = .done
            isPutBackTroubled = false
            if found > 0 {
                log.warning(
                    "revocations or used invitations that Redis had lost count again", metadata: ["count": "\(found)"])
            }
        }
    }

    private func putBack(_ one: RevocationJournal.Revoked, _ run: Int) {
        let arguments: FunctionArguments = [
            "role": RedisArgument(one.role.rawValue), "subject": RedisArgument(one.subject),
            "before": RedisArgument(one.before), "others_before": one.othersBefore.map { RedisArgument($0) } ?? "",
        ]
        services.functions.call("office_revoke_again", arguments) { result in
            guard run == self.run else { return }
            guard case .success(let reply) = result else { return self.failed(result) }
            if reply.int == 2 { self.lost = [] } else { self.lost.removeLast() }
            if reply.int == 1 { self.found += 1 }
            self.putBack(run)
        }
    }

    private func putBack(_ one: RevocationJournal.UsedInvitation, _ run: Int) {
        let leftS = max(1, one.until - EventLoop.wallClock() / 1000)
        let mark = RedisArgument(services.keys.invitation(one.id))
        services.commands.send(["SET", mark, RedisArgument(one.attempt), "NX", "EX", RedisArgument(leftS)]) { result in
            guard run == self.run else { return }
            guard case .success(let reply) = result else { return self.failed(result) }
            self.invitations.removeLast()
            if !reply.isNull { self.found += 1 }
            self.putBack(run)
        }
    }

    private func failed(_ result: Result<RedisReply, RedisFailure>) {
        hasFailed = true
        guard case .failure(.server(let text)) = result, !isPutBackTroubled else { return }
        isPutBackTroubled = true
        log.error("revocations can't be put back into Redis, which is tried again: \(text)")
    }

    /// Each second of the machine's clock.
    func second() {
        waits.second()
        if hasFailed, services.commands.isUp {
            hasFailed = false
            putBack(run)
        }
        let today = EventLoop.wallClock() / 86_400_000
        if today != tidied {
            tidied = today
            journal.forgetOld()
        }
    }
}

extension RevocationJournal.Revoked {
    /// As a worker knows them.
    fileprivate var revocations: [TokenRevocation] {
        let own = TokenRevocation(role: role, subject: subject, before: before)
        guard let othersBefore else { return [own] }
        return [own, TokenRevocation(role: role, subject: subject, before: othersBefore, isOfOthers: true)]
    }
}
