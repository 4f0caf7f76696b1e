// The messages of the contract, made of config/contract/schemas by tools/generate. Don't change it by hand.
// swift-format-ignore-file

/// What several messages are made of.
public enum Parts {
    public struct Point: Part {
        public var lat: Double
        public var lon: Double

        public init(_ json: JSON) throws {
            lat = try json.field("lat")
            lon = try json.field("lon")
        }

        public init(lat: Double, lon: Double) {
            self.lat = lat
            self.lon = lon
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["lat"] = lat.json
            fields["lon"] = lon.json
            return fields
        }
    }

    /// Whom to fetch, and where to call: of who has asked by telephone.
    public struct Contact: Readable, Sendable {
        public var name: String
        public var number: String

        public init(_ json: JSON) throws {
            name = try json.field("name")
            number = try json.field("number")
        }
    }

    public struct PaymentMethod: Word {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var cash: Self { Self(rawValue: "cash") }
        public static var digital: Self { Self(rawValue: "digital") }
    }

    /// What all passengers pay together; `amount` in hundredths of the currency.
    public struct Fare: Readable, Sendable {
        public var amount: Int
        public var currency: String

        public init(_ json: JSON) throws {
            amount = try json.field("amount")
            currency = try json.field("currency")
        }
    }

    public struct PaymentState: Word {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var pending: Self { Self(rawValue: "pending") }
        public static var paid: Self { Self(rawValue: "paid") }
        public static var failed: Self { Self(rawValue: "failed") }
        public static var refunded: Self { Self(rawValue: "refunded") }
    }

    public struct Payment: Readable, Sendable {
        public var method: Parts.PaymentMethod
        public var state: Parts.PaymentState
        public var reference: String?

        public init(_ json: JSON) throws {
            method = try json.field("method")
            state = try json.field("state")
            reference = try json.maybe("reference")
        }
    }

    public struct StopPlace: Readable, Sendable {
        public var place: String
        public var at: Int
        public var lat: Double
        public var lon: Double
        public var stop: String?
        /// Of all its requests.
        public var passengers: Int
        public var requests: [Request]

        public init(_ json: JSON) throws {
            place = try json.field("place")
            at = try json.field("at")
            lat = try json.field("lat")
            lon = try json.field("lon")
            stop = try json.maybe("stop")
            passengers = try json.field("passengers")
            requests = try json.field("requests")
        }

        public struct Request: Readable, Sendable {
            public var request: String
            public var state: State
            public var at: Int
            public var passengers: Int
            public var name: String
            public var number: String?
            public var address: String?
            public var help: [String]?
            public var notified: JSON
            public var back: String?
            public var answerBy: Int?

            public init(_ json: JSON) throws {
                request = try json.field("request")
                state = try json.field("state")
                at = try json.field("at")
                passengers = try json.field("passengers")
                name = try json.field("name")
                number = try json.maybe("number")
                address = try json.maybe("address")
                help = try json.maybe("help")
                notified = try json.field("notified")
                back = try json.maybe("back")
                answerBy = try json.maybe("answer_by")
            }

            public struct State: Word {
                public let rawValue: String
                public init(rawValue: String) { self.rawValue = rawValue }
                public static var requested: Self { Self(rawValue: "requested") }
                public static var accepted: Self { Self(rawValue: "accepted") }
            }
        }
    }

    public struct NotificationKind: Word {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var proximity: Self { Self(rawValue: "proximity") }
        public static var eta: Self { Self(rawValue: "eta") }
        public static var route: Self { Self(rawValue: "route") }
        public static var answers: Self { Self(rawValue: "answers") }
        public static var requests: Self { Self(rawValue: "requests") }
        public static var reminders: Self { Self(rawValue: "reminders") }
        public static var advice: Self { Self(rawValue: "advice") }
    }

    /// Every day from one minute to another, over midnight if `to` is the earlier, by the clock of a time zone, when that
    /// is put forward or back too: that of its name in the IANA's database, or else that of the catalog (`agency_timezone`
    /// of a GTFS feed), or else UTC.
    public struct Quiet: Part {
        public var from: Int
        public var to: Int
        public var timeZone: String?

        public init(_ json: JSON) throws {
            from = try json.field("from")
            to = try json.field("to")
            timeZone = try json.maybe("time_zone")
        }

        public init(from: Int, to: Int, timeZone: String? = nil) {
            self.from = from
            self.to = to
            self.timeZone = timeZone
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["from"] = from.json
            fields["to"] = to.json
            fields["time_zone"] = timeZone?.json
            return fields
        }
    }

