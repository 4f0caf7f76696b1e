import ClientSupport
import EventLoop

/// Recorded buses and the citizens of their lines, all from the beginning. The hub's clock must show recorded time.
///
/// Used on the loop's thread.
final class BusPlayer: ScenarioPlayer {
    let pool: ClientPool
    private let scenario: BusScenario
    private let configuration: ReplayConfiguration
    private let ticks: LoopTimer
    private var hasBegun = false
    /// Real ms that a run waits for the hub's clock to reach its beginning.
    private static let longestWaitMs: Int64 = 120_000

    init(loop: EventLoop, configuration: ReplayConfiguration, scenario: BusScenario) throws(RunError) {
        self.scenario = scenario
        self.configuration = configuration
        do {
            pool = try ClientPool(loop: loop, configuration: configuration)
        } catch {
            throw RunError("the clients cannot be set up: \(error)")
        }
        ticks = LoopTimer(loop)
        let now = Monotonic.milliseconds
        let behaviour = configuration.behaviour.played(inCity: false)
        let keyPrefix = "r" + String(EventLoop.wallClock(), radix: 36)
        for (index, driver) in scenario.drivers.enumerated() {
            pool.add(
                BusDriverMachine(
                    driver: driver, seats: scenario.seats, behaviour: behaviour, keyPrefix: keyPrefix,
                    seed: configuration.seed,
                    startMs: now + Int64(index) * 2))
        }
        for (index, citizen) in scenario.citizens.enumerated() {
            pool.add(
                CitizenMachine(
                    citizen: citizen, behaviour: behaviour, keyPrefix: keyPrefix, seed: configuration.seed,
                    startMs: now + Int64(scenario.drivers.count + index) * 2))
        }
        for driver in scenario.minibuses.drivers {
            pool.add(
                MinibusMachine(
                    driver: driver, seats: scenario.minibuses.seats, behaviour: behaviour, keyPrefix: keyPrefix,
                    seed: configuration.seed, startMs: now + Int64(pool.slots.count) * 2))
        }
        for rider in scenario.minibuses.riders {
            pool.add(
                RiderMachine(
                    rider: rider, behaviour: behaviour, keyPrefix: keyPrefix, seed: configuration.seed,
                    startMs: now + Int64(pool.slots.count) * 2))
        }
        // Finer than what the hub could notice, at any speed.
        let tickMs: UInt64 = configuration.speed > 5 ? 2 : 10
        ticks.start(afterMs: tickMs, repeatMs: tickMs) { [unowned self] in pool.tick() }
    }

    /// Since the window's beginning: what is too late is not played.
    var offsetMs: Int64? { hasBegun ? pool.moment.hubMs - scenario.window.startMs : nil }

    func isTimeToBegin() throws(RunError) -> Bool {
        let wait = scenario.window.startMs - pool.moment.hubMs
        guard wait <= Int64(Double(Self.longestWaitMs) * configuration.speed), -wait < scenario.window.lengthMs else {
            throw RunError(
                "the hub's clock shows \(Self.minutes(-wait)) \(wait > 0 ? "before" : "after") the beginning of what is to be played, and timetables are of that day: start the hub with clock.start at that time, or play with --own-hub"
            )
        }
        return wait <= 0
    }

    private static func minutes(_ ms: Int64) -> String { "\(abs(ms) / 60_000) minutes" }

    func begin() {
        hasBegun = true
        pool.each(BusDriverMachine.self) { driver, now, _ in driver.begin(now) }
        pool.each(CitizenMachine.self) { citizen, now, _ in citizen.begin(now) }
        pool.each(MinibusMachine.self) { driver, now, _ in driver.begin(now) }
        pool.each(RiderMachine.self) { rider, now, _ in rider.begin(now) }
    }

    // MARK: The end

    func close() {
        pool.calmDown()
        pool.each(CitizenMachine.self) { citizen, _, _ in citizen.close() }
        pool.each(RiderMachine.self) { rider, _, _ in rider.close() }
    }

