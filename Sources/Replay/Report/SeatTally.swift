/// What minibuses and their riders did and were told, counted.
struct SeatTally {
    private(set) var ways = 0
    private(set) var timesOnline = 0
    private(set) var fixesSent = 0
    private(set) var counted = 0
    private(set) var countsRefused = 0
    private(set) var booked = 0
    private(set) var prompts = 0
    private(set) var answers: [BehaviourModel.Answer: Int] = [:]
    /// Riders told that there is a seat for them.
    private(set) var confirmed = 0
    private(set) var outcomes: [SeatOutcome: Int] = [:]

    var silent: Int { answers[.silent] ?? 0 }

    mutating func take(_ note: SeatNote) {
        switch note {
        case .wayAnnounced: ways += 1
        case .online: timesOnline += 1
        case .offline: break
        case .fixSent: fixesSent += 1
        case .counted(.some): counted += 1
        case .counted(nil): countsRefused += 1
        case .booked: booked += 1
        case .prompted: prompts += 1
        case .answered(let answer): answers[answer, default: 0] += 1
        case .confirmedTold: confirmed += 1
        case .outcome(let outcome): outcomes[outcome, default: 0] += 1
        }
    }
}
