import ClientSupport
import Domain
import Wire

/// A driver and its phone: sends fixes, goes available when its script is free, answers offers by the behaviour model, drives to
/// the pickup and to the destination, and is its script's again. Pure: messages and time come in, actions come out.
struct DriverMachine {
    struct Trip: Equatable {
        enum Stage: Equatable {
            case toPickup
            /// Waits for the passenger until this hub time, then takes it as aboard.
            case atPickup(untilHubMs: Int64)
            case aboard
        }

        var ride: String
        var pickup: GeoPoint
        var destination: GeoPoint
        var stage = Stage.toPickup
        /// The hub has asked whether the passenger is aboard.
        var isAsked = false
        /// Nobody will come.
        var isNoShow = false
        /// Hub ms at which the driver gives the ride back.
        var giveBackMs: Int64?
    }

    struct Offer: Equatable {
        var ride: String
        var answer: BehaviourModel.Answer
        /// Hub ms of the tap; nil when there is none (any more).
        var answerMs: Int64?
    }

    var session: ClientSession
    var cuts: LinkCuts
    private(set) var script: DriverScript
    private(set) var trip: Trip?
    private(set) var offer: Offer?
    /// In a queue, as far as was told.
    private(set) var isQueued = false
    /// Goes available no more.
    var isRetiring = false
    /// Hub ms of the scenario's beginning; nil before it: connected, and doing nothing.
    private(set) var beginMs: Int64?
    let behaviour: BehaviourModel
    var random: SeededRandom

    var drive: Drive?
    private var upcoming: PlannedFix?
    private(set) var here: GeoPoint?
    /// The last fix, as long as it has not gone out.
    private var unsent: PlannedFix?
    private var hasSentFix = false
    private var rank: Int64?
    private var tryAvailableMs: Int64 = 0

    /// `startMs`: the real time of its first connecting.
    init(driver: TaxiScenario.Driver, behaviour: BehaviourModel, keyPrefix: String, seed: UInt64, startMs: Int64 = 0) {
        random = SeededRandom(seed: seed, part: "driver \(driver.subject)")
        session = ClientSession(
            role: "driver", subject: driver.subject, keyPrefix: keyPrefix, startMs: startMs, seed: seed)
        cuts = LinkCuts(behaviour: behaviour)
        script = driver.script
        self.behaviour = behaviour
    }

    /// The scenario begins now.
    mutating func begin(_ now: Moment) {
        beginMs = now.hubMs
        cuts.begin(afterHubMs: now.hubMs, &random)
        upcoming = script.next(after: 0)
    }

    /// Hub ms since the scenario began.
    private func offset(_ now: Moment) -> Int64 { now.hubMs - (beginMs ?? now.hubMs) }

    /// Nothing is open: no ride, no offer, no command without an answer.
    var isIdle: Bool { trip == nil && offer == nil && !session.hasPending }

    mutating func received(_ message: ServerMessage, _ now: Moment, _ out: inout [ClientAction]) {
        switch session.received(message, now, &out) {
        case .live: sendUnsent(&out)
        case .nothing, .shared, .vehicles: break
        case .ok(let command, let data): granted(command, data, now, &out)
        case .refused(let command, let code): refused(command, code, now, &out)
        case .event(let type, _, let data): happened(type, data, now, &out)
        case .state(let type, _, let data):
            if type == "queue.rank" { ranked(data.integer("rank"), &out) }
        case .snapshot(let data): adopt(data, now, &out)
        }
        decide(now, &out)
    }

    // MARK: Time

    mutating func wake(_ now: Moment, _ out: inout [ClientAction]) {
        session.wake(now, &out)
        sendFixes(now, &out)
        decide(now, &out)
        cuts.take(&session, now, &random, &out)
    }

    /// Real ms of the next thing to do.
    func dueMs(_ now: Moment) -> Int64 {
        guard let beginMs else { return session.dueMs }
        var hubDue = upcoming.map { beginMs + $0.offsetMs } ?? .max
        if let answer = offer?.answerMs { hubDue = min(hubDue, answer) }
        switch trip?.stage {
        case .toPickup: if let due = trip?.giveBackMs { hubDue = min(hubDue, due) }
        case .atPickup(let until): if !session.isPending(\.isBoarding) { hubDue = min(hubDue, until) }
        case .aboard, nil: break
        }
        return dueMs(now, atHub: hubDue)
    }

    private mutating func sendFixes(_ now: Moment, _ out: inout [ClientAction]) {
        let offset = offset(now)
        while let fix = upcoming, fix.offsetMs <= offset {
            here = fix.place
            unsent = fix
            upcoming = following(after: fix.offsetMs)
            sendUnsent(&out)
        }
    }

    /// Of the fixes that came while the link was away only the last one goes out, when the link is back.
    private mutating func sendUnsent(_ out: inout [ClientAction]) {
        guard let beginMs, let fix = unsent, session.sendPosition(fix, atMs: beginMs + fix.offsetMs, &out) else {
            return
        }
        unsent = nil
        hasSentFix = true
    }

    private mutating func following(after offsetMs: Int64) -> PlannedFix? {
        if let drive { return drive.next(after: offsetMs) }
        return script.next(after: offsetMs)
    }

