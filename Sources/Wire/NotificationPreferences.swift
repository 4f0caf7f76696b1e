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

    static let names: [(NotificationKinds, StaticString)] = [
        (.proximity, "proximity"), (.eta, "eta"), (.route, "route"), (.answers, "answers"), (.requests, "requests"),
        (.reminders, "reminders"),
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
}
