/// The closed list of error codes of the contract: what a command can be refused with. Anything a client shows or
/// decides by is here and nowhere else; `detail` of an `ErrorReply` is for people.
public enum ErrorCode: String, CaseIterable, Sendable {
    case badMessage = "bad_message"
    case unknownCommand = "unknown_command"
    case unauthenticated
    case forbidden
    case notFound = "not_found"
    case outsideZones = "outside_zones"
    case zonesUnknown = "zones_unknown"
    case zoneEmpty = "zone_empty"
    case tooManyPassengers = "too_many_passengers"
    case alreadyRequested = "already_requested"
    case samePlace = "same_place"
    case inThePast = "in_the_past"
    case tooSoon = "too_soon"
    case tooFarAhead = "too_far_ahead"
    case tooLate = "too_late"
    case offerExpired = "offer_expired"
    case offerTaken = "offer_taken"
    case seatsFull = "seats_full"
    case notAvailable = "not_available"
    case noDriver = "no_driver"
    case outsideHours = "outside_hours"
    case notBookable = "not_bookable"
    case stopPassed = "stop_passed"
    case offRoute = "off_route"
    case noPosition = "no_position"
    case clockSkew = "clock_skew"
    case badPosition = "bad_position"
    case rateLimited = "rate_limited"
    case unavailable
    case `internal`

    /// One line for people, the same for every occurrence of the code.
    public var title: String { row.title }
    /// Whether the same command, unchanged, may succeed later.
    public var retry: Bool { row.retry }
    /// What a client should do.
    public var remedy: String { row.remedy }

    /// The status of an answer over HTTP (RFC 9110). What the rules of the city refuse is a conflict with how things are now.
    public var status: Int {
        switch self {
        case .badMessage: 400
        case .unauthenticated: 401
        case .forbidden: 403
        case .notFound, .unknownCommand: 404
        case .outsideZones, .zoneEmpty, .tooManyPassengers, .alreadyRequested, .offerExpired, .offerTaken, .seatsFull,
            .notAvailable, .noDriver, .outsideHours, .notBookable, .stopPassed, .offRoute, .noPosition, .clockSkew,
            .badPosition, .samePlace, .inThePast, .tooSoon, .tooFarAhead, .tooLate:
            409
        case .rateLimited: 429
        case .internal: 500
        case .zonesUnknown, .unavailable: 503
        }
    }

    private typealias Row = (title: String, retry: Bool, remedy: String)

    private var row: Row {
        switch self {
        case .badMessage:
            ("The message is not valid", false, "Correct the field that is named.")
        case .unknownCommand:
            ("Unknown command", false, "Use a command of this version of the contract.")
        case .unauthenticated:
            ("Not identified", false, "Say hello with a valid token first.")
        case .forbidden:
            ("Not allowed", false, "Use a token whose role and subject allow it.")
        case .notFound:
            ("Not found", false, "Forget the ride or channel that was named.")
        case .outsideZones:
            ("Outside the zones", false, "Choose a place inside the city's zones.")
        case .zonesUnknown:
            ("The zones are not loaded yet", true, "Try again in a few seconds.")
        case .zoneEmpty:
            ("No taxi is available in the zone", true, "Try again in a few minutes.")
        case .tooManyPassengers:
            ("Too many passengers", false, "Request several rides.")
        case .alreadyRequested:
            ("There is an open request already", false, "Wait for it or cancel it.")
        case .samePlace:
            ("Pickup and destination are the same place", false, "Choose another destination.")
        case .inThePast:
            ("The time is over", false, "Choose a time that is to come.")
        case .tooSoon:
            ("Too soon for a reservation", false, "Ask for a taxi now with ride.request, or choose a later time.")
        case .tooFarAhead:
            ("Too far ahead", false, "Ask again nearer to the time.")
        case .tooLate:
            ("Too late to cancel it", false, "Show the reason; the ride itself can be given up with ride.cancel.")
        case .offerExpired:
            ("The offer has expired", false, "Take the offer off the screen.")
        case .offerTaken:
            ("The ride went to another driver or was cancelled", false, "Take the offer off the screen.")
        case .seatsFull:
            ("No seat is left", false, "Choose another vehicle.")
        case .notAvailable:
            ("Not possible in the present state", false, "Ask for the state again and show what it allows.")
        case .noDriver:
            ("Nobody drives the line now", true, "Try again when a bus is on its way.")
        case .outsideHours:
            ("The line does not run then", false, "Choose a time within its working hours.")
        case .notBookable:
            ("It can't be booked now", false, "Choose another time, or ask again when it is said.")
        case .stopPassed:
            ("The bus has passed the place", false, "Choose a place ahead of the bus, or a later time.")
        case .offRoute:
            ("Too far from the route", false, "Choose a place nearer to the line.")
        case .noPosition:
            ("No recent position is known", false, "Send a position, then the command again.")
        case .clockSkew:
            ("The device's clock is wrong", false, "Correct the clock by the `time` of hello's reply.")
        case .badPosition:
            ("The position can't be right", false, "Send the next fix.")
        case .rateLimited:
            ("Too many messages", true, "Wait for `retry_after_ms`, and send less often.")
        case .unavailable:
            ("The service is interrupted", true, "Try again in a second with the same key.")
        case .internal:
            ("Internal error", true, "Try again with the same key; report it if it stays.")
        }
    }
}

/// Why one command was refused. Travels to the client as `{"error":{"code","title","detail","retry","field"?,"retry_after_ms"?}}`.
public struct ErrorReply: Error, Equatable, Sendable {
    public var code: ErrorCode
    /// The field at fault, with a dot for a nested one (`destination.lat`), when there is one.
    public var field: String?
    /// A sentence for people that names what was expected and what came.
    public var detail: String
    /// In how many ms the same command may succeed, where that is known.
    public var retryAfterMs: Int64?
    /// Whether the same command may succeed when it is sent again later.
    public var retry: Bool { code.retry || retryAfterMs != nil }

    public init(code: ErrorCode, field: String? = nil, detail: String, retryAfterMs: Int64? = nil) {
        self.code = code
        self.field = field
        self.detail = detail
        self.retryAfterMs = retryAfterMs
    }

    /// The field that a detail names, as it begins with ``field `taken`:`` or ``fields `lat` and `lon`:``; of several the first.
    public static func field(in detail: String) -> String? {
        let words = detail.split(separator: "`", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3, words[0] == "field " || words[0] == "fields ", !words[1].isEmpty else { return nil }
        return String(words[1])
    }
}
