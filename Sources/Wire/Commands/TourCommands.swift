/// Bus drivers and their tours.
public enum TourCommand: CommandGroup {
    /// Ids of 1–64 visible ASCII characters, as the catalog has them.
    case tourStart(bus: String, line: String, pattern: String?, trip: String?)
    /// nil: a driver's own.
    case tourEnd(tour: String?)
    /// `skip`: the stop was not served.
    case stopNext(skip: Bool)
    case stopPrevious

    static let kinds: [CommandKind<TourCommand>] = [
        CommandKind(
            "tour.start", [.busDriver], .own, Field.required("bus", .catalogID), Field.required("line", .catalogID),
            Field.optional("pattern", .catalogID), Field.optional("trip", .catalogID), make: TourCommand.tourStart,
            take: {
                guard case .tourStart(let bus, let line, let pattern, let trip) = $0 else { return nil }
                return (bus, line, pattern, trip)
            }),
        // An operator may end a tour whose driver does not.
        CommandKind(
            "tour.end", [.busDriver, .operator], .own, Field.optional("tour", .tour), make: TourCommand.tourEnd,
            take: { if case .tourEnd(let tour) = $0 { tour } else { nil } }),
        CommandKind(
            "stop.next", [.busDriver], .own, Field.optional("skip", FlagKind(), absent: false),
            make: TourCommand.stopNext, take: { if case .stopNext(let skip) = $0 { skip } else { nil } }),
        CommandKind("stop.previous", [.busDriver], .own, .stopPrevious),
    ]
}

extension FieldKind where Self == TextKind {
    fileprivate static var tour: TextKind { .identifier("a tour id, 1 to 64 characters of A-Z a-z 0-9 _ . : -") }
}
