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
    /// It was said that Redis takes nothing back.
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
    /// What Redis has not shown yet, by ``RevocationJournal/Revoked/person``.
    private var unseen: [String: Unseen] = [:]
    /// All that the journal says is revoked, the latest at the end: where Redis has no room for the oldest, it has none for those before it.
    private var journaled: [RevocationJournal.Revoked] = []
    /// What is put back now, the first one first.
    private var piece: [RevocationJournal.Revoked] = []
    /// Invitations of which Redis has not been asked yet, and those whose marks it has not.
    private var unasked: [RevocationJournal.UsedInvitation] = []
    private var unmarked: [RevocationJournal.UsedInvitation] = []
    private var attempts = PutBackAttempts(most: mostPutBack)
    /// When it is gone on with after a failure, ms of the loop; nil: nothing has failed.
    private var againAt: UInt64?
    /// So many revocations, or invitations, were lost.
    private var found = 0
    /// Of whom it was said that Redis does not take it.
    private var reported: Set<String> = []

    /// At once: 1 ms of Redis.
    private static let mostPutBack = 50
    /// Marks that Redis is asked for at once.
    private static let mostAsked = 500

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
        let isWhole: Bool
        let unseen: [String: Unseen]
        /// The latest at the end.
        let ordered: [RevocationJournal.Revoked]
        let revocations: [TokenRevocation]
        /// Those whose marks Redis would keep.
        let invitations: [RevocationJournal.UsedInvitation]

        init(_ content: RevocationJournal.Content) {
            let now = EventLoop.wallClock() / 1000
            isWhole = content.isWhole
            unseen = content.revoked.mapValues { Unseen($0) }
            ordered = content.revoked.values.sorted { $0.before < $1.before }
            revocations = ordered.flatMap(\.revocations)
            invitations = content.invitations.values.filter { $0.until > now }
        }
    }

    /// Reads the journal for a connection to Redis that is new, and gives `take` all that it says is revoked, a portion in each turn. Then calls
    /// `then`, and Redis is to be asked what it has of it (``seen(_:)``, ``allSeen()``).
    func read(_ take: @escaping ([TokenRevocation]) -> Void, then: @escaping () -> Void) {
        run += 1
        let run = self.run
        state = .reading
        (unseen, journaled, piece, unasked, unmarked) = ([:], [], [], [], [])
        (attempts, againAt, found) = (PutBackAttempts(most: Self.mostPutBack), nil, 0)
        let read = { (made: Journaled) in
            guard run == self.run else { return }
            if !made.isWhole {
                self.log.error("a file of \(self.services.settings.data.dir)/revocations can't be read")
            }
            (self.unseen, self.journaled, self.unasked) = (made.unseen, made.ordered, made.invitations)
            self.give(made.revocations[...], run, take, then)
        }
        journal.read(loop, { Journaled($0) }, then: read)
    }

    /// So many take a worker a millisecond, or are looked through in a turn.
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
            let person = RevocationJournal.Revoked.person(one.role, one.subject)
            guard var kept = unseen[person] else { continue }
            kept.see(one)
            unseen[person] = kept.isOwnSeen && kept.areOthersSeen ? nil : kept
        }
    }

    /// Redis has been read to its end: puts back what it has not shown, a piece when the last one is answered.
    func allSeen() {
        guard state == .comparing else { return }
        state = .puttingBack
        putBackNext(run)
    }

    private func putBackNext(_ run: Int) {
        guard run == self.run, state == .puttingBack else { return }
        guard choose() else { return loop.inNextTurn { self.putBackNext(run) } }
        if !piece.isEmpty { return putBackRevoked(run) }
        if !unmarked.isEmpty { return putBackMarks(run) }
        if !unasked.isEmpty { return ask(run) }
        state = .done
        isPutBackTroubled = false
        if found > 0 {
            log.warning(
                "revocations or used invitations that Redis had lost count again", metadata: ["count": "\(found)"])
        }
    }

    /// Fills the next piece with revocations that Redis has not shown, the latest first. False: so many were looked through that others have their
    /// turn before it goes on.
    private func choose() -> Bool {
        guard piece.isEmpty else { return true }
        var looked = 0
        while piece.count < Self.mostPutBack, let one = journaled.popLast() {
            if unseen.removeValue(forKey: one.person) != nil { piece.append(one) }
            looked += 1
            if looked == Self.portion { return !piece.isEmpty }
        }
        return true
    }

    private func putBackRevoked(_ run: Int) {
        let count = min(piece.count, attempts.size)
        let given = piece[..<count].flatMap(\.arguments)
        services.functions.call("office_revoke_again", more: given) { result in
            guard run == self.run else { return }
            switch result {
            case .success(let reply):
                self.attempts.taken()
                self.found += Int(reply[0].int ?? 0)
                self.piece.removeFirst(count)
                // There is no room for those that are older still.
                if reply[1].int == 1 { (self.unseen, self.journaled, self.piece) = ([:], [], []) }
                self.putBackNext(run)
            case .failure(let failure):
                switch self.attempts.failed(failure, of: count) {
                case .divided: self.putBackNext(run)
                case .leftOut:
                    // Each worker that has read the journal counts it all the same.
                    self.report(self.piece.removeFirst().person, failure)
                    self.putBackNext(run)
                case .later(let waitMs): self.wait(waitMs, failure)
                }
            }
        }
    }

    /// Asks which of the next invitations' marks Redis has.
    private func ask(_ run: Int) {
        let asked = Array(unasked.suffix(Self.mostAsked))
        let marks = asked.map { RedisArgument(services.keys.invitation($0.id)) }
        services.commands.send(["MGET"] + marks) { result in
            guard run == self.run else { return }
            switch result {
            case .success(let reply):
                self.attempts.taken()
                self.unasked.removeLast(asked.count)
                self.unmarked = asked.indices.filter { reply[$0].isNull }.map { asked[$0] }
                self.putBackNext(run)
            case .failure(let failure): self.wait(self.attempts.nextWaitMs(), failure)
            }
        }
    }

    /// Sends the next marks together, each by itself, and goes on when all are answered.
    private func putBackMarks(_ run: Int) {
        let sent = Array(unmarked.suffix(Self.mostPutBack))
        unmarked.removeLast(sent.count)
        var answers = 0
        var left: [RevocationJournal.UsedInvitation] = []
        var trouble: RedisFailure?
        for one in sent {
            putBack(one) { result in
                guard run == self.run else { return }
                answers += 1
                switch result {
                case .success(let reply): if !reply.isNull { self.found += 1 }
                case .failure(let failure):
                    left.append(one)
                    trouble = failure
                }
                guard answers == sent.count else { return }
                self.unmarked += left
                if let trouble { return self.wait(self.attempts.nextWaitMs(), trouble) }
                self.attempts.taken()
                self.putBackNext(run)
            }
        }
    }

    private func putBack(_ one: RevocationJournal.UsedInvitation, _ then: @escaping RedisFunctions.Completion) {
        let leftS = max(1, one.until - EventLoop.wallClock() / 1000)
        let mark = RedisArgument(services.keys.invitation(one.id))
        services.commands.send(["SET", mark, RedisArgument(one.attempt), "NX", "EX", RedisArgument(leftS)], then)
    }

    private func wait(_ waitMs: UInt64, _ failure: RedisFailure) {
        againAt = loop.now + waitMs
        guard case .server(let text) = failure, !isPutBackTroubled else { return }
        isPutBackTroubled = true
        log.error("revocations can't be put back into Redis, which is tried again: \(text)")
    }

    /// Says once of each that Redis does not take it.
    private func report(_ person: String, _ failure: RedisFailure) {
        guard reported.insert(person).inserted else { return }
        log.error(
            "Redis does not take a revocation, which counts at this worker and is not tried again",
            metadata: ["person": "\(person)", "answer": "\(failure)"])
    }

    /// Each second of the machine's clock.
    func second() {
        waits.second()
        if let againAt, services.commands.isUp, loop.now >= againAt {
            self.againAt = nil
            putBackNext(run)
        }
        let today = EventLoop.wallClock() / 86_400_000
        if today != tidied {
            tidied = today
            journal.forgetOld()
        }
    }
}

extension RevocationJournal.Revoked {
    fileprivate static func person(_ role: Role, _ subject: String) -> String { "\(role.rawValue) \(subject)" }

    fileprivate var person: String { Self.person(role, subject) }

    /// For `office_revoke_again`.
    fileprivate var arguments: [RedisArgument] {
        [
            RedisArgument(role.rawValue), RedisArgument(subject), RedisArgument(before),
            othersBefore.map { RedisArgument($0) } ?? "",
        ]
    }

    /// As a worker knows them.
    fileprivate var revocations: [TokenRevocation] {
        let own = TokenRevocation(role: role, subject: subject, before: before)
        guard let othersBefore else { return [own] }
        return [own, TokenRevocation(role: role, subject: subject, before: othersBefore, isOfOthers: true)]
    }
}
