import DequeModule

/// The pushes that a sender holds: in which order they came, whose they are, which wait for their next attempt, and
/// whose turn it is at each service. It decides only: ``PushSender`` reads, asks and sends.
struct PushBacklog {
    /// There is room for all that the stream has (waking.lua), 30 MB, so a service that is away holds up no other. The
    /// oldest make room for new ones, and of one person's each for the latest.
    static let mostHeld = 10_000
    static let mostOfPerson = 20
    /// What is under way to one service: what waits for that has neither a connection nor a time-out yet.
    static let mostSent = 32

    /// Whose channel it is, as long as there is something for it.
    private struct Person {
        let subject = Subject()
        /// In the order in which they came.
        var ids: Deque<String> = []
    }

    /// Who takes turns: its identity, nothing else.
    private final class Subject {}

    /// What to do of a push next.
    enum Step: Equatable {
        /// Nothing: it has been taken out.
        case isOver
        /// Nothing yet: all that are left have put it off.
        case waits
        /// It is sent to these endpoints.
        case goes(Set<String>)
    }

    private let mostHeld: Int
    /// How often it was begun anew: what was asked before counts no more.
    private(set) var term = 0
    /// By the ids of their entries.
    private var jobs: [String: PushJob] = [:]
    /// The ids in the order in which they came, of some that are done, too.
    private var order: Deque<String> = []
    /// By their channels.
    private var people: [String: Person] = [:]
    /// Those that wait for their next attempt: when, ms of the loop.
    private var waiting: [String: UInt64] = [:]
    /// By services.
    private var turns: [String: SubjectTurns] = [:]

    init(mostHeld: Int = PushBacklog.mostHeld) { self.mostHeld = mostHeld }

    subscript(id: String) -> PushJob? { jobs[id] }

    /// Forgets all pushes. What is under way is so still, and counts at its service.
    mutating func beginAnew() {
        term += 1
        jobs = [:]
        order = []
        people = [:]
        waiting = [:]
    }

    // MARK: what is held

    /// Takes a push in that is not held. Answers what has made room for it: of the same person, and of all.
    mutating func add(_ job: PushJob) -> (ofPerson: String?, ofAll: [String]) {
        jobs[job.id] = job
        order.append(job.id)
        people[job.channel, default: Person()].ids.append(job.id)
        var made: (ofPerson: String?, ofAll: [String]) = (nil, [])
        if let ids = people[job.channel]?.ids, ids.count > Self.mostOfPerson {
            made.ofPerson = ids[0]
        }
        if let id = made.ofPerson { remove(id) }
        while jobs.count > mostHeld {
            let oldest = order.removeFirst()
            if remove(oldest) { made.ofAll.append(oldest) }
        }
        if order.count > 2 * mostHeld { order.removeAll { jobs[$0] == nil } }
        return made
    }

    /// Whether it was held.
    @discardableResult
    mutating func remove(_ id: String) -> Bool {
        waiting[id] = nil
        guard let channel = jobs.removeValue(forKey: id)?.channel else { return false }
        people[channel]?.ids.removeAll { $0 == id }
        if people[channel]?.ids.isEmpty == true { people[channel] = nil }
        return true
    }

    mutating func wait(for id: String, until at: UInt64) {
        if jobs[id] != nil { waiting[id] = at }
    }

    /// Those whose next attempt is due; they wait no more. now: ms of the loop.
    mutating func takeDue(at now: UInt64) -> [String] {
        let due = waiting.filter { $0.value <= now }.keys.sorted()
        for id in due { waiting[id] = nil }
        return due
    }

    // MARK: attempts

    /// An attempt to send a push that is held to those of its person's endpoints that need it. now: ms of the loop.
    mutating func begin(_ id: String, to endpoints: [String], now: UInt64) -> Step {
        guard let job = jobs[id] else { return .isOver }
        let open = endpoints.filter { !job.done.contains($0) }
        guard !open.isEmpty else {
            remove(id)
            return .isOver
        }
        let targets = open.filter { job.due[$0] ?? 0 <= now }
        guard !targets.isEmpty else { return .waits }
        jobs[id]?.attempts += 1
        return .goes(Set(targets))
    }

    /// The turns at a service, and the subject of a push there: of one person one is under way to it at a time.
    mutating func turn(of id: String, at service: String) -> (turns: SubjectTurns, subject: AnyObject)? {
        guard let job = jobs[id], let person = people[job.channel] else { return nil }
        let known = turns[service] ?? SubjectTurns(most: Self.mostSent, mostOfSubject: .max)
        turns[service] = known
        return (known, person.subject)
    }

    /// An endpoint has been asked. again: when it may be asked once more, ms of the loop; nil: it needs it no more.
    mutating func answered(_ id: String, _ endpoint: String, again: UInt64?) {
        jobs[id]?.due[endpoint] = again
        if again == nil { jobs[id]?.done.insert(endpoint) }
    }

    /// All who were to be asked have answered: it waits for the first that has put it off. True: none has, and it has
    /// been taken out.
    mutating func finish(_ id: String) -> Bool {
        guard let job = jobs[id] else { return false }
        guard let due = job.due.values.min() else { return remove(id) }
        waiting[id] = due
        return false
    }
}
