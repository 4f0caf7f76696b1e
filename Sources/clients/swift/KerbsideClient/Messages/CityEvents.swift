// The messages of the contract, made of config/contract/schemas by tools/generate. Don't change it by hand.
// swift-format-ignore-file

/// What comes on `events:…`.
public enum CityEvents {
    /// An operator has done something by hand; the entry of the audit.
    public struct Audit: Event {
        public static let type = "audit"
        /// Of the entry in the audit.
        public var id: String
        /// Who did it.
        public var `operator`: String
        /// What the operator did, by its name in the commands.
        public var command: String
        /// On whom or what, as `driver:<id>`.
        public var target: String?
        /// The reason that an operator gave.
        public var reason: String?
        /// How things stood before the act, as far as it concerns them.
        public var before: Parts.AuditFacts?
        /// How things stood after the act, as far as it concerns them.
        public var after: Parts.AuditFacts?

        public init(_ json: JSON) throws {
            id = try json.field("id")
            self.operator = try json.field("operator")
            command = try json.field("command")
            target = try json.maybe("target")
            reason = try json.maybe("reason")
            before = try json.maybe("before")
            after = try json.maybe("after")
        }
    }

    /// Lines, buses, stops or routes have changed.
    public struct CatalogChanged: Event {
        public static let type = "catalog.changed"
        /// Of the catalog.
        public var version: String
        /// The lists that have changed, and when.
        public var changed: [String: Int]

        public init(_ json: JSON) throws {
            version = try json.field("version")
            changed = try json.field("changed")
        }
    }

    /// A driver can't be reached.
    public struct DriverAway: Event {
        public static let type = "driver.away"
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Why. One of few, which may become more.
        public var reason: String?

        public init(_ json: JSON) throws {
            driver = try json.field("driver")
            reason = try json.maybe("reason")
        }
    }

    /// A driver can be reached again.
    public struct DriverBack: Event {
        public static let type = "driver.back"
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String

        public init(_ json: JSON) throws {
            driver = try json.field("driver")
        }
    }

    /// A minibus takes no more bookings.
    public struct DriverOffline: Event {
        public static let type = "driver.offline"
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Why. One of few, which may become more.
        public var reason: String?

        public init(_ json: JSON) throws {
            driver = try json.field("driver")
            reason = try json.maybe("reason")
        }
    }

    /// A minibus takes bookings.
    public struct DriverOnline: Event {
        public static let type = "driver.online"
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Why. One of few, which may become more.
        public var reason: String?

        public init(_ json: JSON) throws {
            driver = try json.field("driver")
            reason = try json.maybe("reason")
        }
    }

    /// An operator has written down who a driver is, anew or for the first time.
    public struct DriverRegistered: Event {
        public static let type = "driver.registered"
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Of the driver.
        public var name: String?
        /// Of the driver.
        public var phone: String?
        /// Whose car it is, or whom the driver works for.
        public var company: String?
        /// Where the picture of the driver is.
        public var photo: String?
        /// Its number.
        public var licence: String?
        /// Its last day.
        public var licenceUntil: String?
        /// The last day of the medical certificate.
        public var medicalUntil: String?
        /// A taxi, a minibus or a bus.
        public var vehicle: String?
        public var capabilities: [String]?
        /// Who did it.
        public var by: String
        /// When it was written down, Unix ms.
        public var at: Int

        public init(_ json: JSON) throws {
            driver = try json.field("driver")
            name = try json.maybe("name")
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

    /// An operator has taken out the record of a driver.
    public struct DriverRemoved: Event {
        public static let type = "driver.removed"
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String

        public init(_ json: JSON) throws {
            driver = try json.field("driver")
        }
    }

    /// A notice was sent to many.
    public struct NotifySent: Event {
        public static let type = "notify.sent"
        /// The notice.
        public var notice: String
        /// Who did it.
        public var `operator`: String
        /// To whom a notice goes.
        public var to: String
        /// By its id.
        public var zone: String?
        /// What an operator or a passenger wrote.
        public var text: String?
        /// How many the notice was for.
        public var people: Int

        public init(_ json: JSON) throws {
            notice = try json.field("notice")
            self.operator = try json.field("operator")
            to = try json.field("to")
            zone = try json.maybe("zone")
            text = try json.maybe("text")
            people = try json.field("people")
        }
    }

    /// The driver has declined.
    public struct OfferDeclined: Event {
        public static let type = "offer.declined"
        /// In a taxi.
        public var ride: String
        /// By its id.
        public var zone: String
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            zone = try json.field("zone")
            driver = try json.field("driver")
        }
    }

    /// The driver saw the offer and did not answer in time.
    public struct OfferExpired: Event {
        public static let type = "offer.expired"
        /// In a taxi.
        public var ride: String
        /// By its id.
        public var zone: String
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            zone = try json.field("zone")
            driver = try json.field("driver")
        }
    }

