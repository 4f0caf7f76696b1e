// The messages of the contract, made of config/contract/schemas by tools/generate. Don't change it by hand.
// swift-format-ignore-file

/// What comes on one's own channel: events, states, the snapshot.
public enum Events {
    public struct QueueJoined: Event {
        public static let type = "queue.joined"
        public var zone: String
        public var rank: Int
        public var size: Int
        public var reason: Reason

        public init(_ json: JSON) throws {
            zone = try json.field("zone")
            rank = try json.field("rank")
            size = try json.field("size")
            reason = try json.field("reason")
        }

        public struct Reason: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var available: Self { Self(rawValue: "available") }
            public static var ended: Self { Self(rawValue: "ended") }
            public static var moved: Self { Self(rawValue: "moved") }
            public static var recovered: Self { Self(rawValue: "recovered") }
            public static var restored: Self { Self(rawValue: "restored") }
            public static var gaveBack: Self { Self(rawValue: "gave_back") }
            public static var `operator`: Self { Self(rawValue: "operator") }
        }
    }

    public struct QueueLeft: Event {
        public static let type = "queue.left"
        public var zone: String
        public var reason: Reason
        public var text: String?

        public init(_ json: JSON) throws {
            zone = try json.field("zone")
            reason = try json.field("reason")
            text = try json.maybe("text")
        }

        public struct Reason: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var unavailable: Self { Self(rawValue: "unavailable") }
            public static var moved: Self { Self(rawValue: "moved") }
            public static var outsideZones: Self { Self(rawValue: "outside_zones") }
            public static var connectionLost: Self { Self(rawValue: "connection_lost") }
            public static var stale: Self { Self(rawValue: "stale") }
            public static var undelivered: Self { Self(rawValue: "undelivered") }
            public static var `operator`: Self { Self(rawValue: "operator") }
        }
    }

    /// `expires_in_ms` counts from this message; the exact pickup is told on acceptance only.
    public struct OfferMade: Event {
        public static let type = "offer.made"
        public var silent: Bool?
        public var ride: String
        public var zone: String
        public var passengers: Int
        public var needs: [String]?
        public var expiresInMs: Int
        public var expiresAt: Int

        public init(_ json: JSON) throws {
            silent = try json.maybe("silent")
            ride = try json.field("ride")
            zone = try json.field("zone")
            passengers = try json.field("passengers")
            needs = try json.maybe("needs")
            expiresInMs = try json.field("expires_in_ms")
            expiresAt = try json.field("expires_at")
        }
    }

    public struct OfferWithdrawn: Event {
        public static let type = "offer.withdrawn"
        public var ride: String
        public var reason: Reason

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            reason = try json.field("reason")
        }

        public struct Reason: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var expired: Self { Self(rawValue: "expired") }
            public static var undelivered: Self { Self(rawValue: "undelivered") }
            public static var cancelled: Self { Self(rawValue: "cancelled") }
        }
    }

    public struct RideAssigned: Event {
        public static let type = "ride.assigned"
        public var ride: String
        public var pickup: Parts.Point
        public var passengers: Int
        public var needs: [String]?
        public var contact: Parts.Contact?
        public var payment: Parts.PaymentMethod?
        public var destination: Parts.Point?

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            pickup = try json.field("pickup")
            passengers = try json.field("passengers")
            needs = try json.maybe("needs")
            contact = try json.maybe("contact")
            payment = try json.maybe("payment")
            destination = try json.maybe("destination")
        }
    }

    /// `position` is the pickup from now on. Who reads the event later gets a snapshot, which has it.
    public struct RidePickupMoved: Event {
        public static let type = "ride.pickup_moved"
        public var ride: String
        public var position: Parts.Point?

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            position = try json.maybe("position")
        }
    }

    public struct RideConfirmAboard: Event {
        public static let type = "ride.confirm_aboard"
        public var ride: String

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
        }
    }

    /// With `state` the driver is not available any more, until it says that it is; without it `queue.joined` follows.
    public struct DriverRideCancelled: Event {
        public static let type = "ride.cancelled"
        public var ride: String
        public var by: By
        public var reason: String
        public var state: String?
        public var text: String?

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            by = try json.field("by")
            reason = try json.field("reason")
            state = try json.maybe("state")
            text = try json.maybe("text")
        }

        public struct By: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var passenger: Self { Self(rawValue: "passenger") }
            public static var driver: Self { Self(rawValue: "driver") }
            public static var `operator`: Self { Self(rawValue: "operator") }
        }
    }

    public struct PassengerRideCancelled: Event {
        public static let type = "ride.cancelled"
        public var ride: String
        public var by: By
        public var reason: Reason
        public var text: String?

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            by = try json.field("by")
            reason = try json.field("reason")
            text = try json.maybe("text")
        }

        public struct By: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var passenger: Self { Self(rawValue: "passenger") }
            public static var driver: Self { Self(rawValue: "driver") }
            public static var `operator`: Self { Self(rawValue: "operator") }
        }

        public struct Reason: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var passenger: Self { Self(rawValue: "passenger") }
            public static var noshow: Self { Self(rawValue: "noshow") }
            public static var `operator`: Self { Self(rawValue: "operator") }
        }
    }

    public struct TourEnded: Event {
        public static let type = "tour.ended"
        public var tour: String
        /// Lost: nothing was heard of it for long.
        public var reason: Reason

        public init(_ json: JSON) throws {
            tour = try json.field("tour")
            reason = try json.field("reason")
        }

        public struct Reason: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var driver: Self { Self(rawValue: "driver") }
            public static var `operator`: Self { Self(rawValue: "operator") }
            public static var lost: Self { Self(rawValue: "lost") }
        }
    }

    /// Seats are asked for; `length_m` is the length of the ride, `distance_m` the way to the pickup, `detour_m` what the
    /// vehicle has to drive more than the way that it has announced; the latter two are absent when nobody knows. The exact
    /// places are told on acceptance only. Shown, it is answered by `offer.seen` with the booking as `ride`.
    public struct SeatRequested: Event {
        public static let type = "seat.requested"
        public var silent: Bool?
        public var booking: String
        public var passengers: Int
        public var lengthM: Double
        public var distanceM: Double?
        public var detourM: Double?
        public var fare: Parts.Fare?
        public var payment: Parts.PaymentMethod?
        public var expiresInMs: Int
        public var expiresAt: Int

        public init(_ json: JSON) throws {
            silent = try json.maybe("silent")
            booking = try json.field("booking")
            passengers = try json.field("passengers")
            lengthM = try json.field("length_m")
            distanceM = try json.maybe("distance_m")
            detourM = try json.maybe("detour_m")
            fare = try json.maybe("fare")
            payment = try json.maybe("payment")
            expiresInMs = try json.field("expires_in_ms")
            expiresAt = try json.field("expires_at")
        }
    }

    /// What was asked is over; undelivered comes again when the driver shows that it lives.
    public struct SeatWithdrawn: Event {
        public static let type = "seat.withdrawn"
        public var booking: String
        public var reason: Reason

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            reason = try json.field("reason")
        }

        public struct Reason: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var noAnswer: Self { Self(rawValue: "no_answer") }
            public static var undelivered: Self { Self(rawValue: "undelivered") }
            public static var cancelled: Self { Self(rawValue: "cancelled") }
            public static var full: Self { Self(rawValue: "full") }
            public static var offline: Self { Self(rawValue: "offline") }
        }
    }

    public struct SeatAssigned: Event {
        public static let type = "seat.assigned"
        public var booking: String
        public var pickup: Parts.Point
        public var contact: Parts.Contact?
        public var destination: Parts.Point
        public var passengers: Int
        public var payment: Parts.PaymentMethod?

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            pickup = try json.field("pickup")
            contact = try json.maybe("contact")
            destination = try json.field("destination")
            passengers = try json.field("passengers")
            payment = try json.maybe("payment")
        }
    }

    /// Passengers wait within 500 m.
    public struct SeatWaiting: Event {
        public static let type = "seat.waiting"
        public var booking: String
        public var passengers: Int
        public var distanceM: Double

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            passengers = try json.field("passengers")
            distanceM = try json.field("distance_m")
        }
    }

    /// `position` is the pickup from now on. Who reads the event later gets a snapshot, which has it.
    public struct SeatPickupMoved: Event {
        public static let type = "seat.pickup_moved"
        public var booking: String
        public var position: Parts.Point?

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            position = try json.maybe("position")
        }
    }

    /// Within 20 m of the pickup.
    public struct SeatConfirmAboard: Event {
        public static let type = "seat.confirm_aboard"
        public var booking: String

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
        }
    }

    public struct DriverSeatAboard: Event {
        public static let type = "seat.aboard"
        public var booking: String
        public var passengers: Int

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            passengers = try json.field("passengers")
        }
    }

    public struct PassengerSeatAboard: Event {
        public static let type = "seat.aboard"
        public var booking: String
        public var passengers: Int

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            passengers = try json.field("passengers")
        }
    }

    public struct DriverSeatEnded: Event {
        public static let type = "seat.ended"
        public var booking: String
        public var fare: Parts.Fare?
        public var receipt: String?
        public var payment: Parts.Payment?
        /// Absent: the driver has ended it.
        public var reason: String?
        public var text: String?

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            fare = try json.maybe("fare")
            receipt = try json.maybe("receipt")
            payment = try json.maybe("payment")
            reason = try json.maybe("reason")
            text = try json.maybe("text")
        }
    }

    public struct PassengerSeatEnded: Event {
        public static let type = "seat.ended"
        public var booking: String
        public var fare: Parts.Fare?
        public var receipt: String?
        public var payment: Parts.Payment?
        /// Absent: the driver has ended it.
        public var reason: String?

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            fare = try json.maybe("fare")
            receipt = try json.maybe("receipt")
            payment = try json.maybe("payment")
            reason = try json.maybe("reason")
        }
    }

    public struct DriverSeatCancelled: Event {
        public static let type = "seat.cancelled"
        public var booking: String
        public var by: By
        public var reason: Reason
        public var text: String?

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            by = try json.field("by")
            reason = try json.field("reason")
            text = try json.maybe("text")
        }

        public struct By: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var passenger: Self { Self(rawValue: "passenger") }
            public static var driver: Self { Self(rawValue: "driver") }
            public static var `operator`: Self { Self(rawValue: "operator") }
        }

        public struct Reason: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var passenger: Self { Self(rawValue: "passenger") }
            public static var driver: Self { Self(rawValue: "driver") }
            public static var driverLost: Self { Self(rawValue: "driver_lost") }
            public static var `operator`: Self { Self(rawValue: "operator") }
        }
    }

    public struct PassengerSeatCancelled: Event {
        public static let type = "seat.cancelled"
        public var booking: String
        public var by: By
        public var reason: Reason
        public var text: String?

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            by = try json.field("by")
            reason = try json.field("reason")
            text = try json.maybe("text")
        }

        public struct By: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var passenger: Self { Self(rawValue: "passenger") }
            public static var driver: Self { Self(rawValue: "driver") }
            public static var `operator`: Self { Self(rawValue: "operator") }
        }

        public struct Reason: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var passenger: Self { Self(rawValue: "passenger") }
            public static var driver: Self { Self(rawValue: "driver") }
            public static var driverLost: Self { Self(rawValue: "driver_lost") }
            public static var `operator`: Self { Self(rawValue: "operator") }
        }
    }

    /// `taken` are all that are taken or promised, `seats` those free now, `delta` what has been added to `taken`. `reason`
    /// is booked, aboard, ended, cancelled, or the driver's own.
    public struct SeatsChanged: Event {
        public static let type = "seats.changed"
        public var taken: Int
        public var seats: Int
        public var capacity: Int
        public var delta: Int
        public var reason: String
        public var booking: String?

        public init(_ json: JSON) throws {
            taken = try json.field("taken")
            seats = try json.field("seats")
            capacity = try json.field("capacity")
            delta = try json.field("delta")
            reason = try json.field("reason")
            booking = try json.maybe("booking")
        }
    }

    /// Somebody asks for a stop. `quiet`: do not ring, the place is on the list already, or another request rang a moment
    /// ago. `places` is the list as it is now; absent when it is empty, and where the event is from the history: a snapshot
    /// with the list follows then. Of many that are told at once only the last has it.
    public struct StopRequested: Event {
        public static let type = "stop.requested"
        public var silent: Bool?
        public var tour: String
        public var request: String
        public var state: String
        public var quiet: Bool
        public var answerBy: Int
        public var places: [Parts.StopPlace]?

        public init(_ json: JSON) throws {
            silent = try json.maybe("silent")
            tour = try json.field("tour")
            request = try json.field("request")
            state = try json.field("state")
            quiet = try json.field("quiet")
            answerBy = try json.field("answer_by")
            places = try json.maybe("places")
        }
    }

    /// Still without an answer. `places` is the list as it is now; absent when it is empty, and where the event is from the
    /// history: a snapshot with the list follows then.
    public struct StopUnanswered: Event {
        public static let type = "stop.unanswered"
        public var tour: String
        public var request: String
        public var answerBy: Int
        public var places: [Parts.StopPlace]?

        public init(_ json: JSON) throws {
            tour = try json.field("tour")
            request = try json.field("request")
            answerBy = try json.field("answer_by")
            places = try json.maybe("places")
        }
    }

    /// The citizen took it back, it lapsed, or the driver of a later round has it. `places` is the list as it is now;
    /// absent when it is empty, and where the event is from the history: a snapshot with the list follows then. Of many
    /// that are told at once only the last has it.
    public struct StopWithdrawn: Event {
        public static let type = "stop.withdrawn"
        public var tour: String
        public var request: String
        public var reason: Reason
        public var places: [Parts.StopPlace]?

        public init(_ json: JSON) throws {
            tour = try json.field("tour")
            request = try json.field("request")
            reason = try json.field("reason")
            places = try json.maybe("places")
        }

        public struct Reason: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var cancelled: Self { Self(rawValue: "cancelled") }
            public static var unanswered: Self { Self(rawValue: "unanswered") }
            public static var passed: Self { Self(rawValue: "passed") }
            public static var noDriver: Self { Self(rawValue: "no_driver") }
            public static var notServed: Self { Self(rawValue: "not_served") }
            public static var lineChanged: Self { Self(rawValue: "line_changed") }
            public static var lineRemoved: Self { Self(rawValue: "line_removed") }
            public static var takenOver: Self { Self(rawValue: "taken_over") }
        }
    }

    /// Answered on one of the driver's devices, or taken over from another tour. `places` is the list as it is now; absent
    /// when it is empty, and where the event is from the history: a snapshot with the list follows then. Of many that are
    /// told at once only the last has it.
    public struct StopList: Event {
        public static let type = "stop.list"
        public var tour: String
        public var request: String
        public var state: State
        public var reason: Reason
        public var places: [Parts.StopPlace]?

        public init(_ json: JSON) throws {
            tour = try json.field("tour")
            request = try json.field("request")
            state = try json.field("state")
            reason = try json.field("reason")
            places = try json.maybe("places")
        }

        public struct State: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var accepted: Self { Self(rawValue: "accepted") }
            public static var declined: Self { Self(rawValue: "declined") }
            public static var completed: Self { Self(rawValue: "completed") }
            public static var noShow: Self { Self(rawValue: "no_show") }
        }

        public struct Reason: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var accepted: Self { Self(rawValue: "accepted") }
            public static var declined: Self { Self(rawValue: "declined") }
            public static var completed: Self { Self(rawValue: "completed") }
            public static var noShow: Self { Self(rawValue: "no_show") }
            public static var takenOver: Self { Self(rawValue: "taken_over") }
        }
    }

    /// What a person does not want to be told.
    public struct DriverNotifyChanged: Event {
        public static let type = "notify.changed"
        public var mute: [Parts.NotificationKind]?
        public var quiet: Parts.Quiet?

        public init(_ json: JSON) throws {
            mute = try json.maybe("mute")
            quiet = try json.maybe("quiet")
        }
    }

    /// What a person does not want to be told.
    public struct PassengerNotifyChanged: Event {
        public static let type = "notify.changed"
        public var mute: [Parts.NotificationKind]?
        public var quiet: Parts.Quiet?

        public init(_ json: JSON) throws {
            mute = try json.maybe("mute")
            quiet = try json.maybe("quiet")
        }
    }

    public struct DriverNotice: Event {
        public static let type = "notice"
        public var silent: Bool?
        public var notice: String
        public var text: String
        public var zone: String?

        public init(_ json: JSON) throws {
            silent = try json.maybe("silent")
            notice = try json.field("notice")
            text = try json.field("text")
            zone = try json.maybe("zone")
        }
    }

    public struct PassengerNotice: Event {
        public static let type = "notice"
        public var silent: Bool?
        public var notice: String
        public var text: String
        public var zone: String?

        public init(_ json: JSON) throws {
            silent = try json.maybe("silent")
            notice = try json.field("notice")
            text = try json.field("text")
            zone = try json.maybe("zone")
        }
    }

    /// In `from` a ride is expected in `here_s`, two hours at most; in `zone` in `wait_s`, the drive included.
    public struct AdviceWait: Event {
        public static let type = "advice.wait"
        public var zone: String
        public var expected: Double
        public var later: Double
        public var waiting: Int
        public var distanceM: Int
        public var waitS: Int
        public var from: String
        public var hereS: Int

        public init(_ json: JSON) throws {
            zone = try json.field("zone")
            expected = try json.field("expected")
            later = try json.field("later")
            waiting = try json.field("waiting")
            distanceM = try json.field("distance_m")
            waitS = try json.field("wait_s")
            from = try json.field("from")
            hereS = try json.field("here_s")
        }
    }

    /// What counts after one more of a `kind`; `until`: when a pause ends.
    public struct DriverReliabilityWarned: Event {
        public static let type = "reliability.warned"
        public var kind: Kind
        public var windowDays: Int
        public var total: Int
        public var noShows: Int?
        public var lateCancels: Int?
        public var giveBacks: Int?
        public var points: Int?
        public var deposit: Bool?
        public var warnAt: Int?
        public var pauseAt: Int?
        public var until: Int?

        public init(_ json: JSON) throws {
            kind = try json.field("kind")
            windowDays = try json.field("window_days")
            total = try json.field("total")
            noShows = try json.maybe("no_shows")
            lateCancels = try json.maybe("late_cancels")
            giveBacks = try json.maybe("give_backs")
            points = try json.maybe("points")
            deposit = try json.maybe("deposit")
            warnAt = try json.maybe("warn_at")
            pauseAt = try json.maybe("pause_at")
            until = try json.maybe("until")
        }

        public struct Kind: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var noShows: Self { Self(rawValue: "no_shows") }
            public static var lateCancels: Self { Self(rawValue: "late_cancels") }
            public static var giveBacks: Self { Self(rawValue: "give_backs") }
        }
    }

    /// What counts after one more of a `kind`; `until`: when a pause ends.
    public struct PassengerReliabilityWarned: Event {
        public static let type = "reliability.warned"
        public var kind: Kind
        public var windowDays: Int
        public var total: Int
        public var noShows: Int?
        public var lateCancels: Int?
        public var giveBacks: Int?
        public var points: Int?
        public var deposit: Bool?
        public var warnAt: Int?
        public var pauseAt: Int?
        public var until: Int?

        public init(_ json: JSON) throws {
            kind = try json.field("kind")
            windowDays = try json.field("window_days")
            total = try json.field("total")
            noShows = try json.maybe("no_shows")
            lateCancels = try json.maybe("late_cancels")
            giveBacks = try json.maybe("give_backs")
            points = try json.maybe("points")
            deposit = try json.maybe("deposit")
            warnAt = try json.maybe("warn_at")
            pauseAt = try json.maybe("pause_at")
            until = try json.maybe("until")
        }

        public struct Kind: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var noShows: Self { Self(rawValue: "no_shows") }
            public static var lateCancels: Self { Self(rawValue: "late_cancels") }
            public static var giveBacks: Self { Self(rawValue: "give_backs") }
        }
    }

    /// What counts after one more of a `kind`; `until`: when a pause ends.
    public struct DriverReliabilityPaused: Event {
        public static let type = "reliability.paused"
        public var kind: Kind
        public var windowDays: Int
        public var total: Int
        public var noShows: Int?
        public var lateCancels: Int?
        public var giveBacks: Int?
        public var points: Int?
        public var deposit: Bool?
        public var warnAt: Int?
        public var pauseAt: Int?
        public var until: Int?

        public init(_ json: JSON) throws {
            kind = try json.field("kind")
            windowDays = try json.field("window_days")
            total = try json.field("total")
            noShows = try json.maybe("no_shows")
            lateCancels = try json.maybe("late_cancels")
            giveBacks = try json.maybe("give_backs")
            points = try json.maybe("points")
            deposit = try json.maybe("deposit")
            warnAt = try json.maybe("warn_at")
            pauseAt = try json.maybe("pause_at")
            until = try json.maybe("until")
        }

        public struct Kind: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var noShows: Self { Self(rawValue: "no_shows") }
            public static var lateCancels: Self { Self(rawValue: "late_cancels") }
            public static var giveBacks: Self { Self(rawValue: "give_backs") }
        }
    }

    /// What counts after one more of a `kind`; `until`: when a pause ends.
    public struct PassengerReliabilityPaused: Event {
        public static let type = "reliability.paused"
        public var kind: Kind
        public var windowDays: Int
        public var total: Int
        public var noShows: Int?
        public var lateCancels: Int?
        public var giveBacks: Int?
        public var points: Int?
        public var deposit: Bool?
        public var warnAt: Int?
        public var pauseAt: Int?
        public var until: Int?

        public init(_ json: JSON) throws {
            kind = try json.field("kind")
            windowDays = try json.field("window_days")
            total = try json.field("total")
            noShows = try json.maybe("no_shows")
            lateCancels = try json.maybe("late_cancels")
            giveBacks = try json.maybe("give_backs")
            points = try json.maybe("points")
            deposit = try json.maybe("deposit")
            warnAt = try json.maybe("warn_at")
            pauseAt = try json.maybe("pause_at")
            until = try json.maybe("until")
        }

        public struct Kind: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var noShows: Self { Self(rawValue: "no_shows") }
            public static var lateCancels: Self { Self(rawValue: "late_cancels") }
            public static var giveBacks: Self { Self(rawValue: "give_backs") }
        }
    }

    public struct DriverPaymentChanged: Event {
        public static let type = "payment.changed"
        public var trip: String
        public var receipt: String
        public var payment: Parts.Payment

        public init(_ json: JSON) throws {
            trip = try json.field("trip")
            receipt = try json.field("receipt")
            payment = try json.field("payment")
        }
    }

    public struct PassengerPaymentChanged: Event {
        public static let type = "payment.changed"
        public var trip: String
        public var receipt: String
        public var payment: Parts.Payment

        public init(_ json: JSON) throws {
            trip = try json.field("trip")
            receipt = try json.field("receipt")
            payment = try json.field("payment")
        }
    }

    public struct DriverSosAcknowledged: Event {
        public static let type = "sos.acknowledged"
        public var sos: String

        public init(_ json: JSON) throws {
            sos = try json.field("sos")
        }
    }

    public struct PassengerSosAcknowledged: Event {
        public static let type = "sos.acknowledged"
        public var sos: String

        public init(_ json: JSON) throws {
            sos = try json.field("sos")
        }
    }

    public struct DriverSosClosed: Event {
        public static let type = "sos.closed"
        public var sos: String

        public init(_ json: JSON) throws {
            sos = try json.field("sos")
        }
    }

    public struct PassengerSosClosed: Event {
        public static let type = "sos.closed"
        public var sos: String

        public init(_ json: JSON) throws {
            sos = try json.field("sos")
        }
    }

    /// `until` comes with `waiting` only: nobody is there now; until then who comes is asked.
    public struct RideSearching: Event {
        public static let type = "ride.searching"
        public var ride: String
        public var zone: String
        public var round: Int
        public var reason: Reason
        public var until: Int?

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            zone = try json.field("zone")
            round = try json.field("round")
            reason = try json.field("reason")
            until = try json.maybe("until")
        }

        public struct Reason: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var requested: Self { Self(rawValue: "requested") }
            public static var nextRound: Self { Self(rawValue: "next_round") }
            public static var waiting: Self { Self(rawValue: "waiting") }
            public static var driverCancelled: Self { Self(rawValue: "driver_cancelled") }
            public static var driverLost: Self { Self(rawValue: "driver_lost") }
            public static var `operator`: Self { Self(rawValue: "operator") }
        }
    }

    public struct RideAccepted: Event {
        public static let type = "ride.accepted"
        public var silent: Bool?
        public var ride: String
        public var taxi: String
        /// Null when no fix of the taxi is known yet.
        public var position: Parts.Fix?
        /// Null when it cannot be estimated.
        public var etaS: Double?
        public var card: Parts.Card?
        public var pickup: Parts.Point?
        public var destination: Parts.Point?
        public var passengers: Int?
        public var requestedAt: Int?

        public init(_ json: JSON) throws {
            silent = try json.maybe("silent")
            ride = try json.field("ride")
            taxi = try json.field("taxi")
            position = try json.maybe("position")
            etaS = try json.maybe("eta_s")
            card = try json.maybe("card")
            pickup = try json.maybe("pickup")
            destination = try json.maybe("destination")
            passengers = try json.maybe("passengers")
            requestedAt = try json.maybe("requested_at")
        }
    }

    public struct RideFailed: Event {
        public static let type = "ride.failed"
        public var silent: Bool?
        public var ride: String
        public var code: Code
        public var detail: String

        public init(_ json: JSON) throws {
            silent = try json.maybe("silent")
            ride = try json.field("ride")
            code = try json.field("code")
            detail = try json.field("detail")
        }

        public struct Code: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var noDriver: Self { Self(rawValue: "no_driver") }
            public static var timeout: Self { Self(rawValue: "timeout") }
            public static var zoneEmpty: Self { Self(rawValue: "zone_empty") }
            public static var seatsFull: Self { Self(rawValue: "seats_full") }
        }
    }

    /// The taxi is within 500 m of the pickup.
    public struct RideNear: Event {
        public static let type = "ride.near"
        public var ride: String
        public var taxi: String
        public var distanceM: Double
        public var confidence: Parts.Confidence

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            taxi = try json.field("taxi")
            distanceM = try json.field("distance_m")
            confidence = try json.field("confidence")
        }
    }

    /// The taxi is within 20 m of the pickup.
    public struct RideArrived: Event {
        public static let type = "ride.arrived"
        public var silent: Bool?
        public var ride: String
        public var taxi: String
        public var distanceM: Double
        public var confidence: Parts.Confidence

        public init(_ json: JSON) throws {
            silent = try json.maybe("silent")
            ride = try json.field("ride")
            taxi = try json.field("taxi")
            distanceM = try json.field("distance_m")
            confidence = try json.field("confidence")
        }
    }

    public struct RideAboard: Event {
        public static let type = "ride.aboard"
        public var ride: String
        public var passengers: Int

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            passengers = try json.field("passengers")
        }
    }

    public struct RideEnded: Event {
        public static let type = "ride.ended"
        public var ride: String
        /// Absent: the driver has ended it.
        public var reason: Reason?
        public var receipt: String?
        public var fare: Parts.Fare?
        public var payment: Parts.Payment?

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            reason = try json.maybe("reason")
            receipt = try json.maybe("receipt")
            fare = try json.maybe("fare")
            payment = try json.maybe("payment")
        }

        public struct Reason: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var driverLost: Self { Self(rawValue: "driver_lost") }
            public static var `operator`: Self { Self(rawValue: "operator") }
        }
    }

    /// The driver has been away since `since`. The hub waits for it until `until`, and then searches again by itself;
    /// `ride.search` has it do so at once.
    public struct RideDriverLost: Event {
        public static let type = "ride.driver_lost"
        public var silent: Bool?
        public var ride: String
        public var taxi: String
        public var since: Int
        public var until: Int

        public init(_ json: JSON) throws {
            silent = try json.maybe("silent")
            ride = try json.field("ride")
            taxi = try json.field("taxi")
            since = try json.field("since")
            until = try json.field("until")
        }
    }

    /// After `ride.driver_lost`: the driver is there again, and comes.
    public struct RideDriverBack: Event {
        public static let type = "ride.driver_back"
        public var silent: Bool?
        public var ride: String
        public var taxi: String

        public init(_ json: JSON) throws {
            silent = try json.maybe("silent")
            ride = try json.field("ride")
            taxi = try json.field("taxi")
        }
    }

    /// The seats are held, and the driver is asked.
    public struct SeatPending: Event {
        public static let type = "seat.pending"
        public var booking: String
        public var vehicle: String
        public var passengers: Int
        public var fare: Parts.Fare?

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            vehicle = try json.field("vehicle")
            passengers = try json.field("passengers")
            fare = try json.maybe("fare")
        }
    }

    /// The seats are promised. `position` is null when no fix of the vehicle is known yet, `eta_s` when it can't be
    /// estimated.
    public struct SeatConfirmed: Event {
        public static let type = "seat.confirmed"
        public var silent: Bool?
        public var booking: String
        public var vehicle: String
        public var passengers: Int
        public var position: Parts.Fix?
        public var etaS: Double?
        public var fare: Parts.Fare?
        public var card: Parts.Card?

        public init(_ json: JSON) throws {
            silent = try json.maybe("silent")
            booking = try json.field("booking")
            vehicle = try json.field("vehicle")
            passengers = try json.field("passengers")
            position = try json.maybe("position")
            etaS = try json.maybe("eta_s")
            fare = try json.maybe("fare")
            card = try json.maybe("card")
        }
    }

    /// No seat: the driver declined or did not answer, has none left (full), or went offline.
    public struct SeatDeclined: Event {
        public static let type = "seat.declined"
        public var silent: Bool?
        public var booking: String
        public var vehicle: String
        public var reason: Reason

        public init(_ json: JSON) throws {
            silent = try json.maybe("silent")
            booking = try json.field("booking")
            vehicle = try json.field("vehicle")
            reason = try json.field("reason")
        }

        public struct Reason: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var declined: Self { Self(rawValue: "declined") }
            public static var noAnswer: Self { Self(rawValue: "no_answer") }
            public static var full: Self { Self(rawValue: "full") }
            public static var offline: Self { Self(rawValue: "offline") }
        }
    }

    /// A minibus is asked: the first, or the next, and then why the one before does not take it. `fare` is that of the one
    /// that is asked now; `until` is when the search ends at the latest.
    public struct SeatSearching: Event {
        public static let type = "seat.searching"
        public var booking: String
        public var passengers: Int
        public var reason: Reason
        public var until: Int
        public var fare: Parts.Fare?

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            passengers = try json.field("passengers")
            reason = try json.field("reason")
            until = try json.field("until")
            fare = try json.maybe("fare")
        }

        public struct Reason: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var requested: Self { Self(rawValue: "requested") }
            public static var declined: Self { Self(rawValue: "declined") }
            public static var noAnswer: Self { Self(rawValue: "no_answer") }
            public static var undelivered: Self { Self(rawValue: "undelivered") }
            public static var full: Self { Self(rawValue: "full") }
            public static var offline: Self { Self(rawValue: "offline") }
        }
    }

    /// Every minibus that goes there was asked and none took it (no_driver), or its time is over (timeout). `detail` says
    /// what to do.
    public struct SeatFailed: Event {
        public static let type = "seat.failed"
        public var booking: String
        public var silent: Bool?
        public var reason: Reason
        public var detail: String

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            silent = try json.maybe("silent")
            reason = try json.field("reason")
            detail = try json.field("detail")
        }

        public struct Reason: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var noDriver: Self { Self(rawValue: "no_driver") }
            public static var timeout: Self { Self(rawValue: "timeout") }
        }
    }

    /// The vehicle is within 500 m of the pickup.
    public struct SeatNear: Event {
        public static let type = "seat.near"
        public var booking: String
        public var vehicle: String
        public var distanceM: Double
        public var confidence: Parts.Confidence

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            vehicle = try json.field("vehicle")
            distanceM = try json.field("distance_m")
            confidence = try json.field("confidence")
        }
    }

    /// The vehicle is within 20 m of the pickup.
    public struct SeatArrived: Event {
        public static let type = "seat.arrived"
        public var silent: Bool?
        public var booking: String
        public var vehicle: String
        public var distanceM: Double
        public var confidence: Parts.Confidence

        public init(_ json: JSON) throws {
            silent = try json.maybe("silent")
            booking = try json.field("booking")
            vehicle = try json.field("vehicle")
            distanceM = try json.field("distance_m")
            confidence = try json.field("confidence")
        }
    }

    /// The driver has been away since `since`. The hub waits for it until `until`, and then cancels the booking;
    /// `seat.cancel` does so at once.
    public struct SeatDriverLost: Event {
        public static let type = "seat.driver_lost"
        public var silent: Bool?
        public var booking: String
        public var vehicle: String
        public var since: Int
        public var until: Int

        public init(_ json: JSON) throws {
            silent = try json.maybe("silent")
            booking = try json.field("booking")
            vehicle = try json.field("vehicle")
            since = try json.field("since")
            until = try json.field("until")
        }
    }

    /// After `seat.driver_lost`: the driver is there again, and comes.
    public struct SeatDriverBack: Event {
        public static let type = "seat.driver_back"
        public var silent: Bool?
        public var booking: String
        public var vehicle: String

        public init(_ json: JSON) throws {
            silent = try json.maybe("silent")
            booking = try json.field("booking")
            vehicle = try json.field("vehicle")
        }
    }

    /// The vehicle of an open booking has announced another route or way.
    public struct RouteChanged: Event {
        public static let type = "route.changed"
        public var booking: String
        public var vehicle: String
        public var route: String?
        public var way: Parts.Way?

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            vehicle = try json.field("vehicle")
            route = try json.maybe("route")
            way = try json.maybe("way")
        }
    }

    /// A taxi for a time ahead. `local` is `at` by the clock of `time_zone`; `search_at`, when a driver is looked for at
    /// the latest; `ride` is there from then on; `payment`, if it is not in cash; `fare`, an estimate, where a tariff is
    /// set.
    public struct ReservationMade: Event {
        public static let type = "reservation.made"
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

    /// 60 and 10 minutes before; one that could not be sent then says how many are left.
    public struct ReservationReminder: Event {
        public static let type = "reservation.reminder"
        public var reservation: String
        public var at: Int
        public var local: String
        public var silent: Bool?
        /// Until the meeting time, rounded up.
        public var minutes: Int
        public var state: State

        public init(_ json: JSON) throws {
            reservation = try json.field("reservation")
            at = try json.field("at")
            local = try json.field("local")
            silent = try json.maybe("silent")
            minutes = try json.field("minutes")
            state = try json.field("state")
        }

        public struct State: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var open: Self { Self(rawValue: "open") }
            public static var searching: Self { Self(rawValue: "searching") }
            public static var assigned: Self { Self(rawValue: "assigned") }
        }
    }

    /// With no driver at `until`, it has failed.
    public struct ReservationSearching: Event {
        public static let type = "reservation.searching"
        public var reservation: String
        public var at: Int
        public var local: String
        public var ride: String
        /// `no_driver_yet` comes 8 and 5 minutes before; the others when a driver is looked for again, first in line.
        public var reason: Reason
        /// Until the meeting time, rounded up.
        public var minutes: Int
        public var until: Int

        public init(_ json: JSON) throws {
            reservation = try json.field("reservation")
            at = try json.field("at")
            local = try json.field("local")
            ride = try json.field("ride")
            reason = try json.field("reason")
            minutes = try json.field("minutes")
            until = try json.field("until")
        }

        public struct Reason: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var begun: Self { Self(rawValue: "begun") }
            public static var noDriverYet: Self { Self(rawValue: "no_driver_yet") }
            public static var driverCancelled: Self { Self(rawValue: "driver_cancelled") }
            public static var driverLost: Self { Self(rawValue: "driver_lost") }
            public static var `operator`: Self { Self(rawValue: "operator") }
        }
    }

    /// The search is due, and the passenger still has this ride or booking (`already_requested`), or has taken back so many
    /// requests that the next must wait (`rate_limited`): it begins when that is over, or has failed at `until`.
    public struct ReservationWaiting: Event {
        public static let type = "reservation.waiting"
        public var reservation: String
        public var at: Int
        public var local: String
        public var ride: String?
        public var booking: String?
        public var reason: Reason
        public var until: Int

        public init(_ json: JSON) throws {
            reservation = try json.field("reservation")
            at = try json.field("at")
            local = try json.field("local")
            ride = try json.maybe("ride")
            booking = try json.maybe("booking")
            reason = try json.field("reason")
            until = try json.field("until")
        }

        public struct Reason: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var alreadyRequested: Self { Self(rawValue: "already_requested") }
            public static var rateLimited: Self { Self(rawValue: "rate_limited") }
        }
    }

    public struct ReservationAssigned: Event {
        public static let type = "reservation.assigned"
        public var reservation: String
        public var at: Int
        public var local: String
        public var silent: Bool?
        public var ride: String
        public var taxi: String
        /// Null when no fix of the taxi is known yet.
        public var position: Parts.Fix?
        /// Null when it cannot be estimated.
        public var etaS: Double?
        public var card: Parts.Card?

        public init(_ json: JSON) throws {
            reservation = try json.field("reservation")
            at = try json.field("at")
            local = try json.field("local")
            silent = try json.maybe("silent")
            ride = try json.field("ride")
            taxi = try json.field("taxi")
            position = try json.maybe("position")
            etaS = try json.maybe("eta_s")
            card = try json.maybe("card")
        }
    }

    public struct ReservationFailed: Event {
        public static let type = "reservation.failed"
        public var reservation: String
        public var at: Int
        public var local: String
        public var silent: Bool?
        public var ride: String?
        public var code: Code
        public var detail: String

        public init(_ json: JSON) throws {
            reservation = try json.field("reservation")
            at = try json.field("at")
            local = try json.field("local")
            silent = try json.maybe("silent")
            ride = try json.maybe("ride")
            code = try json.field("code")
            detail = try json.field("detail")
        }

        public struct Code: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var noDriver: Self { Self(rawValue: "no_driver") }
            public static var timeout: Self { Self(rawValue: "timeout") }
            public static var zoneEmpty: Self { Self(rawValue: "zone_empty") }
            public static var seatsFull: Self { Self(rawValue: "seats_full") }
            public static var alreadyRequested: Self { Self(rawValue: "already_requested") }
            public static var rateLimited: Self { Self(rawValue: "rate_limited") }
            public static var forbidden: Self { Self(rawValue: "forbidden") }
        }
    }

    public struct ReservationCancelled: Event {
        public static let type = "reservation.cancelled"
        public var reservation: String
        public var at: Int
        public var local: String
        public var ride: String?
        public var by: By
        /// `noshow`: nobody came to the pickup.
        public var reason: String?
        public var text: String?

        public init(_ json: JSON) throws {
            reservation = try json.field("reservation")
            at = try json.field("at")
            local = try json.field("local")
            ride = try json.maybe("ride")
            by = try json.field("by")
            reason = try json.maybe("reason")
            text = try json.maybe("text")
        }

        public struct By: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var passenger: Self { Self(rawValue: "passenger") }
            public static var driver: Self { Self(rawValue: "driver") }
            public static var `operator`: Self { Self(rawValue: "operator") }
        }
    }

    /// The request waits for the driver's answer. Told again, with the bus and another `answer_by`, when somebody begins to
    /// drive a line that was asked before; and, with a reason, when the tour that had it has ended: what its driver
    /// promised counts no more, and another is asked, or, where no bus is named, whoever drives next.
    public struct StopPending: Event {
        public static let type = "stop.pending"
        public var eta: Parts.PlaceEta?
        public var request: String
        public var line: String
        public var state: String
        public var at: Int
        public var lat: Double
        public var lon: Double
        public var stop: String?
        public var passengers: Int
        public var back: String?
        public var bus: String?
        public var answerBy: Int
        public var reason: Reason?

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
            answerBy = try json.field("answer_by")
            reason = try json.maybe("reason")
        }

        public struct Reason: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var tourEnded: Self { Self(rawValue: "tour_ended") }
        }
    }

    /// The bus will stop there.
    public struct StopAccepted: Event {
        public static let type = "stop.accepted"
        public var eta: Parts.PlaceEta?
        public var silent: Bool?
        public var request: String
        public var line: String
        public var state: String
        public var at: Int
        public var lat: Double
        public var lon: Double
        public var stop: String?
        public var passengers: Int
        public var back: String?
        public var bus: String?

        public init(_ json: JSON) throws {
            eta = try json.maybe("eta")
            silent = try json.maybe("silent")
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
        }
    }

    /// The bus will not stop there.
    public struct StopDeclined: Event {
        public static let type = "stop.declined"
        public var silent: Bool?
        public var request: String
        public var line: String
        public var state: String
        public var at: Int
        public var lat: Double
        public var lon: Double
        public var stop: String?
        public var passengers: Int
        public var back: String?
        public var bus: String?

        public init(_ json: JSON) throws {
            silent = try json.maybe("silent")
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
        }
    }

    /// Lapsed: no answer in time, the bus went by before there was one, nobody drives the line any more, nobody closed it,
    /// or the line goes other ways now, or does not run any more (`line_changed`, `line_removed`).
    public struct StopExpired: Event {
        public static let type = "stop.expired"
        public var silent: Bool?
        public var request: String
        public var line: String
        public var state: String
        public var at: Int
        public var lat: Double
        public var lon: Double
        public var stop: String?
        public var passengers: Int
        public var back: String?
        public var bus: String?
        public var reason: Reason

        public init(_ json: JSON) throws {
            silent = try json.maybe("silent")
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
            reason = try json.field("reason")
        }

        public struct Reason: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var unanswered: Self { Self(rawValue: "unanswered") }
            public static var passed: Self { Self(rawValue: "passed") }
            public static var noDriver: Self { Self(rawValue: "no_driver") }
            public static var notServed: Self { Self(rawValue: "not_served") }
            public static var lineChanged: Self { Self(rawValue: "line_changed") }
            public static var lineRemoved: Self { Self(rawValue: "line_removed") }
        }
    }

    /// 15 minutes until the bus may be there at the earliest; while that can't be said, to the wanted time. Told once.
    public struct StopReminder: Event {
        public static let type = "stop.reminder"
        public var eta: Parts.PlaceEta?
        public var silent: Bool?
        public var request: String
        public var line: String
        public var state: String
        public var at: Int
        public var lat: Double
        public var lon: Double
        public var stop: String?
        public var passengers: Int
        public var back: String?
        public var bus: String?

        public init(_ json: JSON) throws {
            eta = try json.maybe("eta")
            silent = try json.maybe("silent")
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
        }
    }

    /// The bus is within 500 m, on its way: one that waits at its first stop for its time is near to nobody yet.
    public struct StopNear: Event {
        public static let type = "stop.near"
        public var eta: Parts.PlaceEta?
        public var request: String
        public var line: String
        public var state: String
        public var at: Int
        public var lat: Double
        public var lon: Double
        public var stop: String?
        public var passengers: Int
        public var back: String?
        public var bus: String?
        public var distanceM: Double

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
            distanceM = try json.field("distance_m")
        }
    }

    /// The bus is within 20 m, or stands within 50 m. At the first stop of its tour also while it waits there for its time;
    /// then without `stop.near` before.
    public struct StopArrived: Event {
        public static let type = "stop.arrived"
        public var silent: Bool?
        public var eta: Parts.PlaceEta?
        public var request: String
        public var line: String
        public var state: String
        public var at: Int
        public var lat: Double
        public var lon: Double
        public var stop: String?
        public var passengers: Int
        public var back: String?
        public var bus: String?
        public var distanceM: Double

        public init(_ json: JSON) throws {
            silent = try json.maybe("silent")
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
            distanceM = try json.field("distance_m")
        }
    }

    /// On the bus.
    public struct StopCompleted: Event {
        public static let type = "stop.completed"
        public var request: String
        public var line: String
        public var state: String
        public var at: Int
        public var lat: Double
        public var lon: Double
        public var stop: String?
        public var passengers: Int
        public var back: String?
        public var bus: String?

        public init(_ json: JSON) throws {
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
        }
    }

    /// The bus waited, and nobody came.
    public struct StopNoshow: Event {
        public static let type = "stop.noshow"
        public var request: String
        public var line: String
        public var state: String
        public var at: Int
        public var lat: Double
        public var lon: Double
        public var stop: String?
        public var passengers: Int
        public var back: String?
        public var bus: String?

        public init(_ json: JSON) throws {
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
        }
    }

    /// Taken back.
    public struct StopCancelled: Event {
        public static let type = "stop.cancelled"
        public var request: String
        public var line: String
        public var state: String
        public var at: Int
        public var lat: Double
        public var lon: Double
        public var stop: String?
        public var passengers: Int
        public var back: String?
        public var bus: String?

        public init(_ json: JSON) throws {
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
        }
    }

    public struct QueueRank: Event {
        public static let type = "queue.rank"
        public var zone: String
        public var rank: Int
        public var size: Int
        /// What moved the rank.
        public var reason: String

        public init(_ json: JSON) throws {
            zone = try json.field("zone")
            rank = try json.field("rank")
            size = try json.field("size")
            reason = try json.field("reason")
        }
    }

    public struct RideEta: Event {
        public static let type = "ride.eta"
        public var ride: String
        public var taxi: String
        public var etaS: Double
        public var earlyS: Double
        public var lateS: Double
        public var distanceM: Double
        public var at: Int

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            taxi = try json.field("taxi")
            etaS = try json.field("eta_s")
            earlyS = try json.field("early_s")
            lateS = try json.field("late_s")
            distanceM = try json.field("distance_m")
            at = try json.field("at")
        }
    }

    /// To the bus's own driver: a stop was reached, or something was changed by another device.
    public struct Tour: Event {
        public static let type = "tour"
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

    public struct SeatEta: Event {
        public static let type = "seat.eta"
        public var booking: String
        public var vehicle: String
        public var etaS: Double
        public var earlyS: Double
        public var lateS: Double
        public var distanceM: Double
        public var at: Int

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            vehicle = try json.field("vehicle")
            etaS = try json.field("eta_s")
            earlyS = try json.field("early_s")
            lateS = try json.field("late_s")
            distanceM = try json.field("distance_m")
            at = try json.field("at")
        }
    }

    /// The bus that comes for a request is expected at another time than was told last.
    public struct StopEta: Event {
        public static let type = "stop.eta"
        public var request: String
        public var line: String
        public var bus: String
        public var eta: Parts.PlaceEta

        public init(_ json: JSON) throws {
            request = try json.field("request")
            line = try json.field("line")
            bus = try json.field("bus")
            eta = try json.field("eta")
        }
    }

    /// The order that is proposed to the driver: along the announced way, else the shortest found.
    public struct SeatStops: Event {
        public static let type = "seat.stops"
        public var stops: [Stop]

        public init(_ json: JSON) throws {
            stops = try json.field("stops")
        }

        public struct Stop: Readable, Sendable {
            public var booking: String
            public var what: What
            public var lat: Double
            public var lon: Double

            public init(_ json: JSON) throws {
                booking = try json.field("booking")
                what = try json.field("what")
                lat = try json.field("lat")
                lon = try json.field("lon")
            }

            public struct What: Word {
                public let rawValue: String
                public init(rawValue: String) { self.rawValue = rawValue }
                public static var pickup: Self { Self(rawValue: "pickup") }
                public static var dropOff: Self { Self(rawValue: "drop_off") }
            }
        }
    }

    public struct DriverSnapshot: Event {
        public static let type = "snapshot"
        public var state: Parts.StateDriverState?
        public var zone: String?
        public var rank: Int?
        public var size: Int?
        public var notify: Parts.Wishes?
        /// Only of a minibus, as all that follows up to `bookings`.
        public var kind: String?
        public var capacity: Int?
        public var taken: Int?
        public var seats: Int?
        public var route: String?
        public var way: Parts.Way?
        public var request: Request?
        public var bookings: [Booking]?
        public var offer: Offer?
        public var ride: Ride?
        public var tour: Parts.Tour?
        public var places: [Parts.StopPlace]?

        public init(_ json: JSON) throws {
            state = try json.maybe("state")
            zone = try json.maybe("zone")
            rank = try json.maybe("rank")
            size = try json.maybe("size")
            notify = try json.maybe("notify")
            kind = try json.maybe("kind")
            capacity = try json.maybe("capacity")
            taken = try json.maybe("taken")
            seats = try json.maybe("seats")
            route = try json.maybe("route")
            way = try json.maybe("way")
            request = try json.maybe("request")
            bookings = try json.maybe("bookings")
            offer = try json.maybe("offer")
            ride = try json.maybe("ride")
            tour = try json.maybe("tour")
            places = try json.maybe("places")
        }

        public struct Request: Readable, Sendable {
            public var booking: String
            public var passengers: Int
            public var lengthM: Double
            public var distanceM: Double?
            public var detourM: Double?
            public var fare: Parts.Fare?
            public var payment: Parts.PaymentMethod?
            public var expiresInMs: Int
            public var expiresAt: Int

            public init(_ json: JSON) throws {
                booking = try json.field("booking")
                passengers = try json.field("passengers")
                lengthM = try json.field("length_m")
                distanceM = try json.maybe("distance_m")
                detourM = try json.maybe("detour_m")
                fare = try json.maybe("fare")
                payment = try json.maybe("payment")
                expiresInMs = try json.field("expires_in_ms")
                expiresAt = try json.field("expires_at")
            }
        }

        public struct Booking: Readable, Sendable {
            public var booking: String
            public var state: State
            public var pickup: Parts.Point
            public var contact: Parts.Contact?
            public var destination: Parts.Point
            public var passengers: Int
            public var payment: Parts.PaymentMethod?
            public var notified: JSON

            public init(_ json: JSON) throws {
                booking = try json.field("booking")
                state = try json.field("state")
                pickup = try json.field("pickup")
                contact = try json.maybe("contact")
                destination = try json.field("destination")
                passengers = try json.field("passengers")
                payment = try json.maybe("payment")
                notified = try json.field("notified")
            }

            public struct State: Word {
                public let rawValue: String
                public init(rawValue: String) { self.rawValue = rawValue }
                public static var confirmed: Self { Self(rawValue: "confirmed") }
                public static var aboard: Self { Self(rawValue: "aboard") }
            }
        }

        public struct Offer: Readable, Sendable {
            public var ride: String
            public var zone: String
            public var passengers: Int
            public var needs: [String]?
            public var expiresInMs: Int
            public var expiresAt: Int

            public init(_ json: JSON) throws {
                ride = try json.field("ride")
                zone = try json.field("zone")
                passengers = try json.field("passengers")
                needs = try json.maybe("needs")
                expiresInMs = try json.field("expires_in_ms")
                expiresAt = try json.field("expires_at")
            }
        }

        public struct Ride: Readable, Sendable {
            public var ride: String
            public var state: State
            public var pickup: Parts.Point
            public var passengers: Int
            public var notified: JSON
            public var needs: [String]?
            public var contact: Parts.Contact?
            public var payment: Parts.PaymentMethod?
            public var destination: Parts.Point?

            public init(_ json: JSON) throws {
                ride = try json.field("ride")
                state = try json.field("state")
                pickup = try json.field("pickup")
                passengers = try json.field("passengers")
                notified = try json.field("notified")
                needs = try json.maybe("needs")
                contact = try json.maybe("contact")
                payment = try json.maybe("payment")
                destination = try json.maybe("destination")
            }

            public struct State: Word {
                public let rawValue: String
                public init(rawValue: String) { self.rawValue = rawValue }
                public static var accepted: Self { Self(rawValue: "accepted") }
                public static var aboard: Self { Self(rawValue: "aboard") }
            }
        }
    }

    public struct PassengerSnapshot: Event {
        public static let type = "snapshot"
        public var notify: Parts.Wishes?
        /// A seat in a minibus, while it is open. `searching`: of any one, with `until` and without `vehicle`.
        public var booking: Booking?
        public var ride: Ride?
        /// Open requests for stops, by pickup time; absent when there is none.
        public var requests: [Parts.StopRequest]?
        /// Open reservations, by time; absent when there is none.
        public var reservations: [Parts.Reservation]?

        public init(_ json: JSON) throws {
            notify = try json.maybe("notify")
            booking = try json.maybe("booking")
            ride = try json.maybe("ride")
            requests = try json.maybe("requests")
            reservations = try json.maybe("reservations")
        }

        /// A seat in a minibus, while it is open. `searching`: of any one, with `until` and without `vehicle`.
        public struct Booking: Readable, Sendable {
            public var booking: String
            public var vehicle: String?
            public var state: State
            public var until: Int?
            public var passengers: Int
            public var fare: Parts.Fare?
            public var notified: JSON
            public var position: Parts.Fix?
            public var driverLost: Parts.DriverLost?
            public var card: Parts.Card?

            public init(_ json: JSON) throws {
                booking = try json.field("booking")
                vehicle = try json.maybe("vehicle")
                state = try json.field("state")
                until = try json.maybe("until")
                passengers = try json.field("passengers")
                fare = try json.maybe("fare")
                notified = try json.field("notified")
                position = try json.maybe("position")
                driverLost = try json.maybe("driver_lost")
                card = try json.maybe("card")
            }

            public struct State: Word {
                public let rawValue: String
                public init(rawValue: String) { self.rawValue = rawValue }
                public static var pending: Self { Self(rawValue: "pending") }
                public static var searching: Self { Self(rawValue: "searching") }
                public static var confirmed: Self { Self(rawValue: "confirmed") }
                public static var aboard: Self { Self(rawValue: "aboard") }
            }
        }

        public struct Ride: Readable, Sendable {
            public var ride: String
            public var state: State
            public var zone: String
            public var passengers: Int
            public var needs: [String]?
            public var until: Int?
            public var taxi: String?
            /// Null when no fix of the taxi is known yet.
            public var position: Parts.Fix?
            /// Null when it cannot be estimated.
            public var etaS: Double?
            public var notified: JSON?
            public var driverLost: Parts.DriverLost?
            public var card: Parts.Card?

            public init(_ json: JSON) throws {
                ride = try json.field("ride")
                state = try json.field("state")
                zone = try json.field("zone")
                passengers = try json.field("passengers")
                needs = try json.maybe("needs")
                until = try json.maybe("until")
                taxi = try json.maybe("taxi")
                position = try json.maybe("position")
                etaS = try json.maybe("eta_s")
                notified = try json.maybe("notified")
                driverLost = try json.maybe("driver_lost")
                card = try json.maybe("card")
            }

            public struct State: Word {
                public let rawValue: String
                public init(rawValue: String) { self.rawValue = rawValue }
                public static var searching: Self { Self(rawValue: "searching") }
                public static var offered: Self { Self(rawValue: "offered") }
                public static var accepted: Self { Self(rawValue: "accepted") }
                public static var aboard: Self { Self(rawValue: "aboard") }
            }
        }
    }
}