    /// A position and when it was measured.
    public struct Fix: Readable, Sendable {
        public var lat: Double
        public var lon: Double
        public var at: Int

        public init(_ json: JSON) throws {
            lat = try json.field("lat")
            lon = try json.field("lon")
            at = try json.field("at")
        }
    }

    /// Who comes, as far as the office has registered it: name and picture of the driver, and what to know the car by.
    public struct Card: Readable, Sendable {
        public var name: String?
        public var photo: String?
        public var plate: String?
        public var registration: String?
        public var model: String?
        public var colour: String?
        public var company: String?
        public var capabilities: [String]?
        public var code: String?

        public init(_ json: JSON) throws {
            name = try json.maybe("name")
            photo = try json.maybe("photo")
            plate = try json.maybe("plate")
            registration = try json.maybe("registration")
            model = try json.maybe("model")
            colour = try json.maybe("colour")
            company = try json.maybe("company")
            capabilities = try json.maybe("capabilities")
            code = try json.maybe("code")
        }
    }

    public struct Confidence: Word {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var high: Self { Self(rawValue: "high") }
        public static var medium: Self { Self(rawValue: "medium") }
        public static var low: Self { Self(rawValue: "low") }
    }

    /// The way that a driver has announced.
    public struct Way: Readable, Sendable {
        public var start: Parts.Point
        public var via: [Parts.Point]?
        public var end: Parts.Point

        public init(_ json: JSON) throws {
            start = try json.field("start")
            via = try json.maybe("via")
            end = try json.field("end")
        }
    }

    /// When the bus will be there. Absent where it can't be said yet: without a position of the last minutes, off the
    /// route, or on a round before the one that is meant.
    public struct PlaceEta: Readable, Sendable {
        public var at: Int
        /// 1 of 10 buses is earlier.
        public var early: Int
        /// 1 of 10 buses is later.
        public var late: Int
        public var clock: String?

        public init(_ json: JSON) throws {
            at = try json.field("at")
            early = try json.field("early")
            late = try json.field("late")
            clock = try json.maybe("clock")
        }
    }

    public struct StateDriverState: Word {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var available: Self { Self(rawValue: "available") }
        public static var busy: Self { Self(rawValue: "busy") }
        public static var unavailable: Self { Self(rawValue: "unavailable") }
    }

    /// What a person does not want to be told.
    public struct Wishes: Readable, Sendable {
        public var mute: [Parts.NotificationKind]?
        public var quiet: Parts.Quiet?

        public init(_ json: JSON) throws {
            mute = try json.maybe("mute")
            quiet = try json.maybe("quiet")
        }
    }

    /// A bus on its tour; `pattern` is absent on a line that is driven on request only.
    public struct Tour: Readable, Sendable {
        public var tour: String
        public var bus: String
        public var line: String
        public var pattern: String?
        public var trip: String?
        public var state: State
        public var position: Parts.Fix?
        /// It is driving elsewhere: the position is true, the rest may not be.
        public var offRoute: Bool
        public var seats: Seats
        /// Where the bus is, or comes to next; absent behind the last.
        public var nextStop: NextStop?
        public var delayS: Int?
        /// When it will be at the stops to come, as far as that is known.
        public var etas: [Eta]

        public init(_ json: JSON) throws {
            tour = try json.field("tour")
            bus = try json.field("bus")
            line = try json.field("line")
            pattern = try json.maybe("pattern")
            trip = try json.maybe("trip")
            state = try json.field("state")
            position = try json.maybe("position")
            offRoute = try json.field("off_route")
            seats = try json.field("seats")
            nextStop = try json.maybe("next_stop")
            delayS = try json.maybe("delay_s")
            etas = try json.field("etas")
        }

        public struct State: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var running: Self { Self(rawValue: "running") }
            public static var ended: Self { Self(rawValue: "ended") }
        }

        public struct Seats: Readable, Sendable {
            public var total: Int
            public var taken: Int
            public var free: Int
            /// How many per cent are free.
            public var band: Band

            public init(_ json: JSON) throws {
                total = try json.field("total")
                taken = try json.field("taken")
                free = try json.field("free")
                band = try json.field("band")
            }

