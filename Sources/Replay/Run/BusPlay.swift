import ClientSupport
import EventLoop

/// Recorded buses and the citizens of their lines, all from the beginning. The hub's clock must show recorded time.
///
/// Used on the loop's thread.
final class BusPlay: Performance {
    let fleet: Fleet
    private let world: BusWorld
    private let configuration: ReplayConfiguration
    private let ticks: LoopTimer
    private var hasBegun = false
    /// Real ms that a run waits for the hub's clock to reach its beginning.
    private static let longestWaitMs: Int64 = 120_000

    init(loop: EventLoop, configuration: ReplayConfiguration, world: BusWorld) throws(RunError) {
        self.world = world
        self.configuration = configuration
        do {
            fleet = try Fleet(loop: loop, configuration: configuration)
        } catch {
            throw RunError("the clients cannot be set up: \(error)")
        }
        ticks = LoopTimer(loop)
        let now = Monotonic.milliseconds
        let odds = configuration.odds.played(inCity: false)
        let keyPrefix = "r" + String(EventLoop.wallClock(), radix: 36)
        for (index, driver) in world.drivers.enumerated() {
            fleet.add(
                BusDriverMachine(
                    driver: driver, seats: world.seats, odds: odds, keyPrefix: keyPrefix, seed: configuration.seed,
                    startMs: now + Int64(index) * 2))
        }
        for (index, citizen) in world.citizens.enumerated() {
            fleet.add(
                CitizenMachine(
                    citizen: citizen, odds: odds, keyPrefix: keyPrefix, seed: configuration.seed,
                    startMs: now + Int64(world.drivers.count + index) * 2))
        }
        for driver in world.minibuses.drivers {
            fleet.add(
                MinibusMachine(
                    driver: driver, seats: world.minibuses.seats, odds: odds, keyPrefix: keyPrefix,
                    seed: configuration.seed, startMs: now + Int64(fleet.seats.count) * 2))
        }
        for rider in world.minibuses.riders {
            fleet.add(
                RiderMachine(
                    rider: rider, odds: odds, keyPrefix: keyPrefix, seed: configuration.seed,
                    startMs: now + Int64(fleet.seats.count) * 2))
        }
        // Finer than what the hub could notice, at any speed.
        let tickMs: UInt64 = configuration.speed > 5 ? 2 : 10
        ticks.start(afterMs: tickMs, repeatMs: tickMs) { [unowned self] in fleet.tick() }
    }

    /// Since the window's beginning: what is too late is not played.
    var offsetMs: Int64? { hasBegun ? fleet.moment.hubMs - world.window.startMs : nil }

    func isTimeToBegin() throws(RunError) -> Bool {
        let wait = world.window.startMs - fleet.moment.hubMs
        guard wait <= Int64(Double(Self.longestWaitMs) * configuration.speed), -wait < world.window.lengthMs else {
            throw RunError(
                "the hub's clock shows \(Self.minutes(-wait)) \(wait > 0 ? "before" : "after") the beginning of what is to be played, and timetables are of that day: start the hub with clock.start at that time, or play with --own-hub"
            )
        }
        return wait <= 0
    }

    private static func minutes(_ ms: Int64) -> String { "\(abs(ms) / 60_000) minutes" }

    func begin() {
        hasBegun = true
        fleet.each(BusDriverMachine.self) { driver, now, _ in driver.begin(now) }
        fleet.each(CitizenMachine.self) { citizen, now, _ in citizen.begin(now) }
        fleet.each(MinibusMachine.self) { driver, now, _ in driver.begin(now) }
        fleet.each(RiderMachine.self) { rider, now, _ in rider.begin(now) }
    }

    // MARK: The end

    func close() {
        fleet.calmDown()
        fleet.each(CitizenMachine.self) { citizen, _, _ in citizen.close() }
        fleet.each(RiderMachine.self) { rider, _, _ in rider.close() }
    }

    func bringToEnd() {
        fleet.each(CitizenMachine.self) { citizen, now, out in citizen.cancel(now, &out) }
        fleet.each(RiderMachine.self) { rider, now, out in rider.cancel(now, &out) }
        fleet.each(MinibusMachine.self) { driver, now, out in driver.endHere(now, &out) }
    }

    var isQuiet: Bool {
        fleet.seats.allSatisfy { seat in
            guard seat.isLive else { return false }
            return switch seat.machine {
            case let citizen as CitizenMachine: citizen.isSettled
            case let rider as RiderMachine: rider.isSettled
            case let driver as MinibusMachine: driver.isIdle
            case let driver as BusDriverMachine: driver.isIdle
            default: true
            }
        }
    }

    func standStill() {
        fleet.each(BusDriverMachine.self) { driver, _, _ in driver.standStill() }
        fleet.each(MinibusMachine.self) { driver, _, _ in driver.standStill() }
    }

    func signOff() {
        fleet.each(BusDriverMachine.self) { driver, now, out in driver.signOff(now, &out) }
        fleet.each(MinibusMachine.self) { driver, now, out in driver.signOff(now, &out) }
    }

    var areAllSignedOff: Bool {
        fleet.seats.allSatisfy { seat in
            switch seat.machine {
            case let driver as BusDriverMachine: driver.tour == nil && driver.isIdle
            case let driver as MinibusMachine: !driver.isOnline && driver.isIdle
            default: true
            }
        }
    }

    func shutdown() {
        ticks.close()
        fleet.shutdown()
    }

    // MARK: What is shown and judged

    var progress: [String] {
        let tally = fleet.tally.buses
        let seats = fleet.tally.seats
        var (drivers, onTour, minibuses, online, people) = (0, 0, 0, 0, 0)
        for seat in fleet.seats where seat.isLive {
            switch seat.machine {
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
        for seat in fleet.seats {
            clients.receipts.append(seat.session.receipts)
            if let shared = seat.session.shared { clients.receipts.append(shared) }
            switch seat.machine {
            case let citizen as CitizenMachine:
                clients.citizens.append(
                    BusEndCheck.Citizen(
                        subject: seat.subject, asks: citizen.asks, view: citizen.view,
                        hasPending: seat.session.hasPending, receipts: seat.session.receipts))
            case let rider as RiderMachine:
                clients.riders.append(
                    SeatEndCheck.Rider(
                        subject: seat.subject, asks: rider.asks, view: rider.view, hasPending: seat.session.hasPending,
                        receipts: seat.session.receipts))
            case let driver as BusDriverMachine:
                clients.drivers[seat.subject] = seat.session.receipts
                clients.tracks[seat.subject] = driver.track
            default: clients.drivers[seat.subject] = seat.session.receipts
            }
        }
        return clients
    }
}