    func bringToEnd() {
        pool.each(CitizenMachine.self) { citizen, now, out in citizen.cancel(now, &out) }
        pool.each(RiderMachine.self) { rider, now, out in rider.cancel(now, &out) }
        pool.each(MinibusMachine.self) { driver, now, out in driver.endHere(now, &out) }
    }

    var whoIsOpen: [String] {
        pool.slots.compactMap { slot in
            switch slot.machine {
            case let citizen as CitizenMachine: slot.open(isIdle: citizen.isSettled)
            case let rider as RiderMachine: slot.open(isIdle: rider.isSettled)
            case let driver as MinibusMachine: slot.open(isIdle: driver.isIdle)
            case let driver as BusDriverMachine: slot.open(isIdle: driver.isIdle)
            default: slot.open(isIdle: true)
            }
        }
    }

    func standStill() {
        pool.each(BusDriverMachine.self) { driver, _, _ in driver.standStill() }
        pool.each(MinibusMachine.self) { driver, _, _ in driver.standStill() }
    }

    func signOff() {
        pool.each(BusDriverMachine.self) { driver, now, out in driver.signOff(now, &out) }
        pool.each(MinibusMachine.self) { driver, now, out in driver.signOff(now, &out) }
    }

    var areAllSignedOff: Bool {
        pool.slots.allSatisfy { slot in
            switch slot.machine {
            case let driver as BusDriverMachine: driver.tour == nil && driver.isIdle
            case let driver as MinibusMachine: !driver.isOnline && driver.isIdle
            default: true
            }
        }
    }

    func shutdown() {
        ticks.close()
        pool.shutdown()
    }

    // MARK: What is shown and judged

    var progress: [String] {
        let tally = pool.tally.buses
        let seats = pool.tally.seats
        var (drivers, onTour, minibuses, online, people) = (0, 0, 0, 0, 0)
        for slot in pool.slots where slot.isLive {
            switch slot.machine {
            case let driver as BusDriverMachine:
                drivers += 1
                if driver.tour != nil { onTour += 1 }
            case let driver as MinibusMachine:
                minibuses += 1
                if driver.isOnline { online += 1 }
            default: people += 1
            }
        }
        return [
            "drivers \(drivers) (\(onTour) on tour)", "minibuses \(minibuses) (\(online) online)", "people \(people)",
            "tours \(tally.toursStarted)",
            "fixes \(tally.fixesSent)", "seen \(tally.fixesSeen)", "requests \(tally.requests)",
            "accepted \(tally.acceptancesTold)", "completed \(tally.outcomes[.completed] ?? 0)",
            "bookings \(seats.booked)", "confirmed \(seats.confirmed)", "ended \(seats.outcomes[.ended] ?? 0)",
            "seen after \(tally.timeToSeen.text(99))",
        ]
    }

    /// What the clients were given, for the check.
    var given: BusVerifier.Clients {
        var clients = BusVerifier.Clients()
        for slot in pool.slots {
            clients.receipts.append(slot.session.receipts)
            if let shared = slot.session.shared { clients.receipts.append(shared) }
            switch slot.machine {
            case let citizen as CitizenMachine:
                clients.citizens.append(
                    BusEndCheck.Citizen(
                        subject: slot.subject, asks: citizen.asks, view: citizen.view,
                        hasPending: slot.session.hasPending, receipts: slot.session.receipts))
            case let rider as RiderMachine:
                clients.riders.append(
                    SeatEndCheck.Rider(
                        subject: slot.subject, asks: rider.asks, view: rider.view, hasPending: slot.session.hasPending,
                        receipts: slot.session.receipts))
            case let driver as BusDriverMachine:
                clients.drivers[slot.subject] = slot.session.receipts
                clients.tracks[slot.subject] = driver.track
                for (request, part) in driver.served { clients.served[request] = driver.track[part] }
            default: clients.drivers[slot.subject] = slot.session.receipts
            }
        }
        return clients
    }
}