/// What comes on `line:…`.
public enum LineEvents {
    public struct ScheduleChanged: Event {
        public static let type = "schedule.changed"
        public var tour: String
        public var bus: String
        public var reason: Reason
        /// With `late` and `early`: by so many, when that has changed; `late` by 0: on time again.
        public var minutes: Int?
        public var delayS: Int?
        /// Of the stop that is skipped, or served after all (restored).
        public var index: Int?
        public var stop: String?

        public init(_ json: JSON) throws {
            tour = try json.field("tour")
            bus = try json.field("bus")
            reason = try json.field("reason")
            minutes = try json.maybe("minutes")
            delayS = try json.maybe("delay_s")
            index = try json.maybe("index")
            stop = try json.maybe("stop")
        }

        public struct Reason: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var late: Self { Self(rawValue: "late") }
            public static var early: Self { Self(rawValue: "early") }
            public static var skipped: Self { Self(rawValue: "skipped") }
            public static var restored: Self { Self(rawValue: "restored") }
            public static var ended: Self { Self(rawValue: "ended") }
        }
    }

    /// A bus of the line, whenever anything of it has changed. Ended: it is to be forgotten.
    public struct Bus: Event {
        public static let type = "bus"
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

    /// All buses of a line; replaces what was known of them.
    public struct LineSnapshot: Event {
        public static let type = "snapshot"
        public var line: String
        public var buses: [Parts.Tour]

        public init(_ json: JSON) throws {
            line = try json.field("line")
            buses = try json.field("buses")
        }
    }
}

