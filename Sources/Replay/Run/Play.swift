import ClientSupport
import EventLoop

/// The world on its stage: its drivers from the beginning, its passengers at their time.
///
/// Used on the loop's thread.
final class Play: Performance {
    let fleet: Fleet
    private let world: World
    private let configuration: ReplayConfiguration
    private let odds: Odds
    /// Tells this run's idempotency keys from those of earlier ones.
    private let keyPrefix = "r" + String(EventLoop.wallClock(), radix: 36)
    private var nextWish = 0
    private var beginHubMs: Int64?
    private var acceptsWishes = true
    private let ticks: LoopTimer

    init(loop: EventLoop, configuration: ReplayConfiguration, world: World) throws(RunError) {
        self.world = world
        self.configuration = configuration
        var isCity = false
        if case .city = configuration.source { isCity = true }
        odds = configuration.odds.played(inCity: isCity)
        do {
            fleet = try Fleet(loop: loop, configuration: configuration)
        } catch {
            throw RunError("the clients cannot be set up: \(error)")
        }
        ticks = LoopTimer(loop)
        let now = Monotonic.milliseconds
        for (index, driver) in world.drivers.enumerated() {
            // 500 a second, so that connecting is no storm.
            fleet.add(
                DriverMachine(
                    driver: driver, odds: odds, keyPrefix: keyPrefix, seed: configuration.seed,
                    startMs: now + Int64(index) * 2))
        }
        // Finer than what the hub could notice, at any speed.
        let tickMs: UInt64 = configuration.speed > 5 ? 2 : 10
        ticks.start(afterMs: tickMs, repeatMs: tickMs) { [unowned self] in tick() }
    }

    /// Hub ms since the world began; nil before.
    var offsetMs: Int64? { beginHubMs.map { fleet.moment.hubMs - $0 } }

    func begin() {
        beginHubMs = fleet.moment.hubMs
        fleet.each(DriverMachine.self) { driver, now, _ in driver.begin(now) }
    }

    private func tick() {
        if acceptsWishes, let offset = offsetMs {
            while nextWish < world.wishes.count, world.wishes[nextWish].offsetMs <= offset {
                enter(world.wishes[nextWish])
                nextWish += 1
            }
        }
        fleet.tick()
    }

    private func enter(_ wish: RideWish) {
        fleet.add(
            PassengerMachine(
                wish: wish, bornHubMs: fleet.moment.hubMs, odds: odds, keyPrefix: keyPrefix,
                seed: configuration.seed))
    }

    // MARK: The end

    /// No new passengers, and no link is cut on purpose any more.
    func close() {
        acceptsWishes = false
        fleet.calmDown()
    }

    /// Requests that are open are cancelled, rides under way end where they are.
    func bringToEnd() {
        fleet.each(PassengerMachine.self) { passenger, now, out in passenger.cancel(now, &out) }
        fleet.each(DriverMachine.self) { driver, now, out in driver.endRideHere(now, &out) }
    }

    /// Every passenger was told its outcome, no driver is on a ride, nobody waits for an answer, all links stand.
    var isQuiet: Bool {
        fleet.seats.allSatisfy { seat in
            if let passenger = seat.machine as? PassengerMachine {
                return passenger.isSettled && (seat.isLive || !seat.isHere)
            }
            return seat.isLive && (seat.machine as? DriverMachine)?.isIdle == true
        }
    }

    func signOff() { fleet.each(DriverMachine.self) { driver, now, out in driver.signOff(now, &out) } }

    var areAllSignedOff: Bool {
        fleet.seats.allSatisfy { ($0.machine as? DriverMachine).map { !$0.isQueued && $0.isIdle } ?? true }
    }

    /// Cuts what is left; nothing moves any more.
    func shutdown() {
        ticks.close()
        fleet.shutdown()
    }

    /// What the clients were given, for the check.
    var given: RunVerifier.Clients {
        var clients = RunVerifier.Clients()
        for seat in fleet.seats {
            clients.receipts.append(seat.session.receipts)
            guard let passenger = seat.machine as? PassengerMachine else { continue }
            clients.passengers.append(
                ToldCheck.Passenger(
                    subject: seat.subject, outcome: passenger.outcome, ride: passenger.ride,
                    hasPending: seat.session.hasPending, receipts: seat.session.receipts))
        }
        return clients
    }

    // MARK: Progress

    var progress: [String] {
        let tally = fleet.tally
        var (drivers, queued, riding, passengers) = (0, 0, 0, 0)
        for seat in fleet.seats where seat.isLive {
            guard let driver = seat.machine as? DriverMachine else {
                passengers += 1
                continue
            }
            drivers += 1
            if driver.trip != nil { riding += 1 } else if driver.isQueued { queued += 1 }
        }
        let failed = tally.outcomes.reduce(0) { sum, entry in
            switch entry.key {
            case .failed, .refused, .lost: sum + entry.value
            default: sum
            }
        }
        return [
            "drivers \(drivers) (\(queued) waiting, \(riding) on rides)", "passengers \(passengers)",
            "requests \(tally.requests)", "offers \(tally.offers)", "accepted \(tally.acceptancesTold)",
            "ended \(tally.ended)", "failed \(failed)", "alerts \(tally.alerts500)+\(tally.alerts20)",
            "offer \(tally.timeToOffer.text(99))",
        ]
    }
}
