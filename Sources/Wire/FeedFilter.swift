/// Whether a vehicle can be had.
public enum VehicleState: UInt8, Sendable, CaseIterable {
    case available, busy, unavailable

    /// As it stands in messages.
    public var text: StaticString {
        switch self {
        case .available: "available"
        case .busy: "busy"
        case .unavailable: "unavailable"
        }
    }

    /// From its text in a message.
    public init?(text: UnsafeRawBufferPointer) {
        switch ByteText(text) {
        case "available": self = .available
        case "busy": self = .busy
        case "unavailable": self = .unavailable
        default: return nil
        }
    }
}

/// What a vehicle is.
public enum VehicleKind: UInt8, Sendable, CaseIterable {
    case taxi, minibus, bus

    /// As it stands in messages.
    public var text: StaticString {
        switch self {
        case .taxi: "taxi"
        case .minibus: "minibus"
        case .bus: "bus"
        }
    }

    /// From its text in a message.
    public init?(text: UnsafeRawBufferPointer) {
        switch ByteText(text) {
        case "taxi": self = .taxi
        case "minibus": self = .minibus
        case "bus": self = .bus
        default: return nil
        }
    }
}

/// How long ago a vehicle was heard of.
public enum Freshness: UInt8, Sendable, CaseIterable {
    case live, stale

    /// As it stands in messages.
    public var text: StaticString {
        switch self {
        case .live: "live"
        case .stale: "stale"
        }
    }
}

/// A set of kinds of vehicles.
public struct VehicleKinds: OptionSet, Hashable, Sendable {
    public var rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The set of one.
    public init(_ kind: VehicleKind) { rawValue = 1 << kind.rawValue }
}

/// A set of states of vehicles.
public struct VehicleStates: OptionSet, Hashable, Sendable {
    public var rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The set of one.
    public init(_ state: VehicleState) { rawValue = 1 << state.rawValue }
}

/// Which vehicles a subscriber of a feed wants to see. All that is given must hold; one that is empty lets all pass.
public struct FeedFilter: Hashable, Sendable {
    public var kinds: VehicleKinds?
    public var states: VehicleStates?
    /// At least so many free seats. A vehicle that does not tell its seats does not match.
    public var seats: Int?
    public var route: String?

    public init(
        kinds: VehicleKinds? = nil, states: VehicleStates? = nil, seats: Int? = nil, route: String? = nil
    ) {
        self.kinds = kinds
        self.states = states
        self.seats = seats
        self.route = route
    }

    /// Whether such a vehicle is wanted.
    public func matches(kind: VehicleKind, state: VehicleState, seats: Int?, route: String?) -> Bool {
        if let kinds, !kinds.contains(VehicleKinds(kind)) { return false }
        if let states, !states.contains(VehicleStates(state)) { return false }
        if let wanted = self.seats {
            guard let seats, seats >= wanted else { return false }
        }
        return self.route == nil || self.route == route
    }
}

extension VehicleState {
    /// From its text in a message.
    public init?(text: String) {
        guard let known = Self.allCases.first(where: { $0.text.description == text }) else { return nil }
        self = known
    }
}

extension VehicleKind {
    /// From its text in a message.
    public init?(text: String) {
        guard let known = Self.allCases.first(where: { $0.text.description == text }) else { return nil }
        self = known
    }
}

extension Freshness {
    /// From its text in a message.
    public init?(text: String) {
        guard let known = Self.allCases.first(where: { $0.text.description == text }) else { return nil }
        self = known
    }
}

extension VehicleStates {
    public static let available = VehicleStates(.available)
    public static let busy = VehicleStates(.busy)
    public static let unavailable = VehicleStates(.unavailable)
}

extension VehicleKinds {
    public static let taxi = VehicleKinds(.taxi)
    public static let minibus = VehicleKinds(.minibus)
    public static let bus = VehicleKinds(.bus)
}
