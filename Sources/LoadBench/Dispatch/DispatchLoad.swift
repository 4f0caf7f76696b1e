import ClientSupport
import Domain
import EventLoop
import Wire

/// The people of the dispatch benchmark. A driver takes every offer at once and ends the ride at once; passengers take turns
/// in requesting.
///
/// Used on the loop's thread.
final class DispatchLoad {
    /// What was counted since `beginCounting`.
    struct Counts {
        var requests = 0
        var told = 0
        var ended = 0
        var refused: [ErrorCode: Int] = [:]
        /// A turn came, but every passenger was still on its ride: the rate was not reached.
        var skipped = 0
        /// Request sent → offer at its driver.
        var requestToOffer = Latency()
        /// Acceptance sent → its passenger told.
        var acceptToTold = Latency()
        /// How late turns came: what the load itself added.
        var lateness = Latency()
    }

    let clients: BenchClients
    private(set) var counts = Counts()
    private(set) var availableDrivers = 0
    private(set) var openRequests = 0
    private(set) var failure = ""
    private let configuration: DispatchBench.Configuration
    private let places: [GeoPoint]
    private let keyPrefix = "b" + String(EventLoop.wallClock(), radix: 36)
    private let ticks: LoopTimer
    private let fixes: LoopTimer
    private var idle: [Int] = []
    private var asked: Set<Int> = []
    private var isCounting = false
    private var startUs: Int64 = 0
    private var turns: Int64 = 0
    private var nextFix = 0
    private var keys = 0
    /// By passenger's client number.
    private var requestUs: [Int: Int64] = [:]
    /// By ride.
    private var requestUsOfRide: [String: Int64] = [:]
    private var offerUs: [String: Int64] = [:]
    private var acceptUs: [String: Int64] = [:]

    init(loop: EventLoop, configuration: DispatchBench.Configuration, places: [GeoPoint]) throws(RunError) {
        self.configuration = configuration
        self.places = places
        ticks = LoopTimer(loop)
        fixes = LoopTimer(loop)
        clients = try BenchClients(
            loop: loop, urls: configuration.urls, trust: configuration.trust, token: configuration.token)
        clients.onMessage = { [unowned self] client, message in
            if client < configuration.drivers {
                driver(client, heard: message)
            } else {
                passenger(client, heard: message)
            }
        }
        fixes.start(afterMs: 100, repeatMs: 100) { [unowned self] in sendFixes() }
    }

    func shutdown() {
        ticks.close()
        fixes.close()
        clients.shutdown()
    }

    // MARK: Beginning and end

    func connectNext() throws(RunError) {
        let index = clients.clients.count
        let isDriver = index < configuration.drivers
        do {
            try clients.connect(
                role: isDriver ? "driver" : "passenger",
                subject: isDriver ? "B\(index)" : "BP\(index - configuration.drivers)")
        } catch {
            throw RunError("client \(index) cannot connect: \(error)")
        }
        if !isDriver { idle.append(index) }
    }

    /// Drivers that are connected send a fix and go available.
    func callForWork() {
        for index in 0..<min(configuration.drivers, clients.clients.count)
        where clients.clients[index].isLive && asked.insert(index).inserted {
            sendFix(index)
            command(index, .rides(.driverAvailable))
        }
    }

    func signOff() {
        for index in 0..<configuration.drivers { command(index, .rides(.driverUnavailable)) }
    }

    func startRequests() {
        startUs = Monotonic.microseconds
        ticks.start(afterMs: 1, repeatMs: 1) { [unowned self] in takeTurns() }
    }

    func stopRequests() {
        ticks.stop()
        isCounting = false
    }

    func beginCounting() {
        counts = Counts()
        isCounting = true
    }

    // MARK: Requests

    /// As many as are due by the clock, however late this turn comes.
    private func takeTurns() {
        let nowUs = Monotonic.microseconds
        let due = Int64(Double(nowUs - startUs) / 1e6 * configuration.requestsPerSecond)
        while turns < due {
            let shouldUs = startUs + Int64(Double(turns + 1) / configuration.requestsPerSecond * 1e6)
            turns += 1
            if isCounting { counts.lateness.record(nowUs - shouldUs) }
            // Those who have waited longest go first.
            guard let passenger = idle.first else {
                if isCounting { counts.skipped += 1 }
                continue
            }
            idle.removeFirst()
            request(passenger)
        }
    }

