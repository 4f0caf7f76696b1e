import Testing
import Wire

@Suite("Commands survive being written and read")
struct RoundTripTests {
    @Test("every command, with and without id, key and optional fields")
    func each() {
        for command in Self.samples {
            for (id, key) in [(nil, nil), (0, "a"), (WireLimits.largestInteger, String(repeating: "Z", count: 64))]
                as [(Int64?, String?)]
            {
                let message = ClientMessage(id: id, key: key, command: command)
                #expect(decoded(message.encoded()) == .message(message))
            }
        }
    }

    @Test("samples cover the closed list of commands")
    func closedList() {
        #expect(Set(Self.samples.map(\.name)) == Set(CommandName.allCases))
    }

    @Test("20,000 random messages")
    func random() {
        var random = SeededGenerator(seed: 20_261_120)
        for _ in 0..<20_000 {
            let message = ClientMessage(
                id: Bool.random(using: &random) ? .random(in: 0...WireLimits.largestInteger, using: &random) : nil,
                key: Bool.random(using: &random) ? random.identifier() : nil,
                command: random.command())
            let bytes = message.encoded()
            #expect(decoded(bytes) == .message(message), "\(String(decoding: bytes, as: UTF8.self))")
        }
    }

    static let samples: [Command] = [
        .hello(token: nil, resume: []),
        .hello(token: "a.b.c", resume: [("driver:T345", "1795210199123-0"), ("zone:14", "1-0")]),
        .position(PositionFix(lat: 45.464211, lon: 9.191383, at: 1_795_210_199_000)),
        .position(PositionFix(lat: -90, lon: 180, at: 0, heading: 360, speed: 0, accuracy: 100_000)),
        .position(PositionFix(lat: 0, lon: 1e-300, at: 1, heading: 0.1, speed: 99.999999999999, accuracy: 1e-7)),
        .driverAvailable, .driverUnavailable,
        .offerSeen(ride: "r_8Qz"), .offerAccept(ride: "r:1"), .offerDecline(ride: "r-1.2"),
        .rideAboard(ride: nil, passengers: nil), .rideAboard(ride: "r", passengers: 99),
        .rideEnd(ride: nil), .rideEnd(ride: "r"), .rideNoshow(ride: nil), .rideNoshow(ride: "r"),
        .rideRequest(lat: 0, lon: 0, passengers: 1, destination: nil),
        .rideRequest(lat: 45.5, lon: 9.2, passengers: 1_000_000, destination: (-45.123456789012345, -180)),
        .rideCancel(ride: nil), .rideCancel(ride: "r"), .rideSearch(ride: nil), .rideSearch(ride: "r"),
        .subscribe(channel: "topic:ride.*", options: FeedOptions(), since: "1795210199123-0"),
        .subscribe(
            channel: "zone:14",
            options: FeedOptions(
                filter: FeedFilter(kinds: [.taxi, .bus], states: .available, seats: 2, route: "R7"), maxRate: 0.5),
            since: nil),
        .subscribe(channel: "city", options: FeedOptions(filter: FeedFilter(seats: 99), maxRate: 20), since: nil),
        .unsubscribe(channel: #"near"\x"#),
        .watch(lat: 45.46, lon: 9.19, radius: 50, options: FeedOptions()),
        .watch(
            lat: -90, lon: 180, radius: 5000,
            options: FeedOptions(
                filter: FeedFilter(states: [.busy, .unavailable]), maxRate: 0.05,
                destination: Place(lat: 45.48, lon: -179.5))),
        .unwatch, .seatsSet(taken: 0, reason: nil), .seatsSet(taken: 99, reason: "walk_on"),
        .routeSet(route: nil, way: nil), .routeSet(route: "R-7:x", way: nil),
        .routeSet(
            route: nil, way: AnnouncedWay(start: Place(lat: 45.5, lon: 9.1), end: Place(lat: -90, lon: 180))),
        .routeSet(
            route: "R7",
            way: AnnouncedWay(
                start: Place(lat: 0, lon: 0), via: [Place(lat: 1, lon: 2), Place(lat: 0.1, lon: -0.2)],
                end: Place(lat: 3, lon: 4))),
        .seatBook(
            SeatRequest(
                vehicle: "M7", pickup: Place(lat: 45.5, lon: 9.1), destination: Place(lat: 45.6, lon: 9.2),
                passengers: 99)),
        .seatAccept(booking: "b_1"), .seatDecline(booking: "b:1"), .seatCancel(booking: nil),
        .seatCancel(booking: "b"), .seatAboard(booking: "b", passengers: nil), .seatAboard(booking: "b", passengers: 1),
        .seatEnd(booking: "b.2"), .vehicleGet(vehicle: "M-7"),
        .notifySet(NotificationPreferences()),
        .notifySet(NotificationPreferences(mute: [.eta, .requests], quiet: QuietHours(from: 1439, to: 0))),
        .notifySet(
            NotificationPreferences(quiet: QuietHours(from: 0, to: 1, timeZone: "America/Argentina/Buenos_Aires"))),
        .publish(channel: "topic:x", type: nil, data: Array("{}".utf8)),
        .publish(
            channel: "topic:roads", type: "roadworks", data: Array(#"{ "a":[1,{"b":"\u00e9"}], "a":null }"#.utf8)),
        .tourStart(bus: "B7", line: "52", pattern: nil, trip: nil),
        .tourStart(bus: "#1/a", line: "~", pattern: "52:0", trip: "t@9"), .tourEnd(tour: nil), .tourEnd(tour: "t_1"),
        .lineEta(line: "52", place: .stop("mill")), .lineEta(line: "#1/a", place: .point(lat: -45.5, lon: 9)),
        .stopRequest(StopRequest(line: "52", place: .stop("mill"), name: "Ada")),
        .stopRequest(
            StopRequest(
                line: "52", place: .point(lat: -45.5, lon: 9), at: 1_795_210_199_000, passengers: 99, name: "Zoë \"Z\"",
                number: "+49 30 1", address: "Mühlenweg 1\\2", help: ["wheelchair", "shopping"],
                back: StopRequest.Back(place: .stop("a"), at: 1_795_220_199_000, passengers: 1))),
        .stopCancel(request: "s_1"), .stopAnswer(.accept, request: "s_1", all: false),
        .stopAnswer(.decline, request: "s_1", all: true), .stopAnswer(.complete, request: "s:1", all: false),
        .stopAnswer(.noshow, request: "s-1", all: true),
        .stopNext(skip: false), .stopNext(skip: true), .stopPrevious,
    ]
}

/// splitmix64: the same sequence in every run, so that a failure can be had again.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func identifier() -> String {
        text(of: "ABCXYZabcxyz0189_.:-", count: .random(in: 1...64, using: &self))
    }

    mutating func visible(upTo limit: Int) -> String {
        text(of: ##"ABCabc019_.:-*/!"\#$%&'()+,;<=>?@[\]^`{|}~"##, count: .random(in: 1...limit, using: &self))
    }

    private mutating func text(of alphabet: String, count: Int) -> String {
        let alphabet = Array(alphabet)
        return String((0..<count).map { _ in alphabet.randomElement(using: &self) ?? "x" })
    }

    /// Sometimes with 6 decimals, sometimes with all that a double has.
    mutating func number(_ range: ClosedRange<Double>) -> Double {
        let value = Double.random(in: range, using: &self)
        return Bool.random(using: &self) ? value : (value * 1e6).rounded() / 1e6
    }

    private mutating func optional<Value>(_ make: (inout Self) -> Value) -> Value? {
        Bool.random(using: &self) ? make(&self) : nil
    }

    private mutating func feedOptions() -> FeedOptions {
        FeedOptions(
            filter: FeedFilter(
                kinds: optional { VehicleKinds(rawValue: .random(in: 1...7, using: &$0)) },
                states: optional { VehicleStates(rawValue: .random(in: 1...7, using: &$0)) },
                seats: optional { .random(in: 1...99, using: &$0) },
                route: optional { "7" + $0.identifier().prefix(63) }),
            maxRate: optional { $0.number(0.05...20) })
    }

    private mutating func stopPlace() -> StopRequest.Place {
        Bool.random(using: &self) ? .stop(visible(upTo: 64)) : .point(lat: number(-90...90), lon: number(-180...180))
    }

    private mutating func stopRequest() -> StopRequest {
        StopRequest(
            line: visible(upTo: 64), place: stopPlace(),
            at: optional { .random(in: 0...WireLimits.largestInteger, using: &$0) },
            passengers: .random(in: 1...99, using: &self), name: visible(upTo: 80),
            number: optional { $0.visible(upTo: 32) },
            address: optional { $0.visible(upTo: 200) },
            help: (0..<Int.random(in: 0...8, using: &self)).map { _ in String(identifier().prefix(32)) },
            back: optional {
                StopRequest.Back(
                    place: $0.stopPlace(), at: .random(in: 0...WireLimits.largestInteger, using: &$0),
                    passengers: $0.optional { .random(in: 1...99, using: &$0) })
            })
    }

    private mutating func place() -> Place { Place(lat: number(-90...90), lon: number(-180...180)) }

    mutating func command() -> Command {
        switch CommandName.allCases.randomElement(using: &self) ?? .position {
        case .hello:
            var channels: [String: String] = [:]
            for _ in 0..<Int.random(in: 0...16, using: &self) { channels[visible(upTo: 128)] = visible(upTo: 64) }
            return .hello(
                token: optional { $0.visible(upTo: 300) },
                resume: channels.sorted { $0.key < $1.key }.map { (channel: $0.key, seq: $0.value) })
        case .position:
            return .position(
                PositionFix(
                    lat: number(-90...90), lon: number(-180...180),
                    at: .random(in: 0...WireLimits.largestInteger, using: &self),
                    heading: optional { $0.number(0...360) }, speed: optional { $0.number(0...100) },
                    accuracy: optional { $0.number(0...100_000) }))
        case .driverAvailable: return .driverAvailable
        case .driverUnavailable: return .driverUnavailable
        case .offerSeen: return .offerSeen(ride: identifier())
        case .offerAccept: return .offerAccept(ride: identifier())
        case .offerDecline: return .offerDecline(ride: identifier())
        case .rideAboard:
            return .rideAboard(
                ride: optional { $0.identifier() }, passengers: optional { .random(in: 1...99, using: &$0) })
        case .rideEnd: return .rideEnd(ride: optional { $0.identifier() })
        case .rideNoshow: return .rideNoshow(ride: optional { $0.identifier() })
        case .rideRequest:
            return .rideRequest(
                lat: number(-90...90), lon: number(-180...180), passengers: .random(in: 1...1000, using: &self),
                destination: optional { (lat: $0.number(-90...90), lon: $0.number(-180...180)) })
        case .rideCancel: return .rideCancel(ride: optional { $0.identifier() })
        case .rideSearch: return .rideSearch(ride: optional { $0.identifier() })
        case .subscribe:
            return .subscribe(
                channel: visible(upTo: 128), options: feedOptions(), since: optional { $0.visible(upTo: 64) })
        case .unsubscribe: return .unsubscribe(channel: visible(upTo: 128))
        case .watch:
            return .watch(
                lat: number(-90...90), lon: number(-180...180), radius: number(50...5000), options: feedOptions())
        case .unwatch: return .unwatch
        case .seatsSet:
            return .seatsSet(taken: .random(in: 0...99, using: &self), reason: optional { $0.identifier() })
        case .routeSet:
            let way = optional { random in
                AnnouncedWay(
                    start: random.place(), via: (0..<Int.random(in: 0...5, using: &random)).map { _ in random.place() },
                    end: random.place())
            }
            return .routeSet(route: optional { "R" + $0.identifier().prefix(63) }, way: way)
        case .seatBook:
            return .seatBook(
                SeatRequest(
                    vehicle: identifier(), pickup: place(), destination: place(),
                    passengers: .random(in: 1...99, using: &self)))
        case .seatAccept: return .seatAccept(booking: identifier())
        case .seatDecline: return .seatDecline(booking: identifier())
        case .seatCancel: return .seatCancel(booking: optional { $0.identifier() })
        case .seatAboard:
            return .seatAboard(
                booking: identifier(), passengers: optional { .random(in: 1...99, using: &$0) })
        case .seatEnd: return .seatEnd(booking: identifier())
        case .vehicleGet: return .vehicleGet(vehicle: identifier())
        case .notifySet:
            let quiet = optional { random in
                QuietHours(
                    from: .random(in: 0...1439, using: &random), to: .random(in: 0...1439, using: &random),
                    timeZone: random.optional { $0.visible(upTo: 64) })
            }
            return .notifySet(
                NotificationPreferences(
                    mute: NotificationKinds(rawValue: .random(in: 0...63, using: &self)), quiet: quiet))
        case .publish:
            return .publish(
                channel: visible(upTo: 128), type: optional { $0.identifier() },
                data: JSONValue.object(["a": .string(visible(upTo: 20)), "b": [.number(number(-1...1)), nil]])
                    .serialized())
        case .tourStart:
            return .tourStart(
                bus: visible(upTo: 64), line: visible(upTo: 64), pattern: optional { $0.visible(upTo: 64) },
                trip: optional { $0.visible(upTo: 64) })
        case .tourEnd: return .tourEnd(tour: optional { $0.identifier() })
        case .stopNext: return .stopNext(skip: .random(using: &self))
        case .stopPrevious: return .stopPrevious
        case .lineEta: return .lineEta(line: visible(upTo: 64), place: stopRequest().place)
        case .stopRequest: return .stopRequest(stopRequest())
        case .stopCancel: return .stopCancel(request: identifier())
        case .stopAccept: return .stopAnswer(.accept, request: identifier(), all: .random(using: &self))
        case .stopDecline: return .stopAnswer(.decline, request: identifier(), all: .random(using: &self))
        case .stopComplete: return .stopAnswer(.complete, request: identifier(), all: .random(using: &self))
        case .stopNoshow: return .stopAnswer(.noshow, request: identifier(), all: .random(using: &self))
        }
    }
}
