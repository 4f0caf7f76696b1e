import ClientSupport
import EventLoop

/// Plays taxis: the drivers of a scenario from the beginning, passengers at their time.
///
/// Used on the loop's thread.
final class TaxiPlayer: ScenarioPlayer {
    let pool: ClientPool
    private let planned: [PlannedRide]
    private let configuration: ReplayConfiguration
    private let behaviour: BehaviourModel
    /// Tells this run's idempotency keys from those of earlier ones.
    private let keyPrefix = "r" + String(EventLoop.wallClock(), radix: 36)
    private var nextPlan = 0
    private var beginHubMs: Int64?
    private var admitsPassengers = true
    private let ticks: LoopTimer

    init(loop: EventLoop, configuration: ReplayConfiguration, scenario: TaxiScenario) throws(RunError) {
        self.configuration = configuration
        var isCity = false
        if case .city = configuration.source { isCity = true }
        behaviour = configuration.behaviour.played(inCity: isCity)
        planned = scenario.passengers(
            reserving: behaviour.reserve, ahead: behaviour.reserveAheadMs, seed: configuration.seed)
        do {
            pool = try ClientPool(loop: loop, configuration: configuration)
        } catch {
            throw RunError("the clients cannot be set up: \(error)")
        }
        ticks = LoopTimer(loop)
        let now = Monotonic.milliseconds
        for (index, driver) in scenario.drivers.enumerated() {
            // 500 a second, so that connecting is no storm.
            pool.add(
                DriverMachine(
                    driver: driver, behaviour: behaviour, keyPrefix: keyPrefix, seed: configuration.seed,
                    startMs: now + Int64(index) * 2))
        }
        if behaviour.blocksPerHour > 0, !scenario.drivers.isEmpty {
            pool.add(
                OfficeMachine(
                    drivers: scenario.drivers.map(\.subject), behaviour: behaviour, keyPrefix: keyPrefix,
                    seed: configuration.seed))
        }
        // Finer than what the hub could notice, at any speed.
        let tickMs: UInt64 = configuration.speed > 5 ? 2 : 10
        ticks.start(afterMs: tickMs, repeatMs: tickMs) { [unowned self] in tick() }
    }

    /// Hub ms since the scenario began; nil before.
    var offsetMs: Int64? { beginHubMs.map { pool.moment.hubMs - $0 } }

    func begin() {
        beginHubMs = pool.moment.hubMs
        pool.each(DriverMachine.self) { driver, now, _ in driver.begin(now) }
        pool.each(OfficeMachine.self) { office, now, _ in office.begin(now) }
    }

    private func tick() {
        if admitsPassengers, let offset = offsetMs {
            while nextPlan < planned.count, planned[nextPlan].asksMs <= offset {
                enter(planned[nextPlan])
                nextPlan += 1
            }
        }
        pool.tick()
    }

    private func enter(_ plan: PlannedRide) {
        pool.add(
            PassengerMachine(
                plan: plan, bornHubMs: pool.moment.hubMs, behaviour: behaviour, keyPrefix: keyPrefix,
                seed: configuration.seed))
    }

    // MARK: The end

    /// No new passengers, and no link is cut on purpose any more.
    func close() {
        admitsPassengers = false
        pool.calmDown()
    }

    /// Requests that are open are cancelled, rides under way end where they are.
    func bringToEnd() {
        pool.each(PassengerMachine.self) { passenger, now, out in passenger.cancel(now, &out) }
        pool.each(DriverMachine.self) { driver, now, out in driver.endRideHere(now, &out) }
    }

    var whoIsOpen: [String] {
        pool.slots.compactMap { slot in
            switch slot.machine {
            case let passenger as PassengerMachine: slot.open(isIdle: passenger.isSettled, mayBeGone: true)
            case let driver as DriverMachine: slot.open(isIdle: driver.isIdle)
            default: nil
            }
        }
    }

    func signOff() { pool.each(DriverMachine.self) { driver, now, out in driver.signOff(now, &out) } }

    var areAllSignedOff: Bool {
        pool.slots.allSatisfy { ($0.machine as? DriverMachine).map { !$0.isQueued && $0.isIdle } ?? true }
    }

    /// Cuts what is left; nothing moves any more.
    func shutdown() {
        ticks.close()
        pool.shutdown()
    }

    /// What the clients were given, for the check.
    var given: RideVerifier.Clients {
        var clients = RideVerifier.Clients()
        for slot in pool.slots {
            clients.receipts.append(slot.session.receipts)
            guard let passenger = slot.machine as? PassengerMachine else { continue }
            clients.passengers.append(
                ToldCheck.Passenger(
                    subject: slot.subject, outcome: passenger.outcome, ride: passenger.ride,
                    hasPending: slot.session.hasPending, receipts: slot.session.receipts))
        }
        return clients
    }

    // MARK: Progress

    var progress: [String] {
        let tally = pool.tally
        var (drivers, queued, riding, passengers) = (0, 0, 0, 0)
        for slot in pool.slots where slot.isLive {
            if slot.machine is PassengerMachine { passengers += 1 }
            guard let driver = slot.machine as? DriverMachine else { continue }
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
