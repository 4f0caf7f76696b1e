/// How a command ended.
typealias Ending = Result<JSON, HubError>

/// A command that has no final reply yet.
final class Entry {
    /// Of its record on the device, in the order of acting; empty if it is not kept there.
    let name: String
    let command: String
    let fields: [String: JSON]
    /// Of a command that changes something.
    let key: String?
    /// When the person acted, and when it is given up.
    let at: Int
    let until: Int
    /// Of who waits for its end.
    let waiter: Int?
    /// `role:subject` of who acted, as far as it was known.
    var who: String?
    /// Whether it may be sent: what is kept is written first [O3].
    var isStored: Bool
    /// To its connection: gone with it.
    let isBound: Bool
    /// Under which it was sent on this connection.
    var ids: [Int] = []
    /// Not sent again before.
    var due = 0
    /// Refusals that may be tried again.
    var tries = 0
    /// Refused, and tried again when due.
    var isPutOff = false

    init(
        command: String, fields: [String: JSON], at: Int, until: Int, waiter: Int? = nil, name: String = "",
        key: String? = nil, who: String? = nil, isStored: Bool = true, isBound: Bool = false
    ) {
        self.name = name
        self.command = command
        self.fields = fields
        self.key = key
        self.at = at
        self.until = until
        self.waiter = waiter
        self.who = who
        self.isStored = isStored
        self.isBound = isBound
    }

    /// Whether it is on the device.
    var isKept: Bool { !name.isEmpty }

    /// `ride` of ride.cancel: commands of one family go one after the other [O4].
    var family: Substring { command.prefix { $0 != "." } }
}

/// Commands that have no final reply yet: which is sent next, what a reply means, what is tried again. Pure: `Sender` sends,
/// keeps and tells. Rules in brackets are those of ../../behaviour.md.
struct Outbox {
    typealias Ended = (entry: Entry, ending: Ending)

    private static let expired = HubError(
        code: "expired", title: "Not sent in time", detail: "There was no link, or no reply, for too long.")
    private static let notYours = HubError(
        code: "not_yours", title: "Of somebody else", detail: "Another person has logged in on this device.")
    private static let left = HubError(
        code: "left", title: "The link was lost", detail: "It belonged to a connection that has ended.")

    /// In the order of acting.
    private(set) var entries: [Entry] = []
    /// Of this connection.
    private var ids: [Int: Entry] = [:]
    private let random: Chance

    init(random: @escaping Chance) {
        self.random = random
    }

    var isFull: Bool { entries.count(where: \.isKept) >= Limits.outbox }

    mutating func add(_ entry: Entry) {
        entries.append(entry)
    }

    /// Those of before the app's start; what was done since comes behind.
    mutating func restore(_ acts: [Entry]) {
        let names = Set(entries.map(\.name))
        entries = acts.filter { !names.contains($0.name) } + entries
    }

    /// What is to be sent now.
    func ready(now: Int) -> [Entry] {
        var held: Set<Substring> = []
        return entries.filter { entry in
            let isHeld = entry.key != nil && !held.insert(entry.family).inserted
            // Further ahead than any wait: the device's clock was put back.
            let isDue = entry.due <= now || entry.due > now + Limits.longestWait
            return !isHeld && entry.isStored && isDue
        }
    }

    /// ms until to look again; nil if nothing waits for its time.
    func wait(from now: Int) -> Int? {
        let next = entries.map { $0.due > now ? min($0.due, $0.until) : $0.until }.min() ?? .max
        return next == .max ? nil : max(0, next - now)
    }

    mutating func sent(_ entry: Entry, id: Int, now: Int) {
        ids[id] = entry
        entry.ids.append(id)
        entry.isPutOff = false
        // Without a reply in time it is sent again [O5].
        entry.due = now + min(Limits.longestWait, Limits.noReply << min(entry.ids.count - 1, 10))
    }

    /// A reply. What has ended, if it has.
    mutating func reply(_ id: Int, _ ending: Ending, now: Int) -> Ended? {
        guard let entry = ids.removeValue(forKey: id), entries.contains(where: { $0 === entry }) else { return nil }
        guard case .failure(let error) = ending else { return end(entry, ending) }
        // A refusal counts if it answers the last one [O5].
        guard id == entry.ids.last else { return nil }
        guard let wait = retryOf(error, tries: entry.tries, random: random) else { return end(entry, ending) }
        entry.tries += 1
        entry.isPutOff = true
        entry.due = now + wait
        return nil
    }

    /// The connection is gone: what was not answered is sent on the next one.
    mutating func lost() -> [Ended] {
        ids = [:]
        for entry in entries {
            // A wait that the hub has asked for goes on.
            if !entry.isPutOff { entry.due = 0 }
            entry.ids = []
        }
        return endAll(Outbox.left) { $0.isBound }
    }

    /// What nobody waits for any more.
    mutating func expire(now: Int) -> [Ended] {
        endAll(Outbox.expired) { $0.until <= now }
    }

    /// `who` is connected: others' commands are not theirs to send [O7].
    mutating func belongTo(_ who: String) -> [Ended] {
        let others = endAll(Outbox.notYours) { $0.who != nil && $0.who != who }
        for entry in entries { entry.who = who }
        return others
    }

    private mutating func endAll(_ error: HubError, where ends: (Entry) -> Bool) -> [Ended] {
        entries.filter(ends).map { end($0, .failure(error)) }
    }

    private mutating func end(_ entry: Entry, _ ending: Ending) -> Ended {
        entries.removeAll { $0 === entry }
        return (entry, ending)
    }
}
