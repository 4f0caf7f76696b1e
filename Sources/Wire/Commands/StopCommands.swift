/// Stops on request.
public enum StopCommand: CommandGroup {
    case stopRequest(StopRequest)
    case stopCancel(request: String)
    /// Of a driver. `all`: every request at the same place that is in the same state.
    case stopAnswer(StopAnswer, request: String, all: Bool)

    private static let request = Field.required("request", .request)

    static let kinds: [CommandKind<StopCommand>] = [
        CommandKind(
            "stop.request", [.passenger], .own, forCallers: true, forGuests: true, StopRequest.fields,
            make: StopCommand.stopRequest,
            take: { if case .stopRequest(let request) = $0 { request } else { nil } }),
        CommandKind(
            "stop.cancel", [.passenger], .own, forCallers: true, forGuests: true, request, make: StopCommand.stopCancel,
            take: { if case .stopCancel(let request) = $0 { request } else { nil } }),
        answer("stop.accept", .accept), answer("stop.decline", .decline), answer("stop.complete", .complete),
        answer("stop.noshow", .noshow),
    ]

    private static func answer(_ name: StaticString, _ answer: StopAnswer) -> CommandKind<StopCommand> {
        CommandKind(
            name, [.busDriver], .own, overHTTP: [.busDriver], Field.optional("all", FlagKind(), absent: false), request,
            make: { .stopAnswer(answer, request: $1, all: $0) },
            take: { if case .stopAnswer(answer, let request, let all) = $0 { (all, request) } else { nil } })
    }
}

/// How a driver answers a request for a stop.
public enum StopAnswer: String, CaseIterable, Sendable {
    case accept, decline, complete, noshow
}

/// What a citizen asks of a line: to stop at a place at a time.
public struct StopRequest: Equatable, Sendable {
    /// Where to get on.
    public enum Place: Equatable, Sendable {
        /// A stop of the catalog, by its id.
        case stop(String)
        /// Degrees, WGS 84.
        case point(lat: Double, lon: Double)
    }

    /// The way back, asked for at once: a request of its own, linked to the first.
    public struct Back: Equatable, Sendable {
        public var place: Place
        /// Unix milliseconds.
        public var at: Int64
        /// Nil: as many as on the way there. 1…99.
        public var passengers: Int?

        public init(place: Place, at: Int64, passengers: Int? = nil) {
            self.place = place
            self.at = at
            self.passengers = passengers
        }
    }

    /// Id of the line, 1–64 visible ASCII characters.
    public var line: String
    public var place: Place
    /// When, Unix milliseconds; nil: as soon as the bus comes by.
    public var at: Int64?
    /// 1…99.
    public var passengers: Int
    /// By which the driver knows whom to fetch: 1–80 bytes.
    public var name: String
    /// To be called at, 1–32 bytes.
    public var number: String?
    /// For people, 1–200 bytes.
    public var address: String?
    /// What help is needed, as `wheelchair`, `baggage`, `shopping`: up to 8 of 1–32 of `[A-Za-z0-9_.:-]`.
    public var help: [String]
    public var back: Back?

    public init(
        line: String, place: Place, at: Int64? = nil, passengers: Int = 1, name: String, number: String? = nil,
        address: String? = nil, help: [String] = [], back: Back? = nil
    ) {
        self.line = line
        self.place = place
        self.at = at
        self.passengers = passengers
        self.name = name
        self.number = number
        self.address = address
        self.help = help
        self.back = back
    }

    static let fields = Fields(
        Field.required(
            "name", ProseKind(limit: WireLimits.personNameBytes, expected: "a name, 1 to 80 bytes of text on one line")),
        Field.required("line", .catalogID), Place.fields, Field.optional("at", .pickupTime),
        Field.optional("passengers", .party),
        Field.optional(
            "number", ProseKind(limit: WireLimits.phoneNumberBytes, expected: "a number to call, 1 to 32 bytes")),
        Field.optional("address", ProseKind(limit: WireLimits.addressBytes, expected: "an address, 1 to 200 bytes")),
        Field.optional("help", HelpKind(), absent: []),
        Field.optional("back", ObjectKind(expected: "an object with at, and stop or lat and lon", fields: Back.fields)),
        make: { name, line, place, at, passengers, number, address, help, back in
            StopRequest(
                line: line, place: place, at: at, passengers: passengers ?? 1, name: name, number: number,
                address: address, help: help, back: back)
        },
        take: { ($0.name, $0.line, $0.place, $0.at, $0.passengers, $0.number, $0.address, $0.help, $0.back) })
}

extension StopRequest.Back {
    static let fields = Fields(
        StopRequest.Place.fields, Field.required("at", .pickupTime), Field.optional("passengers", .party),
        make: { StopRequest.Back(place: $0, at: $1, passengers: $2) }, take: { ($0.place, $0.at, $0.passengers) }
    ).demanding(("at", WholeKind<Int64>.pickupTime))
}

extension StopRequest.Place {
    /// Either `stop`, or `lat` and `lon`.
    static let fields = Fields<StopRequest.Place>(names: ["stop", "lat", "lon"]) { (object) throws(ErrorReply) in
        if let stop = try object.optional("stop", .stop) { return .stop(stop) }
        guard object["lat"].kind != nil || object["lon"].kind != nil else {
            throw object.refusal("stop", "the id of a stop, or a place as `lat` and `lon`")
        }
        let point = try ObjectKind.place.fields.read(object)
        return .point(lat: point.lat, lon: point.lon)
    } write: { place, writer in
        switch place {
        case .stop(let id): writer.member("stop", id)
        case .point(let lat, let lon):
            writer.member("lat", lat)
            writer.member("lon", lon)
        }
    }
}

/// Words for what help is needed.
private struct HelpKind: FieldKind {
    var expected: StaticString { "a list of up to 8 words like wheelchair, baggage, shopping" }
    private static let word = TextKind(.identifier, upTo: 32, "")

    func read(
        _ name: StaticString, _ slot: Envelope.Slot, of object: Envelope
    ) throws(ErrorReply) -> [String] {
        guard slot.kind == .array else { throw object.refusal(name, expected) }
        var list = JSONReader(object.bytes(of: slot))
        var words: [String] = []
        // The text was checked with the whole message, so nothing fails here but what is thrown by name.
        try? list.enterArray()
        while (try? list.nextElement()) == true {
            guard words.count < 8, (try? list.kind()) == .string, let token = try? list.string() else {
                throw object.refusal(name, expected, got: "got more, or something else")
            }
            guard list.withBytes(token, Self.word.accepts) else {
                throw object.refusal(name, expected, got: "got a word of other characters")
            }
            words.append(list.text(token))
        }
        return words
    }

    func write(_ value: [String], into writer: inout JSONWriter) {
        writer.beginArray()
        for word in value { writer.string(word) }
        writer.endArray()
    }
}

extension FieldKind where Self == TextKind {
    fileprivate static var request: TextKind {
        .identifier("the id of a request, 1 to 64 characters of A-Z a-z 0-9 _ . : -")
    }
    fileprivate static var stop: TextKind {
        TextKind(.visible, upTo: WireLimits.identifierBytes, "the id of a stop, 1 to 64 visible ASCII characters")
    }
}

extension FieldKind where Self == WholeKind<Int64> {
    fileprivate static var pickupTime: WholeKind<Int64> {
        WholeKind(0...WireLimits.largestInteger, "the pickup time in Unix milliseconds, a whole number from 0")
    }
}
