/// Holds what the clients were given against the channels' histories: each event once, in order, none missing.
enum ReceiptCheck {
    /// An entry of a channel's stream.
    struct Entry: Equatable {
        var id: String
        var type: String
        var ride: String?
    }

    /// `history` is the channel's stream as far as Redis still holds it, oldest first. `known` is the last event that the
    /// client had before that was read: what came later may be missing in it.
    static func violations(
        _ receipts: ChannelReceipts, history: [Entry], known: String? = nil, gapsAllowed: Bool
    ) -> [Violation] {
        var found: [Violation] = []
        func add(_ message: String) {
            found.append(Violation(rule: .delivery, message: "\(receipts.channel): \(message)"))
        }
        for double in receipts.doubles { add("\(double.type) \(double.seq) came twice") }
        if receipts.gaps > 0, !gapsAllowed { add("\(receipts.gaps) gaps were told, though history was not lost") }

        for (index, stretch) in receipts.stretches.enumerated() {
            let isLast = index == receipts.stretches.count - 1
            let wanted = expected(stretch, history: history, toTheEnd: isLast && !receipts.hasLeft)
            let given = held(stretch.events, history: history, known: known)
            guard wanted.map(\.id) != given.map(\.seq) else { continue }
            let (missing, extra) = (Set(wanted.map(\.id)), Set(given.map(\.seq)))
            let lost = wanted.filter { !extra.contains($0.id) }
            let unknown = given.filter { !missing.contains($0.seq) }
            for entry in lost {
                add("\(entry.type) \(entry.id) \(entry.ride.map { "of ride \($0) " } ?? "")never came")
            }
            for receipt in unknown { add("\(receipt.type) \(receipt.seq) came, but is not in the history") }
            if lost.isEmpty, unknown.isEmpty { add("events came out of order: \(given.map(\.seq))") }
        }
        return found
    }

    /// What should have come in a stretch: all after its beginning, up to the last that came or to the end.
    private static func expected(_ stretch: ChannelReceipts.Stretch, history: [Entry], toTheEnd: Bool) -> [Entry] {
        let after = StreamID(stretch.after)
        let last = stretch.events.compactMap { StreamID($0.seq) }.max()
        return history.filter { entry in
            guard entry.type != "opened", let id = StreamID(entry.id) else { return false }
            if let after, id <= after { return false }
            return toTheEnd || (last.map { id <= $0 } ?? false)
        }
    }

    /// Of what came, the part that the history still reaches: older entries are trimmed away and can't be compared.
    private static func held(_ events: [Receipt], history: [Entry], known: String?) -> [Receipt] {
        guard let first = history.first.flatMap({ StreamID($0.id) }),
            let last = history.last.flatMap({ StreamID($0.id) })
        else { return [] }
        let newest = known.flatMap { StreamID($0) }.map { max(last, $0) } ?? last
        return events.filter { receipt in StreamID(receipt.seq).map { $0 >= first && $0 <= newest } ?? true }
    }
}

/// Whether the passengers were told what the log says became of their rides.
enum ToldCheck {
    /// One passenger client at the end of a run.
    struct Passenger {
        var subject: String
        var outcome: RideOutcome?
        var ride: String?
        var hasPending: Bool
        var receipts: ChannelReceipts
    }

    static func violations(_ passengers: [Passenger], log: LogChecker) -> [Violation] {
        let clients = Dictionary(passengers.map { ($0.subject, $0) }, uniquingKeysWith: { first, _ in first })
        var found: [Violation] = []
        func add(_ message: String) { found.append(Violation(rule: .told, message: message)) }
        for passenger in passengers {
            if passenger.outcome == nil || passenger.hasPending {
                add("passenger \(passenger.subject) was never told what became of its request \(passenger.ride ?? "")")
            }
            if let ride = passenger.ride, log.rides[ride] == nil {
                add("passenger \(passenger.subject) was told of ride \(ride), which the log doesn't know")
            }
        }
        for (name, ride) in log.rides.sorted(by: { $0.key < $1.key }) where !ride.isFromBefore {
            guard let client = clients[ride.passenger], let outcome = ride.outcome else { continue }
            let told = client.receipts.events.filter { $0.ride == name }
            let type = outcome == "noshow" ? "ride.cancelled" : "ride.\(outcome)"
            if told.count(where: { $0.type == type }) != 1 {
                add("ride \(name) is \(outcome); passenger \(ride.passenger) was told \(told.map(\.type))")
            }
            let acceptances = told.count { $0.type == "ride.accepted" }
            if acceptances != ride.acceptances {
                add(
                    "ride \(name) was accepted \(ride.acceptances) times; passenger \(ride.passenger) was told \(acceptances) times"
                )
            }
        }
        return found
    }
}