    // MARK: What the driver does by itself

    /// Whatever is due by now, given what is known.
    private mutating func decide(_ now: Moment, _ out: inout [ClientAction]) {
        answerOffer(now, &out)
        driveOn(now, &out)
        guard beginMs != nil, trip == nil, offer == nil, session.isLive,
            !session.isPending({ $0 == .rides(.driverAvailable) || $0 == .rides(.driverUnavailable) })
        else { return }
        let isFree = !isRetiring && script.duty(at: offset(now)) == .free
        if isFree, !isQueued, hasSentFix, now.hubMs >= tryAvailableMs {
            session.ask(.rides(.driverAvailable), now, &out)
        }
        if !isFree, isQueued { session.ask(.rides(.driverUnavailable), now, &out) }
    }

    private mutating func answerOffer(_ now: Moment, _ out: inout [ClientAction]) {
        guard let open = offer, let due = open.answerMs, now.hubMs >= due else { return }
        offer?.answerMs = nil
        switch open.answer {
        case .accept:
            out.append(.note(.acceptSent(ride: open.ride)))
            session.ask(.rides(.offerAccept(ride: open.ride)), now, &out)
        case .decline:
            out.append(.note(.declineSent(ride: open.ride)))
            session.ask(.rides(.offerDecline(ride: open.ride)), now, &out)
        case .silent: break
        }
    }

    private mutating func driveOn(_ now: Moment, _ out: inout [ClientAction]) {
        guard let current = trip, let drive else { return }
        let hasArrived = offset(now) >= drive.arrivalMs
        switch current.stage {
        case .toPickup:
            if let due = current.giveBackMs, now.hubMs >= due {
                trip?.giveBackMs = nil
                session.ask(.rides(.rideCancel(ride: current.ride)), now, &out)
            } else if hasArrived {
                out.append(
                    .note(
                        .arrived(
                            ride: current.ride, taxi: session.subject, atMs: now.hubMs - offset(now) + drive.arrivalMs,
                            isRecorded: drive.way.isRecorded)))
                let wait = current.isAsked ? random.milliseconds(behaviour.boardingMs) : behaviour.patienceMs
                trip?.stage = .atPickup(untilHubMs: now.hubMs + wait)
            }
        case .atPickup(let until):
            guard now.hubMs >= until, !session.isPending(\.isBoarding) else { return }
            session.ask(
                current.isNoShow
                    ? .rides(.rideNoshow(ride: current.ride))
                    : .rides(.rideAboard(ride: current.ride, passengers: nil)), now, &out)
            // Asked again only if the answer leaves the ride as it is.
            trip?.stage = .atPickup(untilHubMs: now.hubMs + behaviour.patienceMs)
        case .aboard:
            if hasArrived, !session.isPending({ $0 == .rides(.rideEnd(ride: current.ride)) }) {
                session.ask(.rides(.rideEnd(ride: current.ride)), now, &out)
            }
        }
    }

    /// The run is over: who is aboard gets out here.
    mutating func endRideHere(_ now: Moment, _ out: inout [ClientAction]) {
        guard trip?.stage == .aboard, let here, trip?.destination != here else { return }
        trip?.destination = here
        drive(TimedWay(path: [here], speed: 1), now)
        decide(now, &out)
    }

    /// The run is over: out of the queue, then away.
    mutating func signOff(_ now: Moment, _ out: inout [ClientAction]) {
        isRetiring = true
        decide(now, &out)
    }

    // MARK: What the hub says

    private mutating func happened(
        _ type: String, _ data: JSONValue, _ now: Moment, _ out: inout [ClientAction]
    ) {
        let ride = data.text("ride") ?? ""
        switch type {
        case "queue.joined":
            isQueued = true
            rank = data.integer("rank")
        case "queue.left":
            isQueued = false
            tryAvailableMs = now.hubMs + 20_000
        case "offer.made": shown(ride, now, &out)
        case "offer.withdrawn": closeOffer(ride)
        case "ride.assigned": begin(data, ride, now, &out)
        case "ride.confirm_aboard":
            guard trip?.ride == ride else { return }
            trip?.isAsked = true
            if case .atPickup = trip?.stage {
                trip?.stage = .atPickup(untilHubMs: now.hubMs + random.milliseconds(behaviour.boardingMs))
            }
        case "ride.cancelled": release(ride, now)
        default: break
        }
    }

    private mutating func shown(_ ride: String, _ now: Moment, _ out: inout [ClientAction]) {
        out.append(.note(.offerShown(ride: ride)))
        session.ask(.rides(.offerSeen(ride: ride)), now, &out)
        let answer = behaviour.answer(&random)
        let tap = answer == .silent ? nil : now.hubMs + random.milliseconds(behaviour.answerMs)
        if tap == nil { out.append(.note(.offerIgnored(ride: ride))) }
        offer = Offer(ride: ride, answer: answer, answerMs: tap)
    }

    private mutating func closeOffer(_ ride: String) {
        guard offer?.ride == ride else { return }
        offer = nil
        session.forget { $0.answersOffer(of: ride) }
    }

