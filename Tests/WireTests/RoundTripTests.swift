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
        #expect(Set(Self.samples.map(\.name)) == Set(Command.rules.map(\.name)))
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

    static let samples: [Command] =
        registrySamples + reservationSamples + adviceSamples + tripSamples + pushSamples + [
            .session(.hello(token: nil, resume: [])),
            .session(
                .hello(
                    token: "a.b.c",
                    resume: [
                        ResumePoint(channel: "driver:T345", seq: "1795210199123-0"),
                        ResumePoint(channel: "zone:14", seq: "1-0"),
                    ])),
            .position(PositionFix(lat: 45.464211, lon: 9.191383, at: 1_795_210_199_000)),
            .position(PositionFix(lat: -90, lon: 180, at: 0, heading: 360, speed: 0, accuracy: 100_000)),
            .position(PositionFix(lat: 0, lon: 1e-300, at: 1, heading: 0.1, speed: 99.999999999999, accuracy: 1e-7)),
            .rides(.driverAvailable), .rides(.driverUnavailable),
            .rides(.offerSeen(ride: "r_8Qz")), .rides(.offerAccept(ride: "r:1")), .rides(.offerDecline(ride: "r-1.2")),
            .rides(.rideAboard(ride: nil, passengers: nil)), .rides(.rideAboard(ride: "r", passengers: 99)),
            .rides(.rideEnd(ride: nil)), .rides(.rideEnd(ride: "r")), .rides(.rideNoshow(ride: nil)),
            .rides(.rideNoshow(ride: "r")),
            .rides(.rideRequest(lat: 0, lon: 0, passengers: 1, destination: nil)),
            .rides(
                .rideRequest(
                    lat: 45.5, lon: 9.2, passengers: 1_000_000, destination: Place(lat: -45.123456789012345, lon: -180))
            ),
            .rides(
                .rideRequest(
                    lat: 1, lon: 2, passengers: 1, destination: nil, needs: ["wheelchair", "x-2"], wait: true)),
            .rides(.rideCancel(ride: nil)), .rides(.rideCancel(ride: "r")), .rides(.rideSearch(ride: nil)),
            .rides(.rideSearch(ride: "r")), .rides(.rideShare(ride: nil)), .rides(.rideUnshare(ride: "r")),
            .channels(.subscribe(channel: "topic:ride.*", options: FeedOptions(), since: "1795210199123-0")),
            .channels(
                .subscribe(
                    channel: "zone:14",
                    options: FeedOptions(
                        filter: FeedFilter(kinds: [.taxi, .bus], states: .available, seats: 2, route: "R7"),
                        maxRate: 0.5),
                    since: nil)),
            .channels(
                .subscribe(
                    channel: "city", options: FeedOptions(filter: FeedFilter(seats: 99), maxRate: 20), since: nil)),
            .channels(.unsubscribe(channel: #"near"\x"#)),
            .channels(.watch(lat: 45.46, lon: 9.19, radius: 50, options: FeedOptions())),
            .channels(
                .watch(
                    lat: -90, lon: 180, radius: 5000,
                    options: FeedOptions(
                        filter: FeedFilter(states: [.busy, .unavailable]), maxRate: 0.05,
                        destination: Place(lat: 45.48, lon: -179.5)))),
            .channels(.unwatch), .seats(.seatsSet(taken: 0, reason: nil)),
            .seats(.seatsSet(taken: 99, reason: "walk_on")),
            .seats(.routeSet(route: nil, way: nil)), .seats(.routeSet(route: "R-7:x", way: nil)),
            .seats(
                .routeSet(
                    route: nil, way: AnnouncedWay(start: Place(lat: 45.5, lon: 9.1), end: Place(lat: -90, lon: 180)))),
            .seats(
                .routeSet(
                    route: "R7",
                    way: AnnouncedWay(
                        start: Place(lat: 0, lon: 0), via: [Place(lat: 1, lon: 2), Place(lat: 0.1, lon: -0.2)],
                        end: Place(lat: 3, lon: 4)))),
            .seats(
                .seatBook(
                    SeatRequest(
                        vehicle: "M7", pickup: Place(lat: 45.5, lon: 9.1), destination: Place(lat: 45.6, lon: 9.2),
                        passengers: 99))),
            .seats(.seatRequest(pickup: Place(lat: 4, lon: 9), destination: Place(lat: 5, lon: 9), passengers: 2)),
            .seats(.seatAccept(booking: "b_1")), .seats(.seatDecline(booking: "b:1")),
            .seats(.seatCancel(booking: nil)), .seats(.seatCancel(booking: "b")),
            .seats(.seatAboard(booking: "b", passengers: nil)), .seats(.seatAboard(booking: "b", passengers: 1)),
            .seats(.seatEnd(booking: "b.2")), .seats(.vehicleGet(vehicle: "M-7")),
            .broadcasts(.broadcast(to: .drivers, zone: "14", text: "Straße gesperrt")),
            .broadcasts(.broadcast(to: .busDrivers, zone: nil, text: "x")),
            .office(.queue(zone: "Ä 1")), .office(.driver("T1")), .office(.ride("r_1")),
            .office(.remove(driver: "T1", reason: "Straße \"gesperrt\"")), .office(.cancel(.ride("r_1"), reason: "x")),
            .office(.cancel(.booking("b_1"), reason: "x")), .office(.end(.ride("r_1"), reason: "x")),
            .office(.end(.booking("b_1"), reason: "x")), .office(.offer(ride: "r_1", driver: "T1")),
            .office(.put(driver: "T1", zone: nil, rank: nil, reason: "x")),
            .office(.put(driver: "T1", zone: "Ä 1", rank: 100_000, reason: "x")),
            .office(.reassign(ride: "r_1", driver: nil, reason: "x")),
            .office(.reassign(ride: "r_1", driver: "T2", reason: "x")),
            .office(.block(.driver, subject: "T1", reason: "x", until: nil)),
            .office(.block(.passenger, subject: "p1", reason: "x", until: 32_503_680_000_000)),
            .office(.unblock(.passenger, subject: "p1")),
            .office(.endSession(.driver, subject: "T1", reason: "x", revoke: false)),
            .office(.endSession(.service, subject: "s1", reason: "x", revoke: true)),
            .office(.audit(from: nil, limit: OfficeCommand.entries)),
            .office(.audit(from: "1795210210000-0", limit: 100)),
            .safety(.sos(ride: nil, text: nil, at: nil)),
            .safety(.sos(ride: "r_1", text: "Hilfe, \"schnell\"", at: Place(lat: 45.5, lon: -9.25))), .safety(.cancel),
            .safety(.list(closed: false)), .safety(.list(closed: true)), .safety(.acknowledge("s_1", note: nil)),
            .safety(.acknowledge("s_1", note: "x")), .safety(.close("s_1", note: "x")),
            .safety(.report(.driving, text: "zwei\nZeilen", ride: nil, vehicle: nil, anonymous: false)),
            .safety(.report(.lostProperty, text: "x", ride: "r_1", vehicle: "T1", anonymous: true)),
            .safety(.reports(from: nil, limit: SafetyCommand.entries, closed: false)),
            .safety(.reports(from: "p_1795210210000", limit: 100, closed: true)),
            .safety(.closeReport("p_1", note: "x")),
            .notifications(.notifySet(NotificationPreferences())),
            .notifications(
                .notifySet(NotificationPreferences(mute: [.eta, .requests], quiet: QuietHours(from: 1439, to: 0)))),
            .notifications(
                .notifySet(
                    NotificationPreferences(
                        quiet: QuietHours(from: 0, to: 1, timeZone: "America/Argentina/Buenos_Aires")))),
            .topics(.publish(channel: "topic:x", type: nil, data: Array("{}".utf8))),
            .topics(
                .publish(
                    channel: "topic:roads", type: "roadworks",
                    data: Array(#"{ "a":[1,{"b":"\u00e9"}], "a":null }"#.utf8))),
            .tours(.tourStart(bus: "B7", line: "52", pattern: nil, trip: nil)),
            .tours(.tourStart(bus: "#1/a", line: "~", pattern: "52:0", trip: "t@9")), .tours(.tourEnd(tour: nil)),
            .tours(.tourEnd(tour: "t_1")),
            .lines(.lineEta(line: "52", place: .stop("mill"))),
            .lines(.lineEta(line: "#1/a", place: .point(lat: -45.5, lon: 9))),
            .stops(.stopRequest(StopRequest(line: "52", place: .stop("mill"), name: "Ada"))),
            .stops(
                .stopRequest(
                    StopRequest(
                        line: "52", place: .point(lat: -45.5, lon: 9), at: 1_795_210_199_000, passengers: 99,
                        name: "Zoë \"Z\"",
                        number: "+49 30 1", address: "Mühlenweg 1\\2", help: ["wheelchair", "shopping"],
                        back: StopRequest.Back(place: .stop("a"), at: 1_795_220_199_000, passengers: 1)))),
            .stops(.stopCancel(request: "s_1")), .stops(.stopAnswer(.accept, request: "s_1", all: false)),
            .stops(.stopAnswer(.decline, request: "s_1", all: true)),
            .stops(.stopAnswer(.complete, request: "s:1", all: false)),
            .stops(.stopAnswer(.noshow, request: "s-1", all: true)),
            .tours(.stopNext(skip: false)), .tours(.stopNext(skip: true)), .tours(.stopPrevious),
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

    mutating func optional<Value>(_ make: (inout Self) -> Value) -> Value? {
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

    private mutating func trip(_ isAhead: Bool = false) -> OfficeCommand.Trip {
        isAhead ? .reservation(identifier()) : Bool.random(using: &self) ? .ride(identifier()) : .booking(identifier())
    }

    private mutating func blocked() -> OfficeCommand.Blocked { Bool.random(using: &self) ? .driver : .passenger }

    mutating func place() -> Place { Place(lat: number(-90...90), lon: number(-180...180)) }

    mutating func command() -> Command {
        switch Command.rules.randomElement(using: &self)?.name {
        case "hello":
            var channels: [String: String] = [:]
            for _ in 0..<Int.random(in: 0...16, using: &self) { channels[visible(upTo: 128)] = visible(upTo: 64) }
            return .session(
                .hello(
                    token: optional { $0.visible(upTo: 300) },
                    resume: channels.sorted { $0.key < $1.key }.map { ResumePoint(channel: $0.key, seq: $0.value) }))
        case "position":
            return .position(
                PositionFix(
                    lat: number(-90...90), lon: number(-180...180),
                    at: .random(in: 0...WireLimits.largestInteger, using: &self),
                    heading: optional { $0.number(0...360) }, speed: optional { $0.number(0...100) },
                    accuracy: optional { $0.number(0...100_000) }))
        case "driver.available": return .rides(.driverAvailable)
        case "driver.unavailable": return .rides(.driverUnavailable)
        case "offer.seen": return .rides(.offerSeen(ride: identifier()))
        case "offer.accept": return .rides(.offerAccept(ride: identifier()))
        case "offer.decline": return .rides(.offerDecline(ride: identifier()))
        case "ride.aboard":
            return .rides(
                .rideAboard(
                    ride: optional { $0.identifier() }, passengers: optional { .random(in: 1...99, using: &$0) }))
        case "ride.end": return rideEnd()
        case "ride.noshow": return .rides(.rideNoshow(ride: optional { $0.identifier() }))
        case "ride.request":
            return .rides(
                .rideRequest(
                    lat: number(-90...90), lon: number(-180...180), passengers: .random(in: 1...1000, using: &self),
                    destination: optional { $0.place() }, needs: optional { _ in ["wheelchair", "a-b_1"] },
                    wait: .random(using: &self), payment: optional { _ in .cash }))
        case "ride.cancel": return .rides(.rideCancel(ride: optional { $0.identifier() }))
        case "ride.search": return .rides(.rideSearch(ride: optional { $0.identifier() }))
        case "subscribe":
            return .channels(
                .subscribe(
                    channel: visible(upTo: 128), options: feedOptions(), since: optional { $0.visible(upTo: 64) }))
        case "unsubscribe": return .channels(.unsubscribe(channel: visible(upTo: 128)))
        case "watch":
            return .channels(
                .watch(
                    lat: number(-90...90), lon: number(-180...180), radius: number(50...5000), options: feedOptions()))
        case "unwatch": return .channels(.unwatch)
        case "seats.set":
            return .seats(.seatsSet(taken: .random(in: 0...99, using: &self), reason: optional { $0.identifier() }))
        case "route.set":
            let way = optional { random in
                AnnouncedWay(
                    start: random.place(), via: (0..<Int.random(in: 0...5, using: &random)).map { _ in random.place() },
                    end: random.place())
            }
            return .seats(.routeSet(route: optional { "R" + $0.identifier().prefix(63) }, way: way))
        case "seat.book":
            return .seats(
                .seatBook(
                    SeatRequest(
                        vehicle: identifier(), pickup: place(), destination: place(),
                        passengers: .random(in: 1...99, using: &self), payment: optional { _ in .digital })))
        case "seat.request":
            return .seats(.seatRequest(pickup: place(), destination: place(), passengers: 99, payment: .cash))
        case "seat.accept": return .seats(.seatAccept(booking: identifier()))
        case "seat.decline": return .seats(.seatDecline(booking: identifier()))
        case "seat.cancel": return .seats(.seatCancel(booking: optional { $0.identifier() }))
        case "seat.aboard":
            return .seats(.seatAboard(booking: identifier(), passengers: optional { .random(in: 1...99, using: &$0) }))
        case "seat.end": return .seats(.seatEnd(booking: identifier(), payment: optional { _ in .cash }))
        case "vehicle.get": return .seats(.vehicleGet(vehicle: identifier()))
        case "notify.set":
            let quiet = optional { random in
                QuietHours(
                    from: .random(in: 0...1439, using: &random), to: .random(in: 0...1439, using: &random),
                    timeZone: random.optional { $0.visible(upTo: 64) })
            }
            return .notifications(
                .notifySet(
                    NotificationPreferences(
                        mute: NotificationKinds(rawValue: .random(in: 0...127, using: &self)), quiet: quiet)))
        case "broadcast":
            return .broadcasts(
                .broadcast(
                    to: BroadcastAudience.allCases.randomElement(using: &self) ?? .drivers,
                    zone: optional { $0.visible(upTo: 64) }, text: visible(upTo: 500)))
        case "sos":
            return .safety(
                .sos(
                    ride: optional { $0.identifier() }, text: optional { $0.visible(upTo: 500) },
                    at: optional { $0.place() }))
        case "reservation.make", "reservation.list", "reservation.cancel": return reservationCommand()
        case "advice.get", "reliability.get", "reliability.of", "reliability.reset": return adviceCommand()
        case "push.subscribe", "push.unsubscribe": return pushCommand()
        case "sos.cancel": return .safety(.cancel)
        case "sos.list": return .safety(.list(closed: .random(using: &self)))
        case "sos.acknowledge": return .safety(.acknowledge(identifier(), note: optional { $0.visible(upTo: 200) }))
        case "sos.close": return .safety(.close(identifier(), note: visible(upTo: 200)))
        case "report.send":
            return .safety(
                .report(
                    SafetyCommand.Category.allCases.randomElement(using: &self) ?? .other, text: visible(upTo: 4000),
                    ride: optional { $0.identifier() }, vehicle: optional { $0.identifier() },
                    anonymous: .random(using: &self)))
        case "report.list":
            return .safety(
                .reports(
                    from: optional { $0.identifier() }, limit: .random(in: 1...100, using: &self),
                    closed: .random(using: &self)))
        case "report.close": return .safety(.closeReport(identifier(), note: visible(upTo: 200)))
        case "drivers.set", "drivers.get", "drivers.list", "drivers.remove": return driversCommand()
        case "vehicles.set", "vehicles.get", "vehicles.list", "vehicles.remove": return vehiclesCommand()
        case "office.queue": return .office(.queue(zone: visible(upTo: 64)))
        case "office.driver": return .office(.driver(identifier()))
        case "office.ride": return .office(.ride(identifier()))
        case "office.remove": return .office(.remove(driver: identifier(), reason: visible(upTo: 200)))
        case "office.put":
            return .office(
                .put(
                    driver: identifier(), zone: optional { $0.visible(upTo: 64) },
                    rank: optional { .random(in: 1...100_000, using: &$0) }, reason: visible(upTo: 200)))
        case "office.offer": return .office(.offer(ride: identifier(), driver: identifier()))
        case "office.reassign":
            return .office(
                .reassign(ride: identifier(), driver: optional { $0.identifier() }, reason: visible(upTo: 200)))
        case "office.cancel": return .office(.cancel(trip(.random(using: &self)), reason: visible(upTo: 200)))
        case "office.end": return .office(.end(trip(), reason: visible(upTo: 200)))
        case "office.block":
            return .office(
                .block(
                    blocked(), subject: identifier(), reason: visible(upTo: 200),
                    until: optional { .random(in: 0...32_503_680_000_000, using: &$0) }))
        case "office.unblock": return .office(.unblock(blocked(), subject: identifier()))
        case "office.session_end":
            return .office(
                .endSession(
                    Role.allCases.randomElement(using: &self) ?? .driver, subject: identifier(),
                    reason: visible(upTo: 200), revoke: .random(using: &self)))
        case "office.audit":
            return .office(.audit(from: optional { $0.identifier() }, limit: .random(in: 1...100, using: &self)))
        case "publish":
            return .topics(
                .publish(
                    channel: visible(upTo: 128), type: optional { $0.identifier() },
                    data: JSONValue.object(["a": .string(visible(upTo: 20)), "b": [.number(number(-1...1)), nil]])
                        .serialized()))
        case "tour.start":
            return .tours(
                .tourStart(
                    bus: visible(upTo: 64), line: visible(upTo: 64), pattern: optional { $0.visible(upTo: 64) },
                    trip: optional { $0.visible(upTo: 64) }))
        case "tour.end": return .tours(.tourEnd(tour: optional { $0.identifier() }))
        case "stop.next": return .tours(.stopNext(skip: .random(using: &self)))
        case "stop.previous": return .tours(.stopPrevious)
        case "line.eta": return .lines(.lineEta(line: visible(upTo: 64), place: stopRequest().place))
        case "stop.request": return .stops(.stopRequest(stopRequest()))
        case "stop.cancel": return .stops(.stopCancel(request: identifier()))
        case "stop.accept": return .stops(.stopAnswer(.accept, request: identifier(), all: .random(using: &self)))
        case "stop.decline": return .stops(.stopAnswer(.decline, request: identifier(), all: .random(using: &self)))
        case "stop.complete": return .stops(.stopAnswer(.complete, request: identifier(), all: .random(using: &self)))
        case "stop.noshow": return .stops(.stopAnswer(.noshow, request: identifier(), all: .random(using: &self)))
        case let other: return tripCommand(other ?? "")
        }
    }
}
