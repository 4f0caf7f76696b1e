/// Every command of the contract, by the capability that handles it, with fields of the right type and in their range.
///
/// Nearly all that come are positions. What is much larger than one has a place of its own, so that a position is not copied in that room.
public enum Command: Equatable, Sendable {
    case session(SessionCommand)
    case position(PositionFix)
    case rides(RideCommand)
    case seats(SeatCommand)
    indirect case channels(ChannelCommand)
    case topics(TopicCommand)
    case notifications(NotificationCommand)
    case tours(TourCommand)
    case lines(LineCommand)
    indirect case stops(StopCommand)
    case broadcasts(BroadcastCommand)
    case office(OfficeCommand)
    case safety(SafetyCommand)
    indirect case registry(RegistryCommand)
    case reservations(ReservationCommand)
    case advice(AdviceCommand)
    case reliability(ReliabilityCommand)
    case trips(TripCommand)
    indirect case push(PushCommand)
    indirect case records(RecordCommand)
}

extension Command {
    /// The closed list.
    public static var rules: [CommandRule] { readers.map(\.rule) }

    /// Nil: there is no command of that name.
    public static func rule(named name: String) -> CommandRule? { readers.first { $0.rule.name == name }?.rule }

    public var rule: CommandRule {
        switch self {
        case .position: PositionFix.rule
        case .session(let command): command.kind.rule
        case .rides(let command): command.kind.rule
        case .seats(let command): command.kind.rule
        case .channels(let command): command.kind.rule
        case .topics(let command): command.kind.rule
        case .notifications(let command): command.kind.rule
        case .tours(let command): command.kind.rule
        case .lines(let command): command.kind.rule
        case .stops(let command): command.kind.rule
        case .broadcasts(let command): command.kind.rule
        case .office(let command): command.kind.rule
        case .safety(let command): command.kind.rule
        case .registry(let command): command.kind.rule
        case .reservations(let command): command.kind.rule
        case .advice(let command): command.kind.rule
        case .reliability(let command): command.kind.rule
        case .trips(let command): command.kind.rule
        case .push(let command): command.kind.rule
        case .records(let command): command.kind.rule
        }
    }

    /// The name under which it travels.
    public var name: String { rule.name }

    /// `cmd`, and the command's own fields.
    func write(into writer: inout JSONWriter) {
        func write<Group: CommandGroup>(_ command: Group) {
            let kind = command.kind
            writer.member("cmd", kind.rule.name)
            _ = kind.write(command, &writer)
        }
        switch self {
        case .position(let fix):
            writer.member("cmd", PositionFix.rule.name)
            fix.write(into: &writer)
        case .session(let command): write(command)
        case .rides(let command): write(command)
        case .seats(let command): write(command)
        case .channels(let command): write(command)
        case .topics(let command): write(command)
        case .notifications(let command): write(command)
        case .tours(let command): write(command)
        case .lines(let command): write(command)
        case .stops(let command): write(command)
        case .broadcasts(let command): write(command)
        case .office(let command): write(command)
        case .safety(let command): write(command)
        case .registry(let command): write(command)
        case .reservations(let command): write(command)
        case .advice(let command): write(command)
        case .reliability(let command): write(command)
        case .trips(let command): write(command)
        case .push(let command): write(command)
        case .records(let command): write(command)
        }
    }

    /// How a command of one name is read.
    struct Reader: Sendable {
        let name: StaticString
        let rule: CommandRule
        let read: @Sendable (Envelope) throws(ErrorReply) -> Command
    }

    static let readers: [Reader] =
        readers(Command.session)
        + [
            Reader(name: PositionFix.name, rule: PositionFix.rule) { (object) throws(ErrorReply) in
                .position(try PositionFix(object))
            }
        ]
        + readers(Command.rides) + readers(Command.channels) + readers(Command.topics) + readers(Command.seats)
        + readers(Command.notifications) + readers(Command.lines) + readers(Command.stops) + readers(Command.tours)
        + readers(Command.broadcasts) + readers(Command.office) + readers(Command.safety)
        + readers(Command.registry) + readers(Command.reservations) + readers(Command.advice)
        + readers(Command.reliability) + readers(Command.trips) + readers(Command.push)
        + readers(Command.records)

    private static func readers<Group: CommandGroup>(
        _ command: @escaping @Sendable (Group) -> Command
    ) -> [Reader] {
        Group.kinds.map { kind in
            Reader(name: kind.name, rule: kind.rule) { (object) throws(ErrorReply) in command(try kind.read(object)) }
        }
    }
}