    private func request(_ passenger: Int) {
        let place = places[passenger % places.count]
        openRequests += 1
        if isCounting { counts.requests += 1 }
        requestUs[passenger] = Monotonic.microseconds
        command(passenger, .rides(.rideRequest(lat: place.lat, lon: place.lon, passengers: 1, destination: nil)))
    }

    private func command(_ client: Int, _ command: Command) {
        keys += 1
        clients.send(client, command, key: "\(keyPrefix)-\(keys)")
    }

    // MARK: What the hub says

    private func driver(_ client: Int, heard message: ServerMessage) {
        switch message {
        case .event(_, _, "offer.made", _, let data):
            guard let ride = data.text("ride") else { return }
            let nowUs = Monotonic.microseconds
            offerUs[ride] = nowUs
            if let sent = requestUsOfRide[ride] { offered(ride, nowUs - sent) }
            command(client, .rides(.offerSeen(ride: ride)))
            acceptUs[ride] = Monotonic.microseconds
            command(client, .rides(.offerAccept(ride: ride)))
        case .event(_, _, "ride.assigned", _, let data):
            guard let ride = data.text("ride") else { return }
            command(client, .rides(.rideAboard(ride: ride, passengers: nil)))
            command(client, .rides(.rideEnd(ride: ride)))
        case .reply(_, let ok): if ok.text("state") == "available", ok["ride"] == nil { availableDrivers += 1 }
        case .error(_, let code, let detail, _): refused(code, detail)
        default: break
        }
    }

    private func passenger(_ client: Int, heard message: ServerMessage) {
        switch message {
        case .event(_, _, let type, _, let data):
            guard let ride = data.text("ride") else { return }
            switch type {
            case "ride.searching": known(ride, client)
            case "ride.accepted":
                if let sent = acceptUs.removeValue(forKey: ride), isCounting {
                    counts.told += 1
                    counts.acceptToTold.record(Monotonic.microseconds - sent)
                }
            case "ride.ended", "ride.failed", "ride.cancelled":
                if isCounting, type == "ride.ended" { counts.ended += 1 }
                requestUsOfRide[ride] = nil
                offerUs[ride] = nil
                isOver(client)
            default: break
            }
        case .reply(_, let ok): if let ride = ok.text("ride") { known(ride, client) }
        case .error(_, let code, let detail, _):
            refused(code, detail)
            if requestUs.removeValue(forKey: client) != nil { isOver(client) }
        default: break
        }
    }

    /// The driver may have seen the offer before its passenger learns the ride's name.
    private func known(_ ride: String, _ passenger: Int) {
        guard let sent = requestUs.removeValue(forKey: passenger) else { return }
        requestUsOfRide[ride] = sent
        if let shown = offerUs[ride] { offered(ride, shown - sent) }
    }

    private func offered(_ ride: String, _ microseconds: Int64) {
        if isCounting { counts.requestToOffer.record(microseconds) }
        requestUsOfRide[ride] = nil
    }

    private func isOver(_ passenger: Int) {
        openRequests -= 1
        idle.append(passenger)
    }

    private func refused(_ code: ErrorCode, _ detail: String) {
        failure = "\(code.rawValue): \(detail)"
        if isCounting { counts.refused[code, default: 0] += 1 }
    }

    // MARK: Positions

    /// A tenth of a second's share of the drivers.
    private func sendFixes() {
        guard configuration.drivers > 0 else { return }
        let share = max(1, Int((Double(configuration.drivers) / configuration.fixSeconds / 10).rounded()))
        for _ in 0..<share {
            if clients.clients.indices.contains(nextFix), clients.clients[nextFix].isLive { sendFix(nextFix) }
            nextFix = (nextFix + 1) % configuration.drivers
        }
    }

    private func sendFix(_ driver: Int) {
        let place = places[driver % places.count]
        let atMs = Monotonic.milliseconds + clients.hubOffsetMs
        clients.sendPosition(driver, PositionFix(lat: place.lat, lon: place.lon, at: atMs, speed: 0, accuracy: 6))
    }
}