/// What comes on `office`.
public enum OfficeEvents {
    /// Who is in danger, where, and with whom. `ride`, `booking` or `tour` is the one that the sender is on; `vehicle` is a
    /// taxi, a minibus or a bus.
    public struct SosRaised: Event {
        public static let type = "sos.raised"
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

    /// Who is in danger, where, and with whom. `ride`, `booking` or `tour` is the one that the sender is on; `vehicle` is a
    /// taxi, a minibus or a bus.
    public struct SosUpdated: Event {
        public static let type = "sos.updated"
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

    public struct SosAcknowledged: Event {
        public static let type = "sos.acknowledged"
        public var sos: String
        public var by: String
        public var at: Int
        public var note: String?

        public init(_ json: JSON) throws {
            sos = try json.field("sos")
            by = try json.field("by")
            at = try json.field("at")
            note = try json.maybe("note")
        }
    }

    public struct SosClosed: Event {
        public static let type = "sos.closed"
        public var sos: String
        public var by: String
        public var at: Int
        public var note: String

        public init(_ json: JSON) throws {
            sos = try json.field("sos")
            by = try json.field("by")
            at = try json.field("at")
            note = try json.field("note")
        }
    }

    /// `event` is what a passenger's app would have got; what else there is has the names and meanings that it has there.
    public struct CallerTold: Event {
        public static let type = "caller.told"
        public var passenger: String
        public var name: String?
        public var number: String?
        public var event: String
        public var ride: String?
        public var booking: String?
        public var request: String?
        public var taxi: String?
        public var vehicle: String?
        public var bus: String?
        public var line: String?
        public var zone: String?
        public var at: Int?
        public var answerBy: Int?
        public var etaS: Double?
        public var distanceM: Double?
        public var by: String?
        public var reason: String?
        public var code: String?
        public var detail: String?
        public var text: String?
        public var card: Parts.Card?
        public var reservation: String?
        public var local: String?
        public var minutes: Int?