    /// A driver is asked for a ride.
    public struct OfferMade: Event {
        public static let type = "offer.made"
        /// In a taxi.
        public var ride: String
        /// By its id.
        public var zone: String
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Which search for a driver it is, from 1.
        public var round: Int
        /// How many drivers this search has asked, this one included.
        public var attempt: Int
        /// Why. One of few, which may become more.
        public var reason: String?

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            zone = try json.field("zone")
            driver = try json.field("driver")
            round = try json.field("round")
            attempt = try json.field("attempt")
            reason = try json.maybe("reason")
        }
    }

    /// The offer is on the driver's screen.
    public struct OfferSeen: Event {
        public static let type = "offer.seen"
        /// In a taxi.
        public var ride: String
        /// By its id.
        public var zone: String
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            zone = try json.field("zone")
            driver = try json.field("driver")
        }
    }

    /// The offer did not come to the driver's screen in time.
    public struct OfferUndelivered: Event {
        public static let type = "offer.undelivered"
        /// In a taxi.
        public var ride: String
        /// By its id.
        public var zone: String
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            zone = try json.field("zone")
            driver = try json.field("driver")
        }
    }

    /// The driver is asked no more.
    public struct OfferWithdrawn: Event {
        public static let type = "offer.withdrawn"
        /// In a taxi.
        public var ride: String
        /// By its id.
        public var zone: String
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Why. One of few, which may become more.
        public var reason: String?

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            zone = try json.field("zone")
            driver = try json.field("driver")
            reason = try json.maybe("reason")
        }
    }

    /// A paper of a driver ends in three months, in 30 days, in 7 or today, or is entered with less left.
    public struct PapersEnding: Event {
        public static let type = "papers.ending"
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Which one.
        public var paper: Parts.Paper?
        /// The last day of a paper.
        public var until: String?
        /// Until the last one of a paper, today 0; negative: it is over.
        public var days: Int?

        public init(_ json: JSON) throws {
            driver = try json.field("driver")
            paper = try json.maybe("paper")
            until = try json.maybe("until")
            days = try json.maybe("days")
        }
    }

    /// A service has said what became of the payment of a trip.
    public struct PaymentChanged: Event {
        public static let type = "payment.changed"
        /// In a taxi.
        public var ride: String?
        /// Seats in a minibus.
        public var booking: String?
        /// By its id.
        public var zone: String?
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Whose ride or booking it is.
        public var passenger: String?
        /// Of a trip.
        public var receipt: String
        /// `pending`, `paid`, `failed` or `refunded`.
        public var paymentState: String

        public init(_ json: JSON) throws {
            ride = try json.maybe("ride")
            booking = try json.maybe("booking")
            zone = try json.maybe("zone")
            driver = try json.field("driver")
            passenger = try json.maybe("passenger")
            receipt = try json.field("receipt")
            paymentState = try json.field("payment_state")
        }
    }

    /// A driver went to the bottom of the queue.
    public struct QueueBottom: Event {
        public static let type = "queue.bottom"
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// By its id.
        public var zone: String
        /// The arrival number in the queue: the lowest is first.
        public var score: Double
        /// Why. One of few, which may become more.
        public var reason: String?

        public init(_ json: JSON) throws {
            driver = try json.field("driver")
            zone = try json.field("zone")
            score = try json.field("score")
            reason = try json.maybe("reason")
        }
    }

    /// A driver waits in the queue of a zone.
    public struct QueueJoined: Event {
        public static let type = "queue.joined"
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// By its id.
        public var zone: String
        /// The arrival number in the queue: the lowest is first.
        public var score: Double
        /// Why. One of few, which may become more.
        public var reason: String?

        public init(_ json: JSON) throws {
            driver = try json.field("driver")
            zone = try json.field("zone")
            score = try json.field("score")
            reason = try json.maybe("reason")
        }
    }

    /// A driver has left the queue.
    public struct QueueLeft: Event {
        public static let type = "queue.left"
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// By its id.
        public var zone: String
        /// Why. One of few, which may become more.
        public var reason: String?

        public init(_ json: JSON) throws {
            driver = try json.field("driver")
            zone = try json.field("zone")
            reason = try json.maybe("reason")
        }
    }

    /// A driver who waits first was passed over five times, or ten, as its vehicle has too few seats or lacks what is
    /// needed.
    public struct QueuePassedOver: Event {
        public static let type = "queue.passed_over"
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// By its id.
        public var zone: String
        /// How often, since it came into this queue.
        public var times: Int

        public init(_ json: JSON) throws {
            driver = try json.field("driver")
            zone = try json.field("zone")
            times = try json.field("times")
        }
    }

    /// A passenger who did not come too often, or a driver who gave back too often, is paused for a while.
    public struct ReliabilityPaused: Event {
        public static let type = "reliability.paused"
        /// Whose ride or booking it is.
        public var passenger: String?
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String?
        /// What it was: `no_shows`, `late_cancels` or `give_backs`.
        public var kind: String?
        /// How many of them count, this one included.
        public var total: Int?
        /// When the pause ends, Unix ms.
        public var pausedUntil: Int?

        public init(_ json: JSON) throws {
            passenger = try json.maybe("passenger")
            driver = try json.maybe("driver")
            kind = try json.maybe("kind")
            total = try json.maybe("total")
            pausedUntil = try json.maybe("paused_until")
        }
    }

    /// A passenger or a driver was told how often it was.
    public struct ReliabilityWarned: Event {
        public static let type = "reliability.warned"
        /// Whose ride or booking it is.
        public var passenger: String?
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String?
        /// What it was: `no_shows`, `late_cancels` or `give_backs`.
        public var kind: String?
        /// How many of them count, this one included.
        public var total: Int?

        public init(_ json: JSON) throws {
            passenger = try json.maybe("passenger")
            driver = try json.maybe("driver")
            kind = try json.maybe("kind")
            total = try json.maybe("total")
        }
    }

    /// An operator has closed a report.
    public struct ReportClosed: Event {
        public static let type = "report.closed"
        /// An incident report.
        public var report: String
        /// Who did it.
        public var `operator`: String

        public init(_ json: JSON) throws {
            report = try json.field("report")
            self.operator = try json.field("operator")
        }
    }

    /// A report has come.
    public struct ReportSent: Event {
        public static let type = "report.sent"
        /// An incident report.
        public var report: String
        /// What the report is about.
        public var category: Parts.ReportCategory

        public init(_ json: JSON) throws {
            report = try json.field("report")
            category = try json.field("category")
        }
    }

    /// A driver has accepted the ride of a reservation.
    public struct ReservationAssigned: Event {
        public static let type = "reservation.assigned"
        /// A taxi for a time ahead.
        public var reservation: String
        /// In a taxi.
        public var ride: String
        /// By its id.
        public var zone: String
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Whose ride or booking it is.
        public var passenger: String?

        public init(_ json: JSON) throws {
            reservation = try json.field("reservation")
            ride = try json.field("ride")
            zone = try json.field("zone")
            driver = try json.field("driver")
            passenger = try json.maybe("passenger")
        }
    }

    /// A reservation is off.
    public struct ReservationCancelled: Event {
        public static let type = "reservation.cancelled"
        /// A taxi for a time ahead.
        public var reservation: String
        /// In a taxi.
        public var ride: String?
        /// By its id.
        public var zone: String
        /// Whose ride or booking it is.
        public var passenger: String?
        /// Who did it: `passenger`, `driver`, `operator`, or `position` for what the hub saw.
        public var by: String
        /// Why. One of few, which may become more.
        public var reason: String?
        /// What an operator or a passenger wrote.
        public var text: String?

        public init(_ json: JSON) throws {
            reservation = try json.field("reservation")
            ride = try json.maybe("ride")
            zone = try json.field("zone")
            passenger = try json.maybe("passenger")
            by = try json.field("by")
            reason = try json.maybe("reason")
            text = try json.maybe("text")
        }
    }

    /// No taxi was found for a reservation.
    public struct ReservationFailed: Event {
        public static let type = "reservation.failed"
        /// A taxi for a time ahead.
        public var reservation: String
        /// In a taxi.
        public var ride: String?
        /// By its id.
        public var zone: String
        /// Whose ride or booking it is.
        public var passenger: String?
        /// An error code of the contract.
        public var code: String

        public init(_ json: JSON) throws {
            reservation = try json.field("reservation")
            ride = try json.maybe("ride")
            zone = try json.field("zone")
            passenger = try json.maybe("passenger")
            code = try json.field("code")
        }
    }

    /// A taxi is reserved for a time ahead.
    public struct ReservationMade: Event {
        public static let type = "reservation.made"
        /// A taxi for a time ahead.
        public var reservation: String
        /// Whose ride or booking it is.
        public var passenger: String?
        /// By its id.
        public var zone: String
        /// The pickup time that was asked for, Unix ms.
        public var at: Int
        /// How many people.
        public var passengers: Int
        /// Where a passenger wants to be picked up, degrees north, WGS 84.
        public var lat: Double?
        /// Where a passenger wants to be picked up, degrees east, WGS 84.
        public var lon: Double?
        /// Where a passenger wants to go, degrees north, WGS 84.
        public var toLat: Double?
        /// Where a passenger wants to go, degrees east, WGS 84.
        public var toLon: Double?
        /// `cash` or `digital`.
        public var payment: String?

        public init(_ json: JSON) throws {
            reservation = try json.field("reservation")
            passenger = try json.maybe("passenger")
            zone = try json.field("zone")
            at = try json.field("at")
            passengers = try json.field("passengers")
            lat = try json.maybe("lat")
            lon = try json.maybe("lon")
            toLat = try json.maybe("to_lat")
            toLon = try json.maybe("to_lon")
            payment = try json.maybe("payment")
        }
    }

    /// A driver is searched for a reservation.
    public struct ReservationSearching: Event {
        public static let type = "reservation.searching"
        /// A taxi for a time ahead.
        public var reservation: String
        /// In a taxi.
        public var ride: String
        /// By its id.
        public var zone: String
        /// Whose ride or booking it is.
        public var passenger: String?

        public init(_ json: JSON) throws {
            reservation = try json.field("reservation")
            ride = try json.field("ride")
            zone = try json.field("zone")
            passenger = try json.maybe("passenger")
        }
    }

    /// The passengers are in the car.
    public struct RideAboard: Event {
        public static let type = "ride.aboard"
        /// In a taxi.
        public var ride: String
        /// By its id.
        public var zone: String
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// How many people.
        public var passengers: Int?

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            zone = try json.field("zone")
            driver = try json.field("driver")
            passengers = try json.maybe("passengers")
        }
    }

    /// A driver has accepted.
    public struct RideAccepted: Event {
        public static let type = "ride.accepted"
        /// In a taxi.
        public var ride: String
        /// By its id.
        public var zone: String
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Whose ride or booking it is.
        public var passenger: String?

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            zone = try json.field("zone")
            driver = try json.field("driver")
            passenger = try json.maybe("passenger")
        }
    }

    /// The taxi is at the pickup.
    public struct RideArrived: Event {
        public static let type = "ride.arrived"
        /// In a taxi.
        public var ride: String
        /// By its id.
        public var zone: String
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// To the place of pickup, m.
        public var distanceM: Double

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            zone = try json.field("zone")
            driver = try json.field("driver")
            distanceM = try json.field("distance_m")
        }
    }

    /// The passenger or an operator has cancelled.
    public struct RideCancelled: Event {
        public static let type = "ride.cancelled"
        /// In a taxi.
        public var ride: String
        /// By its id.
        public var zone: String
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String?
        /// Whose ride or booking it is.
        public var passenger: String?
        /// Who did it: `passenger`, `driver`, `operator`, or `position` for what the hub saw.
        public var by: String
        /// What an operator or a passenger wrote.
        public var text: String?
        /// Since its driver said that the passenger is aboard, s.
        public var aboardS: Int?
        /// By the meter since then, m.
        public var drivenM: Int?

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            zone = try json.field("zone")
            driver = try json.maybe("driver")
            passenger = try json.maybe("passenger")
            by = try json.field("by")
            text = try json.maybe("text")
            aboardS = try json.maybe("aboard_s")
            drivenM = try json.maybe("driven_m")
        }
    }

    /// The driver of a ride can be reached again.
    public struct RideDriverBack: Event {
        public static let type = "ride.driver_back"
        /// In a taxi.
        public var ride: String
        /// By its id.
        public var zone: String
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Whose ride or booking it is.
        public var passenger: String?

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            zone = try json.field("zone")
            driver = try json.field("driver")
            passenger = try json.maybe("passenger")
        }
    }

    /// The driver of a ride can't be reached.
    public struct RideDriverLost: Event {
        public static let type = "ride.driver_lost"
        /// In a taxi.
        public var ride: String
        /// By its id.
        public var zone: String
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Whose ride or booking it is.
        public var passenger: String?

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            zone = try json.field("zone")
            driver = try json.field("driver")
            passenger = try json.maybe("passenger")
        }
    }

    /// The ride is over.
    public struct RideEnded: Event {
        public static let type = "ride.ended"
        /// In a taxi.
        public var ride: String
        /// By its id.
        public var zone: String
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Whose ride or booking it is.
        public var passenger: String?
        /// Why. One of few, which may become more.
        public var reason: String?
        /// What an operator or a passenger wrote.
        public var text: String?
        /// Of a trip.
        public var receipt: String?
        /// `cash` or `digital`.
        public var payment: String?
        /// `pending`, `paid`, `failed` or `refunded`.
        public var paymentState: String?
        /// In hundredths of the currency.
        public var amount: Int?
        /// By its three letters.
        public var currency: String?

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            zone = try json.field("zone")
            driver = try json.field("driver")
            passenger = try json.maybe("passenger")
            reason = try json.maybe("reason")
            text = try json.maybe("text")
            receipt = try json.maybe("receipt")
            payment = try json.maybe("payment")
            paymentState = try json.maybe("payment_state")
            amount = try json.maybe("amount")
            currency = try json.maybe("currency")
        }
    }

    /// No taxi was found.
    public struct RideFailed: Event {
        public static let type = "ride.failed"
        /// In a taxi.
        public var ride: String
        /// By its id.
        public var zone: String
        /// Whose ride or booking it is.
        public var passenger: String?
        /// An error code of the contract.
        public var code: String

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            zone = try json.field("zone")
            passenger = try json.maybe("passenger")
            code = try json.field("code")
        }
    }

    /// The taxi is 500 m from the pickup.
    public struct RideNear: Event {
        public static let type = "ride.near"
        /// In a taxi.
        public var ride: String
        /// By its id.
        public var zone: String
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// To the place of pickup, m.
        public var distanceM: Double

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            zone = try json.field("zone")
            driver = try json.field("driver")
            distanceM = try json.field("distance_m")
        }
    }

    /// Nobody came to the pickup.
    public struct RideNoshow: Event {
        public static let type = "ride.noshow"
        /// In a taxi.
        public var ride: String
        /// By its id.
        public var zone: String
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Whose ride or booking it is.
        public var passenger: String?

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            zone = try json.field("zone")
            driver = try json.field("driver")
            passenger = try json.maybe("passenger")
        }
    }

    /// The passenger has walked while the taxi comes.
    public struct RidePickupMoved: Event {
        public static let type = "ride.pickup_moved"
        /// In a taxi.
        public var ride: String
        /// By its id.
        public var zone: String
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// From where the pickup was asked for, m.
        public var movedM: Int

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            zone = try json.field("zone")
            driver = try json.field("driver")
            movedM = try json.field("moved_m")
        }
    }

    /// A passenger asks for a taxi.
    public struct RideRequested: Event {
        public static let type = "ride.requested"
        /// In a taxi.
        public var ride: String
        /// Whose ride or booking it is.
        public var passenger: String?
        /// By its id.
        public var zone: String
        /// How many people.
        public var passengers: Int
        /// Where a passenger wants to be picked up, degrees north, WGS 84.
        public var lat: Double?
        /// Where a passenger wants to be picked up, degrees east, WGS 84.
        public var lon: Double?
        /// Where a passenger wants to go, degrees north, WGS 84.
        public var toLat: Double?
        /// Where a passenger wants to go, degrees east, WGS 84.
        public var toLon: Double?
        /// What the vehicle must have.
        public var needs: [String]?

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            passenger = try json.maybe("passenger")
            zone = try json.field("zone")
            passengers = try json.field("passengers")
            lat = try json.maybe("lat")
            lon = try json.maybe("lon")
            toLat = try json.maybe("to_lat")
            toLon = try json.maybe("to_lon")
            needs = try json.maybe("needs")
        }
    }

    /// A taxi is searched anew.
    public struct RideSearching: Event {
        public static let type = "ride.searching"
        /// In a taxi.
        public var ride: String
        /// By its id.
        public var zone: String
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String?
        /// Which search for a driver it is, from 1.
        public var round: Int
        /// Why. One of few, which may become more.
        public var reason: String

        public init(_ json: JSON) throws {
            ride = try json.field("ride")
            zone = try json.field("zone")
            driver = try json.maybe("driver")
            round = try json.field("round")
            reason = try json.field("reason")
        }
    }

    /// A bus is late or early, leaves a stop out, or has ended its tour.
    public struct ScheduleChanged: Event {
        public static let type = "schedule.changed"
        /// Of a bus.
        public var tour: String
        /// By its id in the catalog.
        public var bus: String
        /// By its id in the catalog.
        public var line: String
        /// Why. One of few, which may become more.
        public var reason: String
        /// Of the stop in the pattern, from 0.
        public var index: Int?
        /// By its id in the catalog.
        public var stop: String?
        /// By so many it is late or early.
        public var minutes: Int?
        public var delayS: Int?

        public init(_ json: JSON) throws {
            tour = try json.field("tour")
            bus = try json.field("bus")
            line = try json.field("line")
            reason = try json.field("reason")
            index = try json.maybe("index")
            stop = try json.maybe("stop")
            minutes = try json.maybe("minutes")
            delayS = try json.maybe("delay_s")
        }
    }

    /// The passengers have got on.
    public struct SeatAboard: Event {
        public static let type = "seat.aboard"
        /// Seats in a minibus.
        public var booking: String
        /// By its id.
        public var zone: String?
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Whose ride or booking it is.
        public var passenger: String?
        /// How many people.
        public var passengers: Int

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            zone = try json.maybe("zone")
            driver = try json.field("driver")
            passenger = try json.maybe("passenger")
            passengers = try json.field("passengers")
        }
    }

    /// The minibus is at the pickup.
    public struct SeatArrived: Event {
        public static let type = "seat.arrived"
        /// Seats in a minibus.
        public var booking: String
        /// By its id.
        public var zone: String?
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// To the place of pickup, m.
        public var distanceM: Double

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            zone = try json.maybe("zone")
            driver = try json.field("driver")
            distanceM = try json.field("distance_m")
        }
    }

    /// The driver of a minibus is asked for seats.
    public struct SeatAsked: Event {
        public static let type = "seat.asked"
        /// Seats in a minibus.
        public var booking: String
        /// By its id.
        public var zone: String?
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            zone = try json.maybe("zone")
            driver = try json.field("driver")
        }
    }

    /// A booking was taken back.
    public struct SeatCancelled: Event {
        public static let type = "seat.cancelled"
        /// Seats in a minibus.
        public var booking: String
        /// By its id.
        public var zone: String?
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Whose ride or booking it is.
        public var passenger: String?
        /// Who did it: `passenger`, `driver`, `operator`, or `position` for what the hub saw.
        public var by: String
        /// Why. One of few, which may become more.
        public var reason: String
        /// What an operator or a passenger wrote.
        public var text: String?
        /// Of a minibus, as its driver has announced it.
        public var route: String?

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            zone = try json.maybe("zone")
            driver = try json.field("driver")
            passenger = try json.maybe("passenger")
            by = try json.field("by")
            reason = try json.field("reason")
            text = try json.maybe("text")
            route = try json.maybe("route")
        }
    }

    /// The driver has promised the seats.
    public struct SeatConfirmed: Event {
        public static let type = "seat.confirmed"
        /// Seats in a minibus.
        public var booking: String
        /// By its id.
        public var zone: String?
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Whose ride or booking it is.
        public var passenger: String?
        /// How many people.
        public var passengers: Int

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            zone = try json.maybe("zone")
            driver = try json.field("driver")
            passenger = try json.maybe("passenger")
            passengers = try json.field("passengers")
        }
    }

    /// The booking has come to nothing.
    public struct SeatDeclined: Event {
        public static let type = "seat.declined"
        /// Seats in a minibus.
        public var booking: String
        /// By its id.
        public var zone: String?
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Whose ride or booking it is.
        public var passenger: String?
        /// Why. One of few, which may become more.
        public var reason: String
        /// Of a minibus, as its driver has announced it.
        public var route: String?
        /// Where a passenger wanted to be picked up: the middle of a cell of some 500 m, `<lat>,<lon>`.
        public var fromCell: String?
        /// Where a passenger wanted to go: the middle of a cell of some 500 m, `<lat>,<lon>`.
        public var toCell: String?

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            zone = try json.maybe("zone")
            driver = try json.field("driver")
            passenger = try json.maybe("passenger")
            reason = try json.field("reason")
            route = try json.maybe("route")
            fromCell = try json.maybe("from_cell")
            toCell = try json.maybe("to_cell")
        }
    }

    /// The driver of a booking can be reached again.
    public struct SeatDriverBack: Event {
        public static let type = "seat.driver_back"
        /// Seats in a minibus.
        public var booking: String
        /// By its id.
        public var zone: String?
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Whose ride or booking it is.
        public var passenger: String?

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            zone = try json.maybe("zone")
            driver = try json.field("driver")
            passenger = try json.maybe("passenger")
        }
    }

    /// The driver of a booking can't be reached.
    public struct SeatDriverLost: Event {
        public static let type = "seat.driver_lost"
        /// Seats in a minibus.
        public var booking: String
        /// By its id.
        public var zone: String?
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Whose ride or booking it is.
        public var passenger: String?

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            zone = try json.maybe("zone")
            driver = try json.field("driver")
            passenger = try json.maybe("passenger")
        }
    }

    /// The passengers have got off.
    public struct SeatEnded: Event {
        public static let type = "seat.ended"
        /// Seats in a minibus.
        public var booking: String
        /// By its id.
        public var zone: String?
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Whose ride or booking it is.
        public var passenger: String?
        /// Of a minibus, as its driver has announced it.
        public var route: String?
        /// Of a trip.
        public var receipt: String?
        /// `cash` or `digital`.
        public var payment: String?
        /// `pending`, `paid`, `failed` or `refunded`.
        public var paymentState: String?
        /// In hundredths of the currency.
        public var amount: Int?
        /// By its three letters.
        public var currency: String?
        /// Why. One of few, which may become more.
        public var reason: String?
        /// What an operator or a passenger wrote.
        public var text: String?

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            zone = try json.maybe("zone")
            driver = try json.field("driver")
            passenger = try json.maybe("passenger")
            route = try json.maybe("route")
            receipt = try json.maybe("receipt")
            payment = try json.maybe("payment")
            paymentState = try json.maybe("payment_state")
            amount = try json.maybe("amount")
            currency = try json.maybe("currency")
            reason = try json.maybe("reason")
            text = try json.maybe("text")
        }
    }

    /// The minibus is 500 m from the pickup.
    public struct SeatNear: Event {
        public static let type = "seat.near"
        /// Seats in a minibus.
        public var booking: String
        /// By its id.
        public var zone: String?
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// To the place of pickup, m.
        public var distanceM: Double

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            zone = try json.maybe("zone")
            driver = try json.field("driver")
            distanceM = try json.field("distance_m")
        }
    }

    /// The passenger has walked while the minibus comes.
    public struct SeatPickupMoved: Event {
        public static let type = "seat.pickup_moved"
        /// Seats in a minibus.
        public var booking: String
        /// By its id.
        public var zone: String?
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// From where the pickup was asked for, m.
        public var movedM: Int

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            zone = try json.maybe("zone")
            driver = try json.field("driver")
            movedM = try json.field("moved_m")
        }
    }

    /// A passenger asks for seats in a minibus.
    public struct SeatRequested: Event {
        public static let type = "seat.requested"
        /// Seats in a minibus.
        public var booking: String
        /// By its id.
        public var zone: String?
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Whose ride or booking it is.
        public var passenger: String?
        /// How many people.
        public var passengers: Int

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            zone = try json.maybe("zone")
            driver = try json.field("driver")
            passenger = try json.maybe("passenger")
            passengers = try json.field("passengers")
        }
    }

    /// A request for any minibus goes on: this driver is asked next.
    public struct SeatSearching: Event {
        public static let type = "seat.searching"
        /// Seats in a minibus.
        public var booking: String
        /// By its id.
        public var zone: String?
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Whose ride or booking it is.
        public var passenger: String?
        /// Why. One of few, which may become more.
        public var reason: String

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            zone = try json.maybe("zone")
            driver = try json.field("driver")
            passenger = try json.maybe("passenger")
            reason = try json.field("reason")
        }
    }

    /// The request is on the driver's screen.
    public struct SeatSeen: Event {
        public static let type = "seat.seen"
        /// Seats in a minibus.
        public var booking: String
        /// By its id.
        public var zone: String?
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            zone = try json.maybe("zone")
            driver = try json.field("driver")
        }
    }

    /// The request did not come to the driver's screen in time.
    public struct SeatUndelivered: Event {
        public static let type = "seat.undelivered"
        /// Seats in a minibus.
        public var booking: String
        /// By its id.
        public var zone: String?
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String

        public init(_ json: JSON) throws {
            booking = try json.field("booking")
            zone = try json.maybe("zone")
            driver = try json.field("driver")
        }
    }

    /// A request for seats was refused: none was free, or no minibus goes there. Once in ten minutes for each passenger.
    public struct SeatUnmet: Event {
        public static let type = "seat.unmet"
        /// By its id.
        public var zone: String?
        /// Whose ride or booking it is.
        public var passenger: String?
        /// How many people.
        public var passengers: Int
        /// Why. One of few, which may become more.
        public var reason: String
        /// Of a minibus, as its driver has announced it.
        public var route: String?
        /// Where a passenger wanted to be picked up: the middle of a cell of some 500 m, `<lat>,<lon>`.
        public var fromCell: String?
        /// Where a passenger wanted to go: the middle of a cell of some 500 m, `<lat>,<lon>`.
        public var toCell: String?

        public init(_ json: JSON) throws {
            zone = try json.maybe("zone")
            passenger = try json.maybe("passenger")
            passengers = try json.field("passengers")
            reason = try json.field("reason")
            route = try json.maybe("route")
            fromCell = try json.maybe("from_cell")
            toCell = try json.maybe("to_cell")
        }
    }

    /// Seats of a minibus or a bus were taken or became free: of a bus with its tour, bus and line, of a minibus with its
    /// driver.
    public struct SeatsChanged: Event {
        public static let type = "seats.changed"
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String?
        /// How many seats are taken.
        public var taken: Int
        /// How many are free; of a bus how many there are.
        public var seats: Int
        /// By how many the taken seats have changed.
        public var delta: Int?
        /// Why: `book` and its like, or what the driver gave as reason.
        public var reason: String?
        /// Seats in a minibus.
        public var booking: String?
        /// Of the seats of a minibus: the highest is the latest.
        public var version: Int?
        /// Of a bus.
        public var tour: String?
        /// By its id in the catalog.
        public var bus: String?
        /// By its id in the catalog.
        public var line: String?

        public init(_ json: JSON) throws {
            driver = try json.maybe("driver")
            taken = try json.field("taken")
            seats = try json.field("seats")
            delta = try json.maybe("delta")
            reason = try json.maybe("reason")
            booking = try json.maybe("booking")
            version = try json.maybe("version")
            tour = try json.maybe("tour")
            bus = try json.maybe("bus")
            line = try json.maybe("line")
        }
    }

    /// More seats would be taken than there are: the books are wrong.
    public struct SeatsClamped: Event {
        public static let type = "seats.clamped"
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// How many seats are taken.
        public var taken: Int
        /// Seats for passengers.
        public var capacity: Int
        /// Why: `book` and its like, or what the driver gave as reason.
        public var reason: String?
        /// Seats in a minibus.
        public var booking: String?

        public init(_ json: JSON) throws {
            driver = try json.field("driver")
            taken = try json.field("taken")
            capacity = try json.field("capacity")
            reason = try json.maybe("reason")
            booking = try json.maybe("booking")
        }
    }

    /// An operator looks after an alarm.
    public struct SosAcknowledged: Event {
        public static let type = "sos.acknowledged"
        /// An alarm.
        public var sos: String
        /// Who did it.
        public var `operator`: String

        public init(_ json: JSON) throws {
            sos = try json.field("sos")
            self.operator = try json.field("operator")
        }
    }

    /// Who raised an alarm has taken it back.
    public struct SosCancelled: Event {
        public static let type = "sos.cancelled"
        /// An alarm.
        public var sos: String

        public init(_ json: JSON) throws {
            sos = try json.field("sos")
        }
    }

    /// An operator has ended an alarm.
    public struct SosClosed: Event {
        public static let type = "sos.closed"
        /// An alarm.
        public var sos: String
        /// Who did it.
        public var `operator`: String

        public init(_ json: JSON) throws {
            sos = try json.field("sos")
            self.operator = try json.field("operator")
        }
    }

    /// Somebody is in danger; once more, when that was taken back, or was over.
    public struct SosRaised: Event {
        public static let type = "sos.raised"
        /// An alarm.
        public var sos: String
        /// Of who raised the alarm.
        public var role: Parts.Role
        /// Who raised the alarm.
        public var subject: String?
        /// In a taxi.
        public var ride: String?
        /// Seats in a minibus.
        public var booking: String?
        /// Of a bus.
        public var tour: String?
        /// A taxi, a minibus or a bus.
        public var vehicle: String?

        public init(_ json: JSON) throws {
            sos = try json.field("sos")
            role = try json.field("role")
            subject = try json.maybe("subject")
            ride = try json.maybe("ride")
            booking = try json.maybe("booking")
            tour = try json.maybe("tour")
            vehicle = try json.maybe("vehicle")
        }
    }

    /// Who raised an alarm has pressed again.
    public struct SosUpdated: Event {
        public static let type = "sos.updated"
        /// An alarm.
        public var sos: String

        public init(_ json: JSON) throws {
            sos = try json.field("sos")
        }
    }

    /// The bus will stop.
    public struct StopAccepted: Event {
        public static let type = "stop.accepted"
        /// For a stop.
        public var request: String
        /// By its id in the catalog.
        public var line: String
        /// Of a bus.
        public var tour: String?
        /// By its id in the catalog.
        public var bus: String?
        /// Who asked for the stop.
        public var citizen: String?

        public init(_ json: JSON) throws {
            request = try json.field("request")
            line = try json.field("line")
            tour = try json.maybe("tour")
            bus = try json.maybe("bus")
            citizen = try json.maybe("citizen")
        }
    }

    /// The bus is at the place that was asked for.
    public struct StopArrived: Event {
        public static let type = "stop.arrived"
        /// For a stop.
        public var request: String
        /// By its id in the catalog.
        public var line: String
        /// Of a bus.
        public var tour: String
        /// By its id in the catalog.
        public var bus: String?
        /// To the place of pickup, m.
        public var distanceM: Double

        public init(_ json: JSON) throws {
            request = try json.field("request")
            line = try json.field("line")
            tour = try json.field("tour")
            bus = try json.maybe("bus")
            distanceM = try json.field("distance_m")
        }
    }

    /// A request for a stop was taken back.
    public struct StopCancelled: Event {
        public static let type = "stop.cancelled"
        /// For a stop.
        public var request: String
        /// By its id in the catalog.
        public var line: String
        /// Of a bus.
        public var tour: String?
        /// By its id in the catalog.
        public var bus: String?
        /// Who asked for the stop.
        public var citizen: String?

        public init(_ json: JSON) throws {
            request = try json.field("request")
            line = try json.field("line")
            tour = try json.maybe("tour")
            bus = try json.maybe("bus")
            citizen = try json.maybe("citizen")
        }
    }

    /// Who asked for the stop has got on.
    public struct StopCompleted: Event {
        public static let type = "stop.completed"
        /// For a stop.
        public var request: String
        /// By its id in the catalog.
        public var line: String
        /// Of a bus.
        public var tour: String?
        /// By its id in the catalog.
        public var bus: String?
        /// Who asked for the stop.
        public var citizen: String?

        public init(_ json: JSON) throws {
            request = try json.field("request")
            line = try json.field("line")
            tour = try json.maybe("tour")
            bus = try json.maybe("bus")
            citizen = try json.maybe("citizen")
        }
    }

    /// The driver will not stop.
    public struct StopDeclined: Event {
        public static let type = "stop.declined"
        /// For a stop.
        public var request: String
        /// By its id in the catalog.
        public var line: String
        /// Of a bus.
        public var tour: String?
        /// By its id in the catalog.
        public var bus: String?
        /// Who asked for the stop.
        public var citizen: String?

        public init(_ json: JSON) throws {
            request = try json.field("request")
            line = try json.field("line")
            tour = try json.maybe("tour")
            bus = try json.maybe("bus")
            citizen = try json.maybe("citizen")
        }
    }

    /// A request for a stop has come to nothing.
    public struct StopExpired: Event {
        public static let type = "stop.expired"
        /// For a stop.
        public var request: String
        /// By its id in the catalog.
        public var line: String
        /// Of a bus.
        public var tour: String?
        /// By its id in the catalog.
        public var bus: String?
        /// Who asked for the stop.
        public var citizen: String?
        /// Why. One of few, which may become more.
        public var reason: String

        public init(_ json: JSON) throws {
            request = try json.field("request")
            line = try json.field("line")
            tour = try json.maybe("tour")
            bus = try json.maybe("bus")
            citizen = try json.maybe("citizen")
            reason = try json.field("reason")
        }
    }

    /// The bus is 500 m from the place that was asked for.
    public struct StopNear: Event {
        public static let type = "stop.near"
        /// For a stop.
        public var request: String
        /// By its id in the catalog.
        public var line: String
        /// Of a bus.
        public var tour: String
        /// By its id in the catalog.
        public var bus: String?
        /// To the place of pickup, m.
        public var distanceM: Double

        public init(_ json: JSON) throws {
            request = try json.field("request")
            line = try json.field("line")
            tour = try json.field("tour")
            bus = try json.maybe("bus")
            distanceM = try json.field("distance_m")
        }
    }

    /// Nobody came to the stop.
    public struct StopNoshow: Event {
        public static let type = "stop.noshow"
        /// For a stop.
        public var request: String
        /// By its id in the catalog.
        public var line: String
        /// Of a bus.
        public var tour: String?
        /// By its id in the catalog.
        public var bus: String?
        /// Who asked for the stop.
        public var citizen: String?

        public init(_ json: JSON) throws {
            request = try json.field("request")
            line = try json.field("line")
            tour = try json.maybe("tour")
            bus = try json.maybe("bus")
            citizen = try json.maybe("citizen")
        }
    }

    /// A bus has passed a stop of its line.
    public struct StopPassed: Event {
        public static let type = "stop.passed"
        /// Of a bus.
        public var tour: String
        /// By its id in the catalog.
        public var bus: String
        /// By its id in the catalog.
        public var line: String
        /// Which sequence of stops of the line.
        public var pattern: String?
        /// Of the stop in the pattern, from 0.
        public var index: Int
        /// By its id in the catalog.
        public var stop: String
        /// Who did it: `passenger`, `driver`, `operator`, or `position` for what the hub saw.
        public var by: String
        public var delayS: Int?

        public init(_ json: JSON) throws {
            tour = try json.field("tour")
            bus = try json.field("bus")
            line = try json.field("line")
            pattern = try json.maybe("pattern")
            index = try json.field("index")
            stop = try json.field("stop")
            by = try json.field("by")
            delayS = try json.maybe("delay_s")
        }
    }

    /// A citizen was reminded of the bus.
    public struct StopReminder: Event {
        public static let type = "stop.reminder"
        /// For a stop.
        public var request: String
        /// By its id in the catalog.
        public var line: String
        /// Of a bus.
        public var tour: String?
        /// By its id in the catalog.
        public var bus: String?

        public init(_ json: JSON) throws {
            request = try json.field("request")
            line = try json.field("line")
            tour = try json.maybe("tour")
            bus = try json.maybe("bus")
        }
    }

    /// The tour is over before the stop: another bus is asked.
    public struct StopReopened: Event {
        public static let type = "stop.reopened"
        /// For a stop.
        public var request: String
        /// By its id in the catalog.
        public var line: String
        /// Of a bus.
        public var tour: String?
        /// By its id in the catalog.
        public var bus: String?
        /// Who asked for the stop.
        public var citizen: String?
        /// Why. One of few, which may become more.
        public var reason: String

        public init(_ json: JSON) throws {
            request = try json.field("request")
            line = try json.field("line")
            tour = try json.maybe("tour")
            bus = try json.maybe("bus")
            citizen = try json.maybe("citizen")
            reason = try json.field("reason")
        }
    }

    /// A citizen asks a bus to stop.
    public struct StopRequested: Event {
        public static let type = "stop.requested"
        /// For a stop.
        public var request: String
        /// By its id in the catalog.
        public var line: String
        /// Of a bus.
        public var tour: String?
        /// By its id in the catalog.
        public var bus: String?
        /// Who asked for the stop.
        public var citizen: String?
        /// The pickup time that was asked for, Unix ms.
        public var at: Int
        /// How many people.
        public var passengers: Int
        /// Where a passenger wants to be picked up, degrees north, WGS 84.
        public var lat: Double?
        /// Where a passenger wants to be picked up, degrees east, WGS 84.
        public var lon: Double?
        /// By its id in the catalog.
        public var stop: String?
        /// The request of the way back.
        public var back: String?

        public init(_ json: JSON) throws {
            request = try json.field("request")
            line = try json.field("line")
            tour = try json.maybe("tour")
            bus = try json.maybe("bus")
            citizen = try json.maybe("citizen")
            at = try json.field("at")
            passengers = try json.field("passengers")
            lat = try json.maybe("lat")
            lon = try json.maybe("lon")
            stop = try json.maybe("stop")
            back = try json.maybe("back")
        }
    }

    /// Another tour will serve the stop.
    public struct StopTakenOver: Event {
        public static let type = "stop.taken_over"
        /// For a stop.
        public var request: String
        /// By its id in the catalog.
        public var line: String
        /// Of a bus.
        public var tour: String
        /// By its id in the catalog.
        public var bus: String?
        /// Who asked for the stop.
        public var citizen: String?
        /// The tour that it was to be served by.
        public var from: String?

        public init(_ json: JSON) throws {
            request = try json.field("request")
            line = try json.field("line")
            tour = try json.field("tour")
            bus = try json.maybe("bus")
            citizen = try json.maybe("citizen")
            from = try json.maybe("from")
        }
    }

    /// The driver has not answered yet.
    public struct StopUnanswered: Event {
        public static let type = "stop.unanswered"
        /// For a stop.
        public var request: String
        /// By its id in the catalog.
        public var line: String
        /// Of a bus.
        public var tour: String?
        /// By its id in the catalog.
        public var bus: String?

        public init(_ json: JSON) throws {
            request = try json.field("request")
            line = try json.field("line")
            tour = try json.maybe("tour")
            bus = try json.maybe("bus")
        }
    }

    /// A tour is over.
    public struct TourEnded: Event {
        public static let type = "tour.ended"
        /// Of a bus.
        public var tour: String
        /// By its id in the catalog.
        public var bus: String
        /// By its id in the catalog.
        public var line: String
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Why. One of few, which may become more.
        public var reason: String

        public init(_ json: JSON) throws {
            tour = try json.field("tour")
            bus = try json.field("bus")
            line = try json.field("line")
            driver = try json.field("driver")
            reason = try json.field("reason")
        }
    }

    /// A tour has begun.
    public struct TourStarted: Event {
        public static let type = "tour.started"
        /// Of a bus.
        public var tour: String
        /// By its id in the catalog.
        public var bus: String
        /// By its id in the catalog.
        public var line: String
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Which sequence of stops of the line.
        public var pattern: String?
        /// Of the timetable.
        public var trip: String?

        public init(_ json: JSON) throws {
            tour = try json.field("tour")
            bus = try json.field("bus")
            line = try json.field("line")
            driver = try json.field("driver")
            pattern = try json.maybe("pattern")
            trip = try json.maybe("trip")
        }
    }

    /// Who rode has rated who drove, or the other way round.
    public struct TripRated: Event {
        public static let type = "trip.rated"
        /// In a taxi.
        public var ride: String?
        /// Seats in a minibus.
        public var booking: String?
        /// By its id.
        public var zone: String?
        /// A taxi or a minibus, which is named like its driver; of a bus its driver.
        public var driver: String
        /// Whose ride or booking it is.
        public var passenger: String?
        /// Who did it: `passenger`, `driver`, `operator`, or `position` for what the hub saw.
        public var by: String
        /// 1 to 5.
        public var stars: Int?
        /// Of a minibus, as its driver has announced it.
        public var route: String?
        /// 1 to 5: what a passenger thinks of the route.
        public var routeStars: Int?
        /// What an operator or a passenger wrote.
        public var text: String?

        public init(_ json: JSON) throws {
            ride = try json.maybe("ride")
            booking = try json.maybe("booking")
            zone = try json.maybe("zone")
            driver = try json.field("driver")
            passenger = try json.maybe("passenger")
            by = try json.field("by")
            stars = try json.maybe("stars")
            route = try json.maybe("route")
            routeStars = try json.maybe("route_stars")
            text = try json.maybe("text")
        }
    }

    /// An operator has written down what a vehicle is, anew or for the first time.
    public struct VehicleRegistered: Event {
        public static let type = "vehicle.registered"
        /// A taxi, a minibus or a bus.
        public var vehicle: String
        /// Of the car.
        public var plate: String
        /// Under which number it is registered.
        public var registration: String?
        /// Whose car it is, or whom the driver works for.
        public var company: String?
        /// Of the car.
        public var model: String?
        /// Of the car.
        public var colour: String?
        public var capabilities: [String]?
        /// Of the vehicle. Who knows it could print the sign.
        public var code: String?
        /// Who did it.
        public var by: String
        /// When it was written down, Unix ms.
        public var at: Int

        public init(_ json: JSON) throws {
            vehicle = try json.field("vehicle")
            plate = try json.field("plate")
            registration = try json.maybe("registration")
            company = try json.maybe("company")
            model = try json.maybe("model")
            colour = try json.maybe("colour")
            capabilities = try json.maybe("capabilities")
            code = try json.maybe("code")
            by = try json.field("by")
            at = try json.field("at")
        }
    }

    /// An operator has taken out the record of a vehicle.
    public struct VehicleRemoved: Event {
        public static let type = "vehicle.removed"
        /// A taxi, a minibus or a bus.
        public var vehicle: String

        public init(_ json: JSON) throws {
            vehicle = try json.field("vehicle")
        }
    }
}
