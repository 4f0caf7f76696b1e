/// What people want to be told.
public enum NotificationCommand: CommandGroup {
    /// Replaces what was wished before.
    case notifySet(NotificationPreferences)

    static let kinds = [
        CommandKind<NotificationCommand>(
            "notify.set", [.driver, .passenger, .busDriver], .own, overHTTP: [.driver, .passenger, .busDriver],
            NotificationPreferences.fields,
            make: NotificationCommand.notifySet, take: { if case .notifySet(let wishes) = $0 { wishes } else { nil } })
    ]
}

/// What a person can be told unasked.
public struct NotificationKinds: OptionSet, Hashable, Sendable {
    public var rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A vehicle is near, or there.
    public static let proximity = NotificationKinds(rawValue: 1)
    /// The time of arrival has changed.
    public static let eta = NotificationKinds(rawValue: 2)
    /// The vehicle goes another way.
    public static let route = NotificationKinds(rawValue: 4)
    /// A request was accepted or declined.
    public static let answers = NotificationKinds(rawValue: 8)
    /// Somebody asks a driver.
    public static let requests = NotificationKinds(rawValue: 16)
    /// The pickup comes near in time.
    public static let reminders = NotificationKinds(rawValue: 32)
    /// Where a driver should wait.
    public static let advice = NotificationKinds(rawValue: 64)

    static let names: [(NotificationKinds, StaticString)] = [
        (.proximity, "proximity"), (.eta, "eta"), (.route, "route"), (.answers, "answers"), (.requests, "requests"),
        (.reminders, "reminders"), (.advice, "advice"),
    ]

    /// From its text in a message.
    init?(text: UnsafeRawBufferPointer) {
        switch ByteText(text) {
        case "proximity": self = .proximity
        case "eta": self = .eta
        case "route": self = .route
        case "answers": self = .answers
        case "requests": self = .requests
        case "reminders": self = .reminders
        case "advice": self = .advice
        default: return nil
        }
    }

    /// As they stand in messages.
    public var texts: [String] { Self.names.filter { contains($0.0) }.map(\.1.description) }
}

/// What a person does not want to be told, and when.
public struct NotificationPreferences: Hashable, Sendable {
    public var mute: NotificationKinds
    public var quiet: QuietHours?

    public init(mute: NotificationKinds = [], quiet: QuietHours? = nil) {
        self.mute = mute
        self.quiet = quiet
    }

    /// What is not there is not muted.
    static let fields = Fields(
        Field.optional(
            "mute",
            WordsKind(
                expected: "a list of proximity, eta, route, answers, requests, reminders, advice; empty to mute none",
                mayBeEmpty: true, word: NotificationKinds.init(text:),
                texts: { kinds in NotificationKinds.names.filter { kinds.contains($0.0) }.map(\.1) }),
            absent: []),
        Field.optional(
            "quiet", ObjectKind(expected: "an object with from and to", fields: QuietHours.fields)),
        make: { NotificationPreferences(mute: $0, quiet: $1) }, take: { ($0.mute, $0.quiet) })
}

/// Every day from one minute to another, over midnight if `to` is the earlier.
public struct QuietHours: Hashable, Sendable {
    /// Minutes after midnight: 0…1439.
    public var from: Int
    public var to: Int
    /// Whose clock is meant, by its name in the IANA's database, as `Europe/Berlin`. Nil: the city's.
    public var timeZone: String?

    public init(from: Int, to: Int, timeZone: String? = nil) {
        self.from = from
        self.to = to
        self.timeZone = timeZone
    }
    private static let minute = WholeKind<Int>(0...1439, "a whole number from 0 to 1439, minutes after midnight")

    static let fields = Fields(
        Field.required("from", minute), Field.required("to", minute),
        Field.optional(
            "time_zone",
            TextKind(
                .visible, upTo: WireLimits.identifierBytes, "a time zone's name, as Europe/Berlin or UTC")),
        make: { QuietHours(from: $0, to: $1, timeZone: $2) }, take: { ($0.from, $0.to, $0.timeZone) }
    ).demanding(("from", minute), ("to", minute))
}