            public struct Band: Word {
                public let rawValue: String
                public init(rawValue: String) { self.rawValue = rawValue }
                public static var _100_50: Self { Self(rawValue: "100-50") }
                public static var _49_25: Self { Self(rawValue: "49-25") }
                public static var _24_0: Self { Self(rawValue: "24-0") }
            }
        }

        /// Where the bus is, or comes to next; absent behind the last.
        public struct NextStop: Readable, Sendable {
            /// In the pattern, from 0.
            public var index: Int
            public var stop: String

            public init(_ json: JSON) throws {
                index = try json.field("index")
                stop = try json.field("stop")
            }
        }

        public struct Eta: Readable, Sendable {
            public var index: Int
            public var stop: String
            public var at: Int
            /// 1 of 10 buses is earlier.
            public var early: Int?
            /// 1 of 10 buses is later.
            public var late: Int?
            public var clock: String?

            public init(_ json: JSON) throws {
                index = try json.field("index")
                stop = try json.field("stop")
                at = try json.field("at")
                early = try json.maybe("early")
                late = try json.maybe("late")
                clock = try json.maybe("clock")
            }
        }
    }

    /// The driver is away since `since`; the hub waits for it until `until`.
    public struct DriverLost: Readable, Sendable {
        public var since: Int
        public var until: Int

        public init(_ json: JSON) throws {
            since = try json.field("since")
            until = try json.field("until")
        }
    }

    public struct StopState: Word {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var requested: Self { Self(rawValue: "requested") }
        public static var accepted: Self { Self(rawValue: "accepted") }
        public static var declined: Self { Self(rawValue: "declined") }
        public static var expired: Self { Self(rawValue: "expired") }
        public static var completed: Self { Self(rawValue: "completed") }
        public static var noShow: Self { Self(rawValue: "no_show") }
        public static var cancelled: Self { Self(rawValue: "cancelled") }
    }

    /// A citizen's open request. `back` is the other one of a way there and back; `answer_by` while it waits for an answer.
    public struct StopRequest: Readable, Sendable {
        public var eta: Parts.PlaceEta?
        public var request: String
        public var line: String
        public var state: Parts.StopState
        public var at: Int
        public var lat: Double
        public var lon: Double
        public var stop: String?
        public var passengers: Int
        public var back: String?
        public var bus: String?
        public var answerBy: Int?
        public var notified: JSON?

        public init(_ json: JSON) throws {
            eta = try json.maybe("eta")
            request = try json.field("request")
            line = try json.field("line")
            state = try json.field("state")
            at = try json.field("at")
            lat = try json.field("lat")
            lon = try json.field("lon")
            stop = try json.maybe("stop")
            passengers = try json.field("passengers")
            back = try json.maybe("back")
            bus = try json.maybe("bus")
            answerBy = try json.maybe("answer_by")
            notified = try json.maybe("notified")
        }
    }

    /// A taxi for a time ahead. `local` is `at` by the clock of `time_zone`; `search_at`, when a driver is looked for at
    /// the latest; `ride` is there from then on; `payment`, if it is not in cash; `fare`, an estimate, where a tariff is
    /// set.
    public struct Reservation: Readable, Sendable {
        public var reservation: String
        public var state: State
        public var zone: String
        public var pickup: Parts.Point
        public var destination: Parts.Point
        public var at: Int
        public var local: String
        public var timeZone: String
        public var passengers: Int
        public var needs: [String]?
        public var payment: Parts.PaymentMethod?
        public var searchAt: Int
        public var ride: String?
        public var fare: Parts.Fare?

        public init(_ json: JSON) throws {
            reservation = try json.field("reservation")
            state = try json.field("state")
            zone = try json.field("zone")
            pickup = try json.field("pickup")
            destination = try json.field("destination")
            at = try json.field("at")
            local = try json.field("local")
            timeZone = try json.field("time_zone")
            passengers = try json.field("passengers")
            needs = try json.maybe("needs")
            payment = try json.maybe("payment")
            searchAt = try json.field("search_at")
            ride = try json.maybe("ride")
            fare = try json.maybe("fare")
        }

        public struct State: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var open: Self { Self(rawValue: "open") }
            public static var searching: Self { Self(rawValue: "searching") }
            public static var assigned: Self { Self(rawValue: "assigned") }
        }
    }

    /// Of operators only: somebody who telephones, for whom it is asked. Each number is a passenger of its own, `tel:` and
    /// its digits, with 00 for +; write it always with or always without the country.
    public struct Caller: Part {
        public var name: String
        /// 3 to 20 digits.
        public var number: String

        public init(_ json: JSON) throws {
            name = try json.field("name")
            number = try json.field("number")
        }

        public init(name: String, number: String) {
            self.name = name
            self.number = number
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["name"] = name.json
            fields["number"] = number.json
            return fields
        }
    }

    public struct StateStatus: Word {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var enRoute: Self { Self(rawValue: "en_route") }
        public static var pickingUp: Self { Self(rawValue: "picking_up") }
        public static var full: Self { Self(rawValue: "full") }
    }

    /// A zone to wait in. `expected`: requests in the next 60 minutes; `later`: in the 60 after them; `distance_m`: to its
    /// middle, by the straight line.
    public struct ZoneAdvice: Readable, Sendable {
        public var zone: String
        public var expected: Double
        public var later: Double
        public var waiting: Int
        public var distanceM: Int
        public var waitS: Int

        public init(_ json: JSON) throws {
            zone = try json.field("zone")
            expected = try json.field("expected")
            later = try json.field("later")
            waiting = try json.field("waiting")
            distanceM = try json.field("distance_m")
            waitS = try json.field("wait_s")
        }
    }

    public struct ReliablePerson: Word {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var driver: Self { Self(rawValue: "driver") }
        public static var passenger: Self { Self(rawValue: "passenger") }
    }

    /// What counts of somebody. Of passengers: `no_shows`, `late_cancels`, `points`, `deposit`; of drivers: `give_backs`.
    /// `warn_at` and `pause_at`: with how many a warning or a pause follows; absent: never.
    public struct Reliability: Readable, Sendable {
        public var windowDays: Int
        public var total: Int
        public var noShows: Int?
        public var lateCancels: Int?
        public var giveBacks: Int?
        /// For the kilometres of rides.
        public var points: Int?
        /// Services may want one.
        public var deposit: Bool?
        public var warnAt: Int?
        public var pauseAt: Int?
        public var pausedUntil: Int?
        public var role: Parts.ReliablePerson?
        public var subject: String?

        public init(_ json: JSON) throws {
            windowDays = try json.field("window_days")
            total = try json.field("total")
            noShows = try json.maybe("no_shows")
            lateCancels = try json.maybe("late_cancels")
            giveBacks = try json.maybe("give_backs")
            points = try json.maybe("points")
            deposit = try json.maybe("deposit")
            warnAt = try json.maybe("warn_at")
            pauseAt = try json.maybe("pause_at")
            pausedUntil = try json.maybe("paused_until")
            role = try json.maybe("role")
            subject = try json.maybe("subject")
        }
    }

    /// As `reliability`, and whose. A service whose token lacks the scope `events:personal` gets only whether a passenger's
    /// `deposit` is wanted.
    public struct ReliabilityOf: Readable, Sendable {
        public var windowDays: Int
        public var total: Int?
        public var noShows: Int?
        public var lateCancels: Int?
        public var giveBacks: Int?
        public var points: Int?
        public var deposit: Bool?
        public var warnAt: Int?
        public var pauseAt: Int?
        public var pausedUntil: Int?
        public var role: Parts.ReliablePerson
        public var subject: String

        public init(_ json: JSON) throws {
            windowDays = try json.field("window_days")
            total = try json.maybe("total")
            noShows = try json.maybe("no_shows")
            lateCancels = try json.maybe("late_cancels")
            giveBacks = try json.maybe("give_backs")
            points = try json.maybe("points")
            deposit = try json.maybe("deposit")
            warnAt = try json.maybe("warn_at")
            pauseAt = try json.maybe("pause_at")
            pausedUntil = try json.maybe("paused_until")
            role = try json.field("role")
            subject = try json.field("subject")
        }
    }

    /// By which only the browser reads what is sent (RFC 8291), in Base64 for URLs.
    public struct PushKeys: Part {
        /// A point of the curve P-256, not compressed: 65 bytes.
        public var p256dh: String
        /// 16 bytes.
        public var auth: String

        public init(_ json: JSON) throws {
            p256dh = try json.field("p256dh")
            auth = try json.field("auth")
        }

        public init(p256dh: String, auth: String) {
            self.p256dh = p256dh
            self.auth = auth
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["p256dh"] = p256dh.json
            fields["auth"] = auth.json
            return fields
        }
    }

    public struct Audience: Word {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var drivers: Self { Self(rawValue: "drivers") }
        public static var busDrivers: Self { Self(rawValue: "bus_drivers") }
        public static var passengers: Self { Self(rawValue: "passengers") }
    }

    /// Why, by which operator, since when; `until` where it ends by itself.
    public struct Block: Readable, Sendable {
        public var reason: String
        public var by: String
        public var since: Int
        public var until: Int?

        public init(_ json: JSON) throws {
            reason = try json.field("reason")
            by = try json.field("by")
            since = try json.field("since")
            until = try json.maybe("until")
        }
    }

    public struct BlockedRole: Word {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var driver: Self { Self(rawValue: "driver") }
        public static var passenger: Self { Self(rawValue: "passenger") }
        public static var busDriver: Self { Self(rawValue: "bus_driver") }
    }

    public struct Role: Word {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var driver: Self { Self(rawValue: "driver") }
        public static var passenger: Self { Self(rawValue: "passenger") }
        public static var busDriver: Self { Self(rawValue: "bus_driver") }
        public static var `operator`: Self { Self(rawValue: "operator") }
        public static var service: Self { Self(rawValue: "service") }
    }

    /// How things stood, as far as the act concerns them; `why` and `until` are of a block.
    public struct AuditFacts: Readable, Sendable {
        public var state: String?
        public var zone: String?
        public var rank: Int?
        public var ride: String?
        public var passenger: String?
        public var driver: String?
        public var blocked: Bool?
        public var until: Int?
        public var why: String?
        public var bus: String?
        public var line: String?
        public var notice: String?
        public var people: Int?
        public var text: String?
        /// Whether there is a record.
        public var registered: Bool?
        public var vehicle: String?
        public var company: String?
        public var licenceUntil: String?
        public var medicalUntil: String?
        public var plate: String?
        public var registration: String?
        /// The vehicle's sign has a new code.
        public var newCode: Bool?
        /// What of the record has changed, by the names of its fields.
        public var changed: [String]?
        public var total: Int?

        public init(_ json: JSON) throws {
            state = try json.maybe("state")
            zone = try json.maybe("zone")
            rank = try json.maybe("rank")
            ride = try json.maybe("ride")
            passenger = try json.maybe("passenger")
            driver = try json.maybe("driver")
            blocked = try json.maybe("blocked")
            until = try json.maybe("until")
            why = try json.maybe("why")
            bus = try json.maybe("bus")
            line = try json.maybe("line")
            notice = try json.maybe("notice")
            people = try json.maybe("people")
            text = try json.maybe("text")
            registered = try json.maybe("registered")
            vehicle = try json.maybe("vehicle")
            company = try json.maybe("company")
            licenceUntil = try json.maybe("licence_until")
            medicalUntil = try json.maybe("medical_until")
            plate = try json.maybe("plate")
            registration = try json.maybe("registration")
            newCode = try json.maybe("new_code")
            changed = try json.maybe("changed")
            total = try json.maybe("total")
        }
    }

    public struct FarePart: Readable, Sendable {
        public var name: Name
        public var amount: Int
        public var zone: String?

        public init(_ json: JSON) throws {
            name = try json.field("name")
            amount = try json.field("amount")
            zone = try json.maybe("zone")
        }

        public struct Name: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var flagFall: Self { Self(rawValue: "flag_fall") }
            public static var distance: Self { Self(rawValue: "distance") }
            public static var time: Self { Self(rawValue: "time") }
            public static var slab: Self { Self(rawValue: "slab") }
            public static var minimum: Self { Self(rawValue: "minimum") }
            public static var night: Self { Self(rawValue: "night") }
            public static var passengers: Self { Self(rawValue: "passengers") }
            public static var booking: Self { Self(rawValue: "booking") }
            public static var toll: Self { Self(rawValue: "toll") }
        }
    }

    public struct ReportCategory: Word {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var driving: Self { Self(rawValue: "driving") }
        public static var behaviour: Self { Self(rawValue: "behaviour") }
        public static var vehicle: Self { Self(rawValue: "vehicle") }
        public static var accessibility: Self { Self(rawValue: "accessibility") }
        public static var lostProperty: Self { Self(rawValue: "lost_property") }
        public static var other: Self { Self(rawValue: "other") }
    }

    /// What is recorded of something that has been; without what is not known, or what its kind has not. `outcome`: how it
    /// ended; absent while it goes on, of tours, and of a reservation that became a ride, whose row tells it.
    public struct PastRecord: Readable, Sendable {
        /// Of the ride, booking, request, reservation, tour, alarm or report.
        public var id: String
        public var passenger: String?
        public var driver: String?
        public var zone: String?
        public var line: String?
        public var route: String?
        public var tour: String?
        public var stop: String?
        public var ride: String?
        public var bus: String?
        public var pattern: String?
        public var trip: String?
        public var passengers: Int?
        public var aboard: Int?
        public var fromLat: Double?
        public var fromLon: Double?
        public var toLat: Double?
        public var toLon: Double?
        public var lat: Double?
        public var lon: Double?
        public var requestedAt: Int?
        public var offeredAt: Int?
        public var acceptedAt: Int?
        public var askedAt: Int?
        public var confirmedAt: Int?
        public var wantedAt: Int?
        public var nearAt: Int?
        public var arrivedAt: Int?
        public var aboardAt: Int?
        public var at: Int?
        public var madeAt: Int?
        public var searchingAt: Int?
        public var assignedAt: Int?
        public var startedAt: Int?
        public var endedAt: Int?
        public var outcome: String?
        public var endedBy: String?
        public var reason: String?
        public var offers: Int?
        public var rounds: Int?
        public var givenBack: Int?
        public var reopened: Int?
        public var receipt: String?
        /// In hundredths of the currency.
        public var fare: Int?
        public var currency: String?
        public var payment: String?
        public var paymentState: String?
        public var starsOfDriver: Int?
        public var starsOfPassenger: Int?
        public var routeStars: Int?
        public var paymentReference: String?
        /// What the trip was thought to cost when it was asked for, in hundredths.
        public var estimate: Int?
        public var fareParts: [Parts.FarePart]?
        /// When the trip ended, on the city's clock.
        public var localTime: String?
        public var toZone: String?
        public var distanceM: Double?
        public var plate: String?
        public var driverName: String?
        public var company: String?
        public var commentOnDriver: String?
        public var commentOnPassenger: String?
        public var role: Parts.Role?
        public var subject: String?
        public var booking: String?
        public var vehicle: String?
        /// What who raised the alarm, or reported, has written.
        public var text: String?
        public var category: Parts.ReportCategory?
        public var raisedAt: Int?
        public var cancelledAt: Int?
        public var acknowledgedAt: Int?
        public var acknowledgedBy: String?
        public var acknowledgedNote: String?
        public var closedAt: Int?
        public var closedBy: String?
        public var closedNote: String?
        public var sentAt: Int?

        public init(_ json: JSON) throws {
            id = try json.field("id")
            passenger = try json.maybe("passenger")
            driver = try json.maybe("driver")
            zone = try json.maybe("zone")
            line = try json.maybe("line")
            route = try json.maybe("route")
            tour = try json.maybe("tour")
            stop = try json.maybe("stop")
            ride = try json.maybe("ride")
            bus = try json.maybe("bus")
            pattern = try json.maybe("pattern")
            trip = try json.maybe("trip")
            passengers = try json.maybe("passengers")
            aboard = try json.maybe("aboard")
            fromLat = try json.maybe("from_lat")
            fromLon = try json.maybe("from_lon")
            toLat = try json.maybe("to_lat")
            toLon = try json.maybe("to_lon")
            lat = try json.maybe("lat")
            lon = try json.maybe("lon")
            requestedAt = try json.maybe("requested_at")
            offeredAt = try json.maybe("offered_at")
            acceptedAt = try json.maybe("accepted_at")
            askedAt = try json.maybe("asked_at")
            confirmedAt = try json.maybe("confirmed_at")
            wantedAt = try json.maybe("wanted_at")
            nearAt = try json.maybe("near_at")
            arrivedAt = try json.maybe("arrived_at")
            aboardAt = try json.maybe("aboard_at")
            at = try json.maybe("at")
            madeAt = try json.maybe("made_at")
            searchingAt = try json.maybe("searching_at")
            assignedAt = try json.maybe("assigned_at")
            startedAt = try json.maybe("started_at")
            endedAt = try json.maybe("ended_at")
            outcome = try json.maybe("outcome")
            endedBy = try json.maybe("ended_by")
            reason = try json.maybe("reason")
            offers = try json.maybe("offers")
            rounds = try json.maybe("rounds")
            givenBack = try json.maybe("given_back")
            reopened = try json.maybe("reopened")
            receipt = try json.maybe("receipt")
            fare = try json.maybe("fare")
            currency = try json.maybe("currency")
            payment = try json.maybe("payment")
            paymentState = try json.maybe("payment_state")
            starsOfDriver = try json.maybe("stars_of_driver")
            starsOfPassenger = try json.maybe("stars_of_passenger")
            routeStars = try json.maybe("route_stars")
            paymentReference = try json.maybe("payment_reference")
            estimate = try json.maybe("estimate")
            fareParts = try json.maybe("fare_parts")
            localTime = try json.maybe("local_time")
            toZone = try json.maybe("to_zone")
            distanceM = try json.maybe("distance_m")
            plate = try json.maybe("plate")
            driverName = try json.maybe("driver_name")
            company = try json.maybe("company")
            commentOnDriver = try json.maybe("comment_on_driver")
            commentOnPassenger = try json.maybe("comment_on_passenger")
            role = try json.maybe("role")
            subject = try json.maybe("subject")
            booking = try json.maybe("booking")
            vehicle = try json.maybe("vehicle")
            text = try json.maybe("text")
            category = try json.maybe("category")
            raisedAt = try json.maybe("raised_at")
            cancelledAt = try json.maybe("cancelled_at")
            acknowledgedAt = try json.maybe("acknowledged_at")
            acknowledgedBy = try json.maybe("acknowledged_by")
            acknowledgedNote = try json.maybe("acknowledged_note")
            closedAt = try json.maybe("closed_at")
            closedBy = try json.maybe("closed_by")
            closedNote = try json.maybe("closed_note")
            sentAt = try json.maybe("sent_at")
        }
    }

    /// Which operator did it, when, and what for.
    public struct OfficeAct: Readable, Sendable {
        public var by: String
        public var at: Int
        public var note: String?

        public init(_ json: JSON) throws {
            by = try json.field("by")
            at = try json.field("at")
            note = try json.maybe("note")
        }
    }

    /// Who is in danger, where, and with whom. `ride`, `booking` or `tour` is the one that the sender is on; `vehicle` is a
    /// taxi, a minibus or a bus.
    public struct Alarm: Readable, Sendable {
        public var sos: String
        public var state: State
        public var role: Role
        public var subject: String
        public var at: Int
        /// How often it has rung.
        public var rings: Int
        /// How often its sender has sent something new.
        public var presses: Int
        public var text: String?
        public var position: Parts.Fix?
        /// Whose place that is.
        public var positionOf: PositionOf?
        public var ride: String?
        public var booking: String?
        public var tour: String?
        public var line: String?
        public var vehicle: String?
        public var driver: String?
        public var passenger: String?
        /// When its sender said that there is no danger.
        public var cancelled: Int?
        public var acknowledged: Parts.OfficeAct?
        public var closed: Parts.OfficeAct?

        public init(_ json: JSON) throws {
            sos = try json.field("sos")
            state = try json.field("state")
            role = try json.field("role")
            subject = try json.field("subject")
            at = try json.field("at")
            rings = try json.field("rings")
            presses = try json.field("presses")
            text = try json.maybe("text")
            position = try json.maybe("position")
            positionOf = try json.maybe("position_of")
            ride = try json.maybe("ride")
            booking = try json.maybe("booking")
            tour = try json.maybe("tour")
            line = try json.maybe("line")
            vehicle = try json.maybe("vehicle")
            driver = try json.maybe("driver")
            passenger = try json.maybe("passenger")
            cancelled = try json.maybe("cancelled")
            acknowledged = try json.maybe("acknowledged")
            closed = try json.maybe("closed")
        }

        public struct State: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var open: Self { Self(rawValue: "open") }
            public static var acknowledged: Self { Self(rawValue: "acknowledged") }
            public static var closed: Self { Self(rawValue: "closed") }
        }

        public struct Role: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var passenger: Self { Self(rawValue: "passenger") }
            public static var driver: Self { Self(rawValue: "driver") }
            public static var busDriver: Self { Self(rawValue: "bus_driver") }
        }

        public struct PositionOf: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var sender: Self { Self(rawValue: "sender") }
            public static var vehicle: Self { Self(rawValue: "vehicle") }
        }
    }

    /// `role` and `subject` are absent when it was sent anonymously.
    public struct Report: Readable, Sendable {
        public var report: String
        public var at: Int
        public var category: Parts.ReportCategory
        public var text: String
        public var role: Parts.Role?
        public var subject: String?
        public var ride: String?
        public var vehicle: String?
        public var closed: Parts.OfficeAct?

        public init(_ json: JSON) throws {
            report = try json.field("report")
            at = try json.field("at")
            category = try json.field("category")
            text = try json.field("text")
            role = try json.maybe("role")
            subject = try json.maybe("subject")
            ride = try json.maybe("ride")
            vehicle = try json.maybe("vehicle")
            closed = try json.maybe("closed")
        }
    }

    /// What the office has of a driver. The dates are the last days on which its papers are valid.
    public struct DriverRecord: Readable, Sendable {
        public var driver: String
        public var name: String
        public var phone: String?
        public var company: String?
        public var photo: String?
        public var licence: String?
        public var licenceUntil: String?
        public var medicalUntil: String?
        public var vehicle: String?
        public var capabilities: [String]?
        public var by: String
        public var at: Int

        public init(_ json: JSON) throws {
            driver = try json.field("driver")
            name = try json.field("name")
            phone = try json.maybe("phone")
            company = try json.maybe("company")
            photo = try json.maybe("photo")
            licence = try json.maybe("licence")
            licenceUntil = try json.maybe("licence_until")
            medicalUntil = try json.maybe("medical_until")
            vehicle = try json.maybe("vehicle")
            capabilities = try json.maybe("capabilities")
            by = try json.field("by")
            at = try json.field("at")
        }
    }

    /// What the office has of a vehicle.
    public struct VehicleRecord: Readable, Sendable {
        public var vehicle: String
        public var plate: String
        public var registration: String?
        public var company: String?
        public var model: String?
        public var colour: String?
        public var capabilities: [String]?
        public var code: String
        public var by: String
        public var at: Int

        public init(_ json: JSON) throws {
            vehicle = try json.field("vehicle")
            plate = try json.field("plate")
            registration = try json.maybe("registration")
            company = try json.maybe("company")
            model = try json.maybe("model")
            colour = try json.maybe("colour")
            capabilities = try json.maybe("capabilities")
            code = try json.field("code")
            by = try json.field("by")
            at = try json.field("at")
        }
    }

    /// Amounts in hundredths of the currency; the parts add up to `amount`.
    public struct TripFare: Readable, Sendable {
        public var amount: Int
        public var currency: String
        public var parts: [Parts.FarePart]?

        public init(_ json: JSON) throws {
            amount = try json.field("amount")
            currency = try json.field("currency")
            parts = try json.maybe("parts")
        }
    }

    /// A ride, or a booking of seats in a minibus, that has ended. `passenger` is for operators; `stars` are those that its
    /// reader has given, `route_stars` what its passenger thinks of the route. A minibus has no zones.
    public struct Trip: Readable, Sendable {
        public var trip: String
        public var kind: Kind
        public var receipt: String
        public var driver: String
        public var card: Parts.Card?
        public var passenger: String?
        public var passengers: Int
        public var route: String?
        public var fromZone: String?
        public var toZone: String?
        public var beganAt: Int?
        public var endedAt: Int
        public var local: String?
        public var distanceM: Int?
        public var durationS: Int
        /// Null: none was told.
        public var fare: Parts.TripFare?
        public var estimate: Parts.Fare?
        public var payment: Parts.Payment
        public var stars: Int?
        public var routeStars: Int?

        public init(_ json: JSON) throws {
            trip = try json.field("trip")
            kind = try json.field("kind")
            receipt = try json.field("receipt")
            driver = try json.field("driver")
            card = try json.maybe("card")
            passenger = try json.maybe("passenger")
            passengers = try json.field("passengers")
            route = try json.maybe("route")
            fromZone = try json.maybe("from_zone")
            toZone = try json.maybe("to_zone")
            beganAt = try json.maybe("began_at")
            endedAt = try json.field("ended_at")
            local = try json.maybe("local")
            distanceM = try json.maybe("distance_m")
            durationS = try json.field("duration_s")
            fare = try json.maybe("fare")
            estimate = try json.maybe("estimate")
            payment = try json.field("payment")
            stars = try json.maybe("stars")
            routeStars = try json.maybe("route_stars")
        }

        public struct Kind: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var taxi: Self { Self(rawValue: "taxi") }
            public static var minibus: Self { Self(rawValue: "minibus") }
        }
    }

    public struct Side: Word {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var driver: Self { Self(rawValue: "driver") }
        public static var passenger: Self { Self(rawValue: "passenger") }
    }

    public struct Paper: Word {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static var licence: Self { Self(rawValue: "licence") }
        public static var medical: Self { Self(rawValue: "medical") }
    }
}