        public init(_ json: JSON) throws {
            passenger = try json.field("passenger")
            name = try json.maybe("name")
            number = try json.maybe("number")
            event = try json.field("event")
            ride = try json.maybe("ride")
            booking = try json.maybe("booking")
            request = try json.maybe("request")
            taxi = try json.maybe("taxi")
            vehicle = try json.maybe("vehicle")
            bus = try json.maybe("bus")
            line = try json.maybe("line")
            zone = try json.maybe("zone")
            at = try json.maybe("at")
            answerBy = try json.maybe("answer_by")
            etaS = try json.maybe("eta_s")
            distanceM = try json.maybe("distance_m")
            by = try json.maybe("by")
            reason = try json.maybe("reason")
            code = try json.maybe("code")
            detail = try json.maybe("detail")
            text = try json.maybe("text")
            card = try json.maybe("card")
            reservation = try json.maybe("reservation")
            local = try json.maybe("local")
            minutes = try json.maybe("minutes")
        }
    }

    public struct ReportSent: Event {
        public static let type = "report.sent"
        public var report: String
        public var category: Parts.ReportCategory

        public init(_ json: JSON) throws {
            report = try json.field("report")
            category = try json.field("category")
        }
    }

    /// `until` is its last day; `days` are left until then, fewer than none when it has ended before it was registered.
    public struct PapersEnding: Event {
        public static let type = "papers.ending"
        public var driver: String
        public var paper: Parts.Paper
        public var until: String
        public var days: Int

        public init(_ json: JSON) throws {
            driver = try json.field("driver")
            paper = try json.field("paper")
            until = try json.field("until")
            days = try json.field("days")
        }
    }
}

/// What comes on `catalog`.
public enum CatalogEvents {
    public struct CatalogChanged: Event {
        public static let type = "catalog.changed"
        public var version: String
        /// The lists that are not as they were, and since when; `Last-Modified` of the list is no earlier.
        public var changed: [String: Int]

        public init(_ json: JSON) throws {
            version = try json.field("version")
            changed = try json.field("changed")
        }
    }
}
