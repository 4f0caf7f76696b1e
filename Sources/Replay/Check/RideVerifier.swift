import ClientSupport

/// What was found in a run.
struct Verdict {
    var violations: [Violation] = []
    /// For each violation the log around it.
    var contexts: [[LoggedEvent]] = []
    /// The log's events, and the rides of this run, that were looked at.
    var events = 0
    var rides = 0
    /// Of buses, where there are any; then `rides` are requests for stops.
    var tours = 0
    /// Of seats in minibuses; and how often nobody was there where a bus had been asked to stop.
    var bookings = 0
    var noShows = 0
    /// Channels whose receipts were compared.
    var channels = 0
    var reservations = ReservationScore()
}

/// Judges a run: reads what the hub wrote while it went on, and holds it against the rules and against what the
/// clients were given.
///
/// Used on the loop's thread. `begin` before the first client, `finish` when all is quiet.
final class RideVerifier: RunVerifier {
    /// What the clients have, when they are asked.
    struct Clients {
        var receipts: [ChannelReceipts] = []
        var passengers: [ToldCheck.Passenger] = []
    }

    private let reader: CityReader
    private let gapsAllowed: Bool
    private let neighbours: [String: Set<String>]
    private let clients: () -> Clients
    private var start = HubSnapshot()

    /// neighbours: the zones beside each zone.
    init(
        reader: CityReader, gapsAllowed: Bool, neighbours: [String: Set<String>], clients: @escaping () -> Clients
    ) {
        self.neighbours = neighbours
        self.reader = reader
        self.gapsAllowed = gapsAllowed
        self.clients = clients
    }

    /// Takes the state from which the log goes on.
    func begin() async throws(RunError) { start = try await reader.snapshot() }

    /// `clients` is asked before the histories are read, as what the clients have by then must be in them, and again
    /// when a while has passed, as what is in them must have come by then. `mustBeOver`: every ride has had time to end.
    func look(mustBeOver: Bool, pause: Pause) async throws(RunError) -> Verdict {
        let end = try await reader.snapshot()
        var events: [LoggedEvent] = []
        if let last = end.lastEvent, last != start.lastEvent {
            events = try await reader.events(after: start.lastEvent, upTo: last)
        }
        var histories: [String: [ReceiptCheck.Entry]] = [:]
        var known: [String: String] = [:]
        for given in clients().receipts {
            known[given.channel] = given.last
            histories[given.channel] = try await reader.history(of: given.channel)
        }
        await pause.milliseconds(1_500)
        return judge(Readings(events: events, end: end, histories: histories, known: known), clients(), mustBeOver)
    }

    private struct Readings {
        var events: [LoggedEvent]
        var end: HubSnapshot
        var histories: [String: [ReceiptCheck.Entry]]
        var known: [String: String]
    }

    private func judge(_ readings: Readings, _ clients: Clients, _ mustBeOver: Bool) -> Verdict {
        var checker = LogChecker(from: start, neighbours: neighbours)
        let written = readings.end.entriesAdded - start.entriesAdded
        let held = readings.events.count
        if written != held {
            checker.add([
                Violation(
                    rule: .log,
                    message: "\(written) events were logged in this run, \(held) are held: raise the log's length")
            ])
        }
        for event in readings.events { checker.take(event) }
        checker.finish(readings.end, mustBeOver: mustBeOver)
        for given in clients.receipts.sorted(by: { $0.channel < $1.channel }) {
            guard let history = readings.histories[given.channel] else { continue }
            checker.add(
                ReceiptCheck.violations(
                    given, history: history, known: readings.known[given.channel], gapsAllowed: gapsAllowed))
        }
        checker.add(ToldCheck.violations(clients.passengers, log: checker))
        if mustBeOver { checker.add(checker.reservationScore.violations) }
        return Verdict(
            violations: checker.violations, contexts: checker.violations.map { checker.context(of: $0) }, events: held,
            rides: checker.rides.values.count { !$0.isFromBefore }, channels: readings.histories.count,
            reservations: checker.reservationScore)
    }
}