    private mutating func ranked(_ new: Int64?, _ out: inout [ClientAction]) {
        if new != rank { out.append(.note(.rankMoved)) }
        rank = new
    }

    private mutating func granted(
        _ command: Command, _ data: JSONValue, _ now: Moment, _ out: inout [ClientAction]
    ) {
        switch command {
        case .rides(.offerAccept(let ride)): begin(data, ride, now, &out)
        case .rides(.offerDecline(let ride)): closeOffer(ride)
        case .rides(.rideAboard(let ride?, _)):
            guard trip?.ride == ride, let destination = trip?.destination else { return }
            trip?.stage = .aboard
            setOut(to: destination, .withPassenger, now, &out)
        case .rides(.rideEnd(let ride?, _)), .rides(.rideNoshow(let ride?)), .rides(.rideCancel(let ride?)):
            release(ride, now)
        case .rides(.driverAvailable): tryAvailableMs = now.hubMs + 20_000
        case .rides(.driverUnavailable): isQueued = false
        default: break
        }
    }

    private mutating func refused(
        _ command: Command, _ code: ErrorCode, _ now: Moment, _ out: inout [ClientAction]
    ) {
        switch command {
        // Outside the zones, mostly: it will take a while until that changes.
        case .rides(.driverAvailable):
            tryAvailableMs = now.hubMs + 60_000
            // The hub has it on a ride that it doesn't know of.
            if code == .notAvailable { session.renew(now, &out) }
        case .rides(.offerAccept(let ride)): if trip?.ride != ride { closeOffer(ride) }
        case .rides(.offerDecline(let ride)): closeOffer(ride)
        // The ride is not ours any more, or is over. (The event that says so may have come before.)
        case .rides(.rideAboard(let ride?, _)), .rides(.rideEnd(let ride?, _)): release(ride, now)
        // Too early, mostly: somebody may still come. A ride that is over is told by its event.
        case .rides(.rideNoshow(let ride?)):
            if trip?.ride == ride { trip?.stage = .atPickup(untilHubMs: now.hubMs + behaviour.noShowAgainMs) }
        // Too late to give a ride back: the passenger is aboard, or the ride is over, and that is known otherwise.
        default: break
        }
    }

    /// The ride is ours: by the answer to the acceptance or by the event, whichever comes first.
    private mutating func begin(
        _ data: JSONValue, _ ride: String, _ now: Moment, _ out: inout [ClientAction]
    ) {
        closeOffer(ride)
        guard trip?.ride != ride, let pickup = data.place("pickup") else { return }
        isQueued = false
        var begun = Trip(ride: ride, pickup: pickup, destination: data.place("destination") ?? pickup)
        begun.isNoShow = random.chance(behaviour.noShow)
        trip = begun
        setOut(to: pickup, .toPickup, now, &out)
        if random.chance(behaviour.giveBack), let drive {
            let whole = max(1, drive.way.lengthMs)
            trip?.giveBackMs = now.hubMs + random.milliseconds(0...whole)
        }
    }

    private mutating func release(_ ride: String, _ now: Moment) {
        guard let pickup = trip?.pickup, trip?.ride == ride else { return }
        trip = nil
        drive = nil
        // The event that says where the driver now stands may be under way.
        tryAvailableMs = now.hubMs + 5_000
        session.forget { $0.concernsTrip(ride) }
        let offset = offset(now)
        script.resume(at: offset, from: here ?? pickup)
        upcoming = script.next(after: offset)
    }

    private mutating func setOut(
        to place: GeoPoint, _ leg: RecordedWays.Leg, _ now: Moment, _ out: inout [ClientAction]
    ) {
        let speed = random.between(behaviour.driveSpeed)
        let way = script.way(from: here ?? place, to: place, leg, speed: speed, &random)
        if script.isRecorded { out.append(.note(.setOut(isRecorded: way.isRecorded))) }
        drive(way, now)
    }

    private mutating func drive(_ way: TimedWay, _ now: Moment) {
        let offset = offset(now)
        let leg = Drive(
            way: way, startMs: offset, fixEveryMs: random.milliseconds(behaviour.rideFixMs), accuracy: 6)
        drive = leg
        upcoming = leg.next(after: offset)
    }

    /// The hub's own account, after a gap or at the first hello: what it says is so.
    private mutating func adopt(_ data: JSONValue, _ now: Moment, _ out: inout [ClientAction]) {
        isQueued = data.text("state") == "available"
        rank = data.integer("rank")
        if let open = data["offer"], let ride = open.text("ride") {
            if offer?.ride != ride { shown(ride, now, &out) }
        } else if let ride = offer?.ride {
            closeOffer(ride)
        }
        guard let open = data["ride"], let ride = open.text("ride") else {
            if let ride = trip?.ride { release(ride, now) }
            return
        }
        if trip?.ride != ride {
            if let old = trip?.ride { release(old, now) }
            begin(open, ride, now, &out)
        }
        guard open.text("state") == "aboard", trip?.stage != .aboard, let destination = trip?.destination else {
            return
        }
        trip?.stage = .aboard
        setOut(to: destination, .withPassenger, now, &out)
    }
}
