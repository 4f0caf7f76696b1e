import ClientSupport
import Wire

/// What buses and citizens did and were told, counted.
struct BusTally {
    private(set) var toursStarted = 0
    private(set) var toursEnded = 0
    private(set) var toursRefused = 0
    private(set) var seatsSet = 0
    private(set) var changesTold = 0
    private(set) var requests = 0
    private(set) var prompts = 0
    private(set) var answers: [StopAnswer: Int] = [:]
    private(set) var noShowsRefused = 0
    private(set) var acceptancesTold = 0
    private(set) var outcomes: [StopOutcome: Int] = [:]
    /// Requests that ended where the bus was: completed, or nobody came; and those whose citizen was told that it was there.
    private(set) var served = 0
    private(set) var servedAfterArrival = 0
    private(set) var fixesSent = 0
    private(set) var fixesSeen = 0
    /// From a fix' sending to its arrival at each reader of the line.
    private(set) var timeToSeen = Latency()

    private struct Fix: Hashable {
        let bus: String
        let atMs: Int64
    }

    private var sentUs: [Fix: Int64] = [:]

    mutating func take(_ note: BusNote, atUs nowUs: Int64) {
        switch note {
        case .tourStarted: toursStarted += 1
        case .tourEnded: toursEnded += 1
        case .tourRefused: toursRefused += 1
        case .fixSent(let bus, let atMs):
            fixesSent += 1
            sentUs[Fix(bus: bus, atMs: atMs)] = nowUs
        case .fixSeen(let bus, let atMs):
            fixesSeen += 1
            if let sent = sentUs[Fix(bus: bus, atMs: atMs)] { timeToSeen.record(nowUs - sent) }
        case .seatsSet: seatsSet += 1
        case .changeTold: changesTold += 1
        case .requestSent: requests += 1
        case .prompted: prompts += 1
        case .answered(let answer): answers[answer, default: 0] += 1
        case .noShowRefused: noShowsRefused += 1
        case .acceptTold: acceptancesTold += 1
        case .outcome(let outcome, let wasThere):
            outcomes[outcome, default: 0] += 1
            guard outcome == .completed || outcome == .noShow else { return }
            served += 1
            if wasThere { servedAfterArrival += 1 }
        }
    }
}
