/// What is known of a command before one has come: its name, who may send it, and its fields.
public final class CommandRule: Sendable {
    /// As it stands in the field `cmd`.
    public let name: String
    public let roles: [Role]
    public let objects: Permissions.Objects
    /// Those of them who may ask it with one request over HTTP. Nobody: it is of the connection that it comes over.
    public let rolesOverHTTP: [Role]
    /// Operators may send it for who telephones, with `on_behalf_of`.
    public let forCallers: Bool
    /// Passengers may send it of whom nobody knows who they are.
    public let forGuests: Bool
    /// Besides `cmd`, `id`, `key` and `on_behalf_of`, by the names that they have in both encodings.
    public let fields: [String]

    /// `overHTTP`: nil says that it follows from `objects`. What drivers do to their own vehicles goes by the connection that
    /// sends their positions: the worker that has it judges by them, and finds out with it that a driver is lost.
    init(
        name: String, roles: [Role], objects: Permissions.Objects, overHTTP: [Role]? = nil, forCallers: Bool = false,
        forGuests: Bool = false, fields: [String]
    ) {
        self.name = name
        self.forCallers = forCallers
        self.forGuests = forGuests
        self.roles = roles
        self.objects = objects
        self.fields = fields
        rolesOverHTTP =
            overHTTP
            ?? roles.filter { role in
                switch objects {
                case .city, .channel: true
                case .own: role != .driver && role != .busDriver
                case .connection: false
                }
            }
    }
}

/// The one description of a command: its rule, and how it is read and written. A class, for the list is searched for each message.
final class CommandKind<Group: Sendable>: Sendable {
    let name: StaticString
    let rule: CommandRule
    let read: @Sendable (Envelope) throws(ErrorReply) -> Group
    /// Writes the fields; false, and nothing is written, if the command is of another kind.
    let write: @Sendable (Group, inout JSONWriter) -> Bool
    let includes: @Sendable (Group) -> Bool

    /// `make` gives the command of fields that were read in this order; `take` the values of a command of this kind, nil for
    /// any other.
    init<each Part>(
        _ name: StaticString, _ roles: [Role], _ objects: Permissions.Objects, overHTTP: [Role]? = nil,
        forCallers: Bool = false, forGuests: Bool = false, _ fields: repeat Fields<each Part>,
        make: @escaping @Sendable (repeat each Part) -> Group,
        take: @escaping @Sendable (Group) -> (repeat each Part)?
    ) {
        let fields = (repeat each fields)
        var names: [StaticString] = []
        repeat names.append(contentsOf: (each fields).names)
        self.name = name
        rule = CommandRule(
            name: "\(name)", roles: roles, objects: objects, overHTTP: overHTTP, forCallers: forCallers,
            forGuests: forGuests, fields: names.map { "\($0)" })
        read = { (object) throws(ErrorReply) in make(repeat try (each fields).read(object)) }
        write = { command, writer in
            guard let values = take(command) else { return false }
            repeat (each fields).write(each values, &writer)
            return true
        }
        includes = { take($0) != nil }
    }

    /// One without fields.
    init(
        _ name: StaticString, _ roles: [Role], _ objects: Permissions.Objects, overHTTP: [Role]? = nil,
        forCallers: Bool = false, forGuests: Bool = false, _ command: Group
    ) where Group: Equatable {
        self.name = name
        rule = CommandRule(
            name: "\(name)", roles: roles, objects: objects, overHTTP: overHTTP, forCallers: forCallers,
            forGuests: forGuests, fields: [])
        read = { _ in command }
        write = { other, _ in other == command }
        includes = { $0 == command }
    }
}

/// The commands of one capability of the hub, each of which `kinds` describes.
protocol CommandGroup: Equatable, Sendable {
    static var kinds: [CommandKind<Self>] { get }
}

extension CommandGroup {
    var kind: CommandKind<Self> {
        guard let kind = Self.kinds.first(where: { $0.includes(self) }) else {
            preconditionFailure("\(self) has no description")
        }
        return kind
    }
}

/// Who may send what. The rule of a command stands in its description; a command that has none can't be sent by anybody.
///
/// It says which roles may send a command, and on whose objects. That an object is the sender's own is held by the Redis function
/// that the command calls; that a channel may be read or written, by the capability that has it (`VehicleFeeds`, `Topics`).
public enum Permissions {
    /// Whose objects a command touches.
    public enum Objects: String, Sendable {
        /// The sender's own: its ride, its bookings, its vehicle, its tour.
        case own
        /// Anything of the city that everybody may see or ask for.
        case city
        /// What the channel says.
        case channel
        /// None: the connection itself.
        case connection
    }

    public static func may(_ role: Role, isGuest: Bool = false, _ command: Command) -> Bool {
        let rule = command.rule
        return rule.roles.contains(role) && (rule.forGuests || !isGuest)
    }
}
