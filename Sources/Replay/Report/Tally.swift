import ClientSupport
import Wire

/// What the clients did and were told, counted.
struct Tally {
    private(set) var requests = 0
    private(set) var offers = 0
    private(set) var offersIgnored = 0
    private(set) var declines = 0
    private(set) var accepts = 0
    /// Passengers told that a taxi comes; a ride that was given back counts again.
    private(set) var acceptancesTold = 0
    private(set) var outcomes: [RideOutcome: Int] = [:]
    private(set) var alerts500 = 0
    private(set) var alerts20 = 0
    private(set) var rankMoves = 0
    private(set) var fixesRecorded = 0
    private(set) var fixesInterpolated = 0
    private(set) var linksLost: [UInt16: Int] = [:]
    private(set) var linksCut = 0
    private(set) var returns = 0
    private(set) var events = 0
    private(set) var states = 0
    private(set) var gaps = 0
    /// Drivers whom the office has blocked.
    private(set) var blocks = 0
    private(set) var refusals: [ErrorCode: Int] = [:]
    private(set) var unreadable: [String] = []
    /// From the request's sending to its first offer's arrival at a driver.
    private(set) var timeToOffer = Latency()
    /// From the acceptance's sending to its arrival at the passenger.
    private(set) var timeToTold = Latency()

    private(set) var etas = ETATally()
    private(set) var buses = BusTally()
    private(set) var seats = SeatTally()
    private(set) var reservations = ReservationTally()

    private var requestSentUs: [String: Int64] = [:]
    private var requestSentOfRide: [String: Int64] = [:]
    private var offerShownUs: [String: Int64] = [:]
    private var acceptSentUs: [String: Int64] = [:]

    var ended: Int { outcomes[.ended] ?? 0 }

    mutating func take(_ note: ClientNote, atUs nowUs: Int64) {
        switch note {
        case .requestSent(let subject):
            requests += 1
            requestSentUs[subject] = nowUs
        case .requestKnown(let subject, let ride): knows(ride, of: subject)
        case .offerShown(let ride): shown(ride, nowUs)
        case .offerIgnored: offersIgnored += 1
        case .declineSent: declines += 1
        case .acceptSent(let ride):
            accepts += 1
            acceptSentUs[ride] = nowUs
        case .acceptTold(let ride):
            acceptancesTold += 1
            if let sent = acceptSentUs.removeValue(forKey: ride) { timeToTold.record(nowUs - sent) }
        case .outcome(let outcome): outcomes[outcome, default: 0] += 1
        case .setOut(let isRecorded): etas.setOut(isRecorded: isRecorded)
        case .etaTold(let eta): etas.told(eta)
        case .arrived(let ride, let taxi, let atMs, let isRecorded):
            etas.arrived(ride: ride, taxi: taxi, atMs: atMs, isRecorded: isRecorded)
        default: takeLinkNote(note, nowUs)
        }
    }

    private mutating func takeLinkNote(_ note: ClientNote, _ nowUs: Int64) {
        switch note {
        case .alert(let metres): if metres == 500 { alerts500 += 1 } else { alerts20 += 1 }
        case .rankMoved: rankMoves += 1
        case .fix(let isInterpolated): if isInterpolated { fixesInterpolated += 1 } else { fixesRecorded += 1 }
        case .live(let isFirst): if !isFirst { returns += 1 }
        case .linkLost(let code): linksLost[code, default: 0] += 1
        case .linkCut: linksCut += 1
        case .event: events += 1
        case .state: states += 1
        case .gap: gaps += 1
        case .refused(let code): refusals[code, default: 0] += 1
        case .unreadable(let text): unreadable.append(text)
        case .blocked: blocks += 1
        case .bus(let note): buses.take(note, atUs: nowUs)
        case .seat(let note): seats.take(note)
        case .reservation(let note): reservations.take(note)
        default: break
        }
    }

    private mutating func shown(_ ride: String, _ nowUs: Int64) {
        offers += 1
        guard offerShownUs[ride] == nil else { return }
        offerShownUs[ride] = nowUs
        if let sent = requestSentOfRide[ride] { timeToOffer.record(nowUs - sent) }
    }

    /// The driver may see the offer before the passenger learns the ride's name.
    private mutating func knows(_ ride: String, of subject: String) {
        guard let sent = requestSentUs.removeValue(forKey: subject) else { return }
        requestSentOfRide[ride] = sent
        if let shown = offerShownUs[ride] { timeToOffer.record(shown - sent) }
    }
}
