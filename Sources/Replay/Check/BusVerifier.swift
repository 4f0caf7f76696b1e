import ClientSupport
import GTFS

/// Judges a run of buses: reads what the hub wrote while it went on, and holds it against the rules and against what the
/// clients were given.
///
/// Used on the loop's thread. `begin` before the first tour, `finish` when nothing moves any more.
final class BusVerifier: RunVerifier {
    /// What the clients have, when they are asked.
    struct Clients {
        var receipts: [ChannelReceipts] = []
        var citizens: [BusEndCheck.Citizen] = []
        var riders: [SeatEndCheck.Rider] = []
        /// By subject; of minibuses, too.
        var drivers: [String: ChannelReceipts] = [:]
        /// Bus driver → the fixes that it has sent.
        var tracks: [String: [RecordedBuses.Fix]] = [:]
        /// Request → the fixes after which its driver said what became of it (`BusDriverMachine.served`).
        var served: [String: ArraySlice<RecordedBuses.Fix>] = [:]
    }

    private let reader: CityReader
    private let gapsAllowed: Bool
    private let clients: () -> Clients
    private var start = BusSnapshot()

    /// Real ms in which what was sent last reaches Redis, and what that tells reaches the clients.
    private static let restMs: Int64 = 1_500

    init(reader: CityReader, gapsAllowed: Bool, clients: @escaping () -> Clients) {
        self.reader = reader
        self.gapsAllowed = gapsAllowed
        self.clients = clients
    }

    func begin() async throws(RunError) { start = try await reader.busSnapshot() }

    func look(mustBeOver: Bool, pause: Pause) async throws(RunError) -> Verdict {
        await pause.milliseconds(Self.restMs)
        let end = try await reader.busSnapshot()
        var events: [LoggedEvent] = []
        if let last = end.lastEvent, last != start.lastEvent {
            events = try await reader.events(after: start.lastEvent, upTo: last)
        }
        var histories: [String: [ReceiptCheck.Entry]] = [:]
        var known: [String: String] = [:]
        for given in clients().receipts {
            known[given.channel] = Self.later(known[given.channel], given.last)
            if histories[given.channel] == nil {
                histories[given.channel] = try await reader.history(of: given.channel)
            }
        }
        await pause.milliseconds(Self.restMs)

        var checker = BusLogChecker(from: start)
        var seats = SeatLogChecker(from: start.seats)
        for event in events {
            checker.take(event)
            seats.take(event)
        }
        checker.finish(end, mustBeOver: mustBeOver)
        seats.finish(end.seats, mustBeOver: mustBeOver)
        checker.add(seats.violations)
        if end.entriesAdded - start.entriesAdded != events.count {
            checker.report(
                .log,
                "\(end.entriesAdded - start.entriesAdded) events were logged in this run, \(events.count) are held: raise the log's length"
            )
        }
        let clients = clients()
        for given in clients.receipts.sorted(by: { $0.channel < $1.channel }) {
            guard let history = histories[given.channel] else { continue }
            checker.add(
                ReceiptCheck.violations(
                    given, history: history, known: known[given.channel], gapsAllowed: gapsAllowed))
        }
        checker.add(changes(checker, histories))
        checker.add(BusEndCheck.lines(clients.citizens, end))
        checker.add(BusEndCheck.told(clients.citizens, drivers: clients.drivers, log: checker))
        checker.add(NoShowCheck.violations(checker, end, tracks: clients.tracks))
        checker.add(ArrivalCheck.violations(checker, end, served: clients.served))
        checker.add(SeatEndCheck.views(clients.riders, end.seats))
        checker.add(SeatEndCheck.told(clients.riders, drivers: clients.drivers, log: seats))
        return Verdict(
            violations: checker.violations, contexts: checker.violations.map { checker.context(of: $0) },
            events: events.count, rides: checker.requests.values.count { !$0.isFromBefore },
            tours: checker.tours.values.count { !$0.isFromBefore },
            bookings: seats.bookings.values.count { !$0.isFromBefore }, noShows: checker.noShows.count,
            channels: histories.count)
    }

    private static func later(_ one: String?, _ other: String?) -> String? {
        guard let a = one.flatMap(StreamID.init), let b = other.flatMap(StreamID.init) else { return one ?? other }
        return a < b ? other : one
    }

    /// What the log tells of changes of a line's schedule was told to its readers: as often, in this run.
    private func changes(_ log: BusLogChecker, _ histories: [String: [ReceiptCheck.Entry]]) -> [Violation] {
        let before = start.lastEvent.flatMap(StreamID.init)?.ms ?? 0
        return log.changes.sorted { $0.key < $1.key }.compactMap { line, logged in
            guard let history = histories["line:" + line] else { return nil }
            let told = history.count { $0.type == "schedule.changed" && StreamID($0.id)?.ms ?? 0 > before }
            // A history keeps the last thousand or so.
            guard told != logged, history.count < 900 else { return nil }
            return Violation(
                rule: .delivery, message: "line \(line) has \(logged) changes in the log and \(told) in its history")
        }
    }
}
