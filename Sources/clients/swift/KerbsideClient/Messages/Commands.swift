// The messages of the contract, made of config/contract/schemas by tools/generate. Don't change it by hand.
// swift-format-ignore-file

/// The commands, each with its fields and its `Reply`.
public enum Commands {
    /// To the bottom of the queue of the zone of the last position.
    public struct DriverAvailable: Command {
        public static let name = "driver.available"

        public init() {}
        public var fields: [String: JSON] { [:] }

        public struct Reply: Readable, Sendable {
            public var state: String
            public var zone: String?
            public var rank: Int?
            public var size: Int?
            public var seats: Int?
            public var capacity: Int?

            public init(_ json: JSON) throws {
                state = try json.field("state")
                zone = try json.maybe("zone")
                rank = try json.maybe("rank")
                size = try json.maybe("size")
                seats = try json.maybe("seats")
                capacity = try json.maybe("capacity")
            }
        }
    }

    /// Out of the queue.
    public struct DriverUnavailable: Command {
        public static let name = "driver.unavailable"

        public init() {}
        public var fields: [String: JSON] { [:] }

        public struct Reply: Readable, Sendable {
            public var state: String

            public init(_ json: JSON) throws {
                state = try json.field("state")
            }
        }
    }

    public struct OfferAccept: Command {
        public static let name = "offer.accept"
        public var ride: String

        public init(ride: String) {
            self.ride = ride
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["ride"] = ride.json
            return fields
        }

        public struct Reply: Readable, Sendable {
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
    }

    public struct OfferDecline: Command {
        public static let name = "offer.decline"
        public var ride: String

        public init(ride: String) {
            self.ride = ride
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["ride"] = ride.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var ride: String

            public init(_ json: JSON) throws {
                ride = try json.field("ride")
            }
        }
    }

    public struct RideAboard: Command {
        public static let name = "ride.aboard"
        public var ride: String?
        public var passengers: Int?

        public init(ride: String? = nil, passengers: Int? = nil) {
            self.ride = ride
            self.passengers = passengers
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["ride"] = ride?.json
            fields["passengers"] = passengers?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var ride: String

            public init(_ json: JSON) throws {
                ride = try json.field("ride")
            }
        }
    }

    public struct RideEnd: Command {
        public static let name = "ride.end"
        public var payment: Parts.PaymentMethod?
        public var ride: String?

        public init(payment: Parts.PaymentMethod? = nil, ride: String? = nil) {
            self.payment = payment
            self.ride = ride
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["payment"] = payment?.json
            fields["ride"] = ride?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var ride: String
            public var state: State
            public var zone: String?
            public var rank: Int?
            public var size: Int?
            public var receipt: String?
            public var fare: Parts.Fare?
            public var payment: Parts.Payment?
            /// Why there is no queue to join: outside_zones, blocked (by the office), or rate_limited: too many rides were
            /// ended at once, given back or not come for, and driver.available says for how long.
            public var reason: String?

            public init(_ json: JSON) throws {
                ride = try json.field("ride")
                state = try json.field("state")
                zone = try json.maybe("zone")
                rank = try json.maybe("rank")
                size = try json.maybe("size")
                receipt = try json.maybe("receipt")
                fare = try json.maybe("fare")
                payment = try json.maybe("payment")
                reason = try json.maybe("reason")
            }

            public struct State: Word {
                public let rawValue: String
                public init(rawValue: String) { self.rawValue = rawValue }
                public static var available: Self { Self(rawValue: "available") }
                public static var unavailable: Self { Self(rawValue: "unavailable") }
            }
        }
    }

    public struct RideNoshow: Command {
        public static let name = "ride.noshow"
        public var ride: String?

        public init(ride: String? = nil) {
            self.ride = ride
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["ride"] = ride?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var ride: String
            public var state: State
            public var zone: String?
            public var rank: Int?
            public var size: Int?
            /// Why there is no queue to join: blocked.
            public var reason: String?

            public init(_ json: JSON) throws {
                ride = try json.field("ride")
                state = try json.field("state")
                zone = try json.maybe("zone")
                rank = try json.maybe("rank")
                size = try json.maybe("size")
                reason = try json.maybe("reason")
            }

            public struct State: Word {
                public let rawValue: String
                public init(rawValue: String) { self.rawValue = rawValue }
                public static var available: Self { Self(rawValue: "available") }
                public static var unavailable: Self { Self(rawValue: "unavailable") }
            }
        }
    }

    /// `needs`: what the vehicle must have, by the records of the office. `wait`: to wait until `until` of the reply where
    /// nobody takes it now, rather than to be refused or told that it has failed.
    public struct RideRequest: Command {
        public static let name = "ride.request"
        public var onBehalfOf: Parts.Caller?
        public var lat: Double
        public var lon: Double
        public var passengers: Int
        public var needs: [String]?
        public var wait: Bool?
        public var payment: Parts.PaymentMethod?
        public var destination: Parts.Point?

        public init(lat: Double, lon: Double, passengers: Int, onBehalfOf: Parts.Caller? = nil, needs: [String]? = nil, wait: Bool? = nil, payment: Parts.PaymentMethod? = nil, destination: Parts.Point? = nil) {
            self.onBehalfOf = onBehalfOf
            self.lat = lat
            self.lon = lon
            self.passengers = passengers
            self.needs = needs
            self.wait = wait
            self.payment = payment
            self.destination = destination
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["on_behalf_of"] = onBehalfOf?.json
            fields["lat"] = lat.json
            fields["lon"] = lon.json
            fields["passengers"] = passengers.json
            fields["needs"] = needs?.json
            fields["wait"] = wait?.json
            fields["payment"] = payment?.json
            fields["destination"] = destination?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var ride: String
            public var zone: String
            public var state: String
            public var until: Int?
            public var fare: Parts.Fare?

            public init(_ json: JSON) throws {
                ride = try json.field("ride")
                zone = try json.field("zone")
                state = try json.field("state")
                until = try json.maybe("until")
                fare = try json.maybe("fare")
            }
        }
    }

    /// A passenger's open request or accepted ride; or a driver gives an accepted ride back, and it is searched again.
    public struct RideCancel: Command {
        public static let name = "ride.cancel"
        public var onBehalfOf: Parts.Caller?
        public var ride: String?

        public init(onBehalfOf: Parts.Caller? = nil, ride: String? = nil) {
            self.onBehalfOf = onBehalfOf
            self.ride = ride
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["on_behalf_of"] = onBehalfOf?.json
            fields["ride"] = ride?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var ride: String
            public var state: String

            public init(_ json: JSON) throws {
                ride = try json.field("ride")
                state = try json.field("state")
            }
        }
    }

    /// After `ride.driver_lost`: the ride is searched again, first in line. Refused when the driver is back
    /// (`not_available`), and while nobody else could be asked (`zone_empty`, `seats_full`): the driver keeps the ride
    /// then.
    public struct RideSearch: Command {
        public static let name = "ride.search"
        public var onBehalfOf: Parts.Caller?
        public var ride: String?

        public init(onBehalfOf: Parts.Caller? = nil, ride: String? = nil) {
            self.onBehalfOf = onBehalfOf
            self.ride = ride
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["on_behalf_of"] = onBehalfOf?.json
            fields["ride"] = ride?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var ride: String
            public var state: String

            public init(_ json: JSON) throws {
                ride = try json.field("ride")
                state = try json.field("state")
            }
        }
    }

    /// Of the open ride. A ride has three links at most (`not_available`). A link shows its ride to whoever has it, read
    /// only: the car, where it is, and how long it takes; no person. It ends with the ride.
    public struct RideShare: Command {
        public static let name = "ride.share"
        public var ride: String?

        public init(ride: String? = nil) {
            self.ride = ride
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["ride"] = ride?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var ride: String
            public var link: String

            public init(_ json: JSON) throws {
                ride = try json.field("ride")
                link = try json.field("link")
            }
        }
    }

    /// Whoever has one of its links sees nothing any more.
    public struct RideUnshare: Command {
        public static let name = "ride.unshare"
        public var ride: String?

        public init(ride: String? = nil) {
            self.ride = ride
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["ride"] = ride?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var ride: String

            public init(_ json: JSON) throws {
                ride = try json.field("ride")
            }
        }
    }

    /// A driver tells how many seats are taken; watchers see how many are free. In a minibus seats that are promised to
    /// passengers who are not aboard yet count as taken.
    public struct SeatsSet: Command {
        public static let name = "seats.set"
        public var taken: Int
        public var reason: String?

        public init(taken: Int, reason: String? = nil) {
            self.taken = taken
            self.reason = reason
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["taken"] = taken.json
            fields["reason"] = reason?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            /// Free now.
            public var seats: Int

            public init(_ json: JSON) throws {
                seats = try json.field("seats")
            }
        }
    }

    /// A driver tells the route it drives, or the way (start, end, way points), or both; `route` is null when it drives
    /// none. A way without a route is shown as a route of the vehicle's own.
    public struct RouteSet: Command {
        public static let name = "route.set"
        public var start: Parts.Point?
        public var via: [Parts.Point]?
        public var end: Parts.Point?
        public var route: OrNull<String>?

        public init(start: Parts.Point? = nil, via: [Parts.Point]? = nil, end: Parts.Point? = nil, route: OrNull<String>? = nil) {
            self.start = start
            self.via = via
            self.end = end
            self.route = route
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["start"] = start?.json
            fields["via"] = via?.json
            fields["end"] = end?.json
            fields["route"] = route?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var route: String?
            public var way: Parts.Way?

            public init(_ json: JSON) throws {
                route = try json.maybe("route")
                way = try json.maybe("way")
            }
        }
    }

    /// An event on a topic, for operators and services; all who have subscribed to the topic get it. Its type is `message`
    /// when left out.
    public struct Publish: Command {
        public static let name = "publish"
        public var channel: String
        /// Handed on as it is written. At most 8 KiB.
        public var data: [String: JSON]
        public var type: String?

        public init(channel: String, data: [String: JSON], type: String? = nil) {
            self.channel = channel
            self.data = data
            self.type = type
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["channel"] = channel.json
            fields["data"] = data.json
            fields["type"] = type?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var seq: String

            public init(_ json: JSON) throws {
                seq = try json.field("seq")
            }
        }
    }

    /// A bus driver begins a tour. Without pattern and trip it is the run of the schedule that is nearest in time. A run
    /// can be begun an hour before its time at the earliest. Sent again while on this tour, it is answered with the tour as
    /// it is.
    public struct TourStart: Command {
        public static let name = "tour.start"
        public typealias Reply = Parts.Tour
        public var bus: String
        public var line: String
        public var pattern: String?
        public var trip: String?

        public init(bus: String, line: String, pattern: String? = nil, trip: String? = nil) {
            self.bus = bus
            self.line = line
            self.pattern = pattern
            self.trip = trip
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["bus"] = bus.json
            fields["line"] = line.json
            fields["pattern"] = pattern?.json
            fields["trip"] = trip?.json
            return fields
        }
    }

    /// The driver ends its tour; an operator ends any, by its id.
    public struct TourEnd: Command {
        public static let name = "tour.end"
        public var tour: String?

        public init(tour: String? = nil) {
            self.tour = tour
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["tour"] = tour?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var tour: String
            public var state: String

            public init(_ json: JSON) throws {
                tour = try json.field("tour")
                state = try json.field("state")
            }
        }
    }

    /// The bus has left the next stop behind, or has left it out.
    public struct StopNext: Command {
        public static let name = "stop.next"
        public typealias Reply = Parts.Tour
        /// It was not served: the readers of the line are told.
        public var skip: Bool?

        public init(skip: Bool? = nil) {
            self.skip = skip
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["skip"] = skip?.json
            return fields
        }
    }

    /// Back to the stop before, after a mistake.
    public struct StopPrevious: Command {
        public static let name = "stop.previous"
        public typealias Reply = Parts.Tour

        public init() {}
        public var fields: [String: JSON] { [:] }
    }

    /// Seats in a minibus for all passengers of a party, or for none. The driver is asked; the answer comes as
    /// `seat.confirmed` or `seat.declined`.
    public struct SeatBook: Command {
        public static let name = "seat.book"
        public var onBehalfOf: Parts.Caller?
        public var payment: Parts.PaymentMethod?
        public var vehicle: String
        public var pickup: Parts.Point
        public var destination: Parts.Point
        public var passengers: Int

        public init(vehicle: String, pickup: Parts.Point, destination: Parts.Point, passengers: Int, onBehalfOf: Parts.Caller? = nil, payment: Parts.PaymentMethod? = nil) {
            self.onBehalfOf = onBehalfOf
            self.payment = payment
            self.vehicle = vehicle
            self.pickup = pickup
            self.destination = destination
            self.passengers = passengers
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["on_behalf_of"] = onBehalfOf?.json
            fields["payment"] = payment?.json
            fields["vehicle"] = vehicle.json
            fields["pickup"] = pickup.json
            fields["destination"] = destination.json
            fields["passengers"] = passengers.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var booking: String
            public var vehicle: String
            public var passengers: Int
            public var state: String
            public var fare: Parts.Fare?

            public init(_ json: JSON) throws {
                booking = try json.field("booking")
                vehicle = try json.field("vehicle")
                passengers = try json.field("passengers")
                state = try json.field("state")
                fare = try json.maybe("fare")
            }
        }
    }

    /// Seats in any minibus that will pass the pickup and then go to the destination, for all passengers of a party. Those
    /// that are near are asked in turn, up to 16; `seat.searching` says how it goes, `seat.confirmed` which one comes,
    /// `seat.failed` that none does.
    public struct SeatRequest: Command {
        public static let name = "seat.request"
        public var onBehalfOf: Parts.Caller?
        public var payment: Parts.PaymentMethod?
        public var pickup: Parts.Point
        public var destination: Parts.Point
        public var passengers: Int

        public init(pickup: Parts.Point, destination: Parts.Point, passengers: Int, onBehalfOf: Parts.Caller? = nil, payment: Parts.PaymentMethod? = nil) {
            self.onBehalfOf = onBehalfOf
            self.payment = payment
            self.pickup = pickup
            self.destination = destination
            self.passengers = passengers
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["on_behalf_of"] = onBehalfOf?.json
            fields["payment"] = payment?.json
            fields["pickup"] = pickup.json
            fields["destination"] = destination.json
            fields["passengers"] = passengers.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var booking: String
            public var passengers: Int
            public var state: String
            public var until: Int

            public init(_ json: JSON) throws {
                booking = try json.field("booking")
                passengers = try json.field("passengers")
                state = try json.field("state")
                until = try json.field("until")
            }
        }
    }

    /// The driver takes a booking that it was asked for.
    public struct SeatAccept: Command {
        public static let name = "seat.accept"
        public var booking: String

        public init(booking: String) {
            self.booking = booking
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["booking"] = booking.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var booking: String
            public var pickup: Parts.Point
            public var contact: Parts.Contact?
            public var destination: Parts.Point
            public var payment: Parts.PaymentMethod?
            public var passengers: Int

            public init(_ json: JSON) throws {
                booking = try json.field("booking")
                pickup = try json.field("pickup")
                contact = try json.maybe("contact")
                destination = try json.field("destination")
                payment = try json.maybe("payment")
                passengers = try json.field("passengers")
            }
        }
    }

    /// The driver does not take a booking that it was asked for.
    public struct SeatDecline: Command {
        public static let name = "seat.decline"
        public var booking: String

        public init(booking: String) {
            self.booking = booking
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["booking"] = booking.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var booking: String

            public init(_ json: JSON) throws {
                booking = try json.field("booking")
            }
        }
    }

    /// A passenger's booking, the open one unless it is named; or a confirmed one that the driver names.
    public struct SeatCancel: Command {
        public static let name = "seat.cancel"
        public var onBehalfOf: Parts.Caller?
        public var booking: String?

        public init(onBehalfOf: Parts.Caller? = nil, booking: String? = nil) {
            self.onBehalfOf = onBehalfOf
            self.booking = booking
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["on_behalf_of"] = onBehalfOf?.json
            fields["booking"] = booking?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var booking: String
            public var state: String

            public init(_ json: JSON) throws {
                booking = try json.field("booking")
                state = try json.field("state")
            }
        }
    }

    /// The passengers of a booking have got on; `passengers` if it is another number than was booked.
    public struct SeatAboard: Command {
        public static let name = "seat.aboard"
        public var booking: String
        public var passengers: Int?

        public init(booking: String, passengers: Int? = nil) {
            self.booking = booking
            self.passengers = passengers
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["booking"] = booking.json
            fields["passengers"] = passengers?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var booking: String
            public var seats: Int

            public init(_ json: JSON) throws {
                booking = try json.field("booking")
                seats = try json.field("seats")
            }
        }
    }

    /// The passengers of a booking have got off, wherever that is. `payment`: as the driver was paid, if other than was
    /// asked for; digital only if it was.
    public struct SeatEnd: Command {
        public static let name = "seat.end"
        public var booking: String
        public var payment: Parts.PaymentMethod?

        public init(booking: String, payment: Parts.PaymentMethod? = nil) {
            self.booking = booking
            self.payment = payment
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["booking"] = booking.json
            fields["payment"] = payment?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var booking: String
            public var seats: Int
            public var receipt: String?
            public var fare: Parts.Fare?
            public var payment: Parts.Payment?

            public init(_ json: JSON) throws {
                booking = try json.field("booking")
                seats = try json.field("seats")
                receipt = try json.maybe("receipt")
                fare = try json.maybe("fare")
                payment = try json.maybe("payment")
            }
        }
    }

    /// What there is to know of a minibus before booking.
    public struct VehicleGet: Command {
        public static let name = "vehicle.get"
        public var vehicle: String

        public init(vehicle: String) {
            self.vehicle = vehicle
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["vehicle"] = vehicle.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var vehicle: String
            public var kind: String
            public var state: Parts.StateDriverState
            public var status: Parts.StateStatus
            public var seats: Int
            public var capacity: Int
            public var route: String?
            public var way: Parts.Way?
            public var position: Parts.Fix?

            public init(_ json: JSON) throws {
                vehicle = try json.field("vehicle")
                kind = try json.field("kind")
                state = try json.field("state")
                status = try json.field("status")
                seats = try json.field("seats")
                capacity = try json.field("capacity")
                route = try json.maybe("route")
                way = try json.maybe("way")
                position = try json.maybe("position")
            }
        }
    }

    /// When the buses of a line come to a stop of it (`stop`) or to any place along its way (`lat` and `lon`).
    public struct LineEta: Command {
        public static let name = "line.eta"
        public var line: String
        public var stop: String?
        public var lat: Double?
        public var lon: Double?

        public init(line: String, stop: String? = nil, lat: Double? = nil, lon: Double? = nil) {
            self.line = line
            self.stop = stop
            self.lat = lat
            self.lon = lon
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["line"] = line.json
            fields["stop"] = stop?.json
            fields["lat"] = lat?.json
            fields["lon"] = lon?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var line: String
            /// The next that come, by time: those of buses on their way, and of the schedule those of a day.
            public var arrivals: [Arrival]

            public init(_ json: JSON) throws {
                line = try json.field("line")
                arrivals = try json.field("arrivals")
            }

            public struct Arrival: Readable, Sendable {
                public var pattern: String
                public var headsign: String?
                public var trip: String?
                public var tour: String?
                public var bus: String?
                /// Nothing but the schedule says so: no bus is on this run, or nobody knows where it is.
                public var scheduled: Bool
                /// From the bus, along its way.
                public var distanceM: Int?
                public var eta: Eta

                public init(_ json: JSON) throws {
                    pattern = try json.field("pattern")
                    headsign = try json.maybe("headsign")
                    trip = try json.maybe("trip")
                    tour = try json.maybe("tour")
                    bus = try json.maybe("bus")
                    scheduled = try json.field("scheduled")
                    distanceM = try json.maybe("distance_m")
                    eta = try json.field("eta")
                }

                public struct Eta: Readable, Sendable {
                    public var at: Int
                    /// 1 of 10 buses is earlier.
                    public var early: Int?
                    /// 1 of 10 buses is later.
                    public var late: Int?
                    public var clock: String

                    public init(_ json: JSON) throws {
                        at = try json.field("at")
                        early = try json.maybe("early")
                        late = try json.maybe("late")
                        clock = try json.field("clock")
                    }
                }
            }
        }
    }

    /// Where the driver is likely to get a ride soonest. Refused to minibuses and on a ride (`not_available`), and to who
    /// has sent no position (`no_position`).
    public struct AdviceGet: Command {
        public static let name = "advice.get"

        public init() {}
        public var fields: [String: JSON] { [:] }

        /// `days`: so many days of figures it is based on. `here`: where the driver waits, or the zone in which it is; absent
        /// outside all zones. `zones`: the best first, five at most.
        public struct Reply: Readable, Sendable {
            public var days: Int
            /// `rank` is there for who waits; `wait_s` is absent when it is more than two hours.
            public var here: Here?
            public var zones: [Parts.ZoneAdvice]

            public init(_ json: JSON) throws {
                days = try json.field("days")
                here = try json.maybe("here")
                zones = try json.field("zones")
            }

            /// `rank` is there for who waits; `wait_s` is absent when it is more than two hours.
            public struct Here: Readable, Sendable {
                public var zone: String
                public var expected: Double
                public var later: Double
                public var waiting: Int
                public var rank: Int?
                public var waitS: Int?

                public init(_ json: JSON) throws {
                    zone = try json.field("zone")
                    expected = try json.field("expected")
                    later = try json.field("later")
                    waiting = try json.field("waiting")
                    rank = try json.maybe("rank")
                    waitS = try json.maybe("wait_s")
                }
            }
        }
    }

    /// What counts of oneself.
    public struct ReliabilityGet: Command {
        public static let name = "reliability.get"
        public typealias Reply = Parts.Reliability

        public init() {}
        public var fields: [String: JSON] { [:] }
    }

    /// What counts of somebody; of who was never here, nothing.
    public struct ReliabilityOf: Command {
        public static let name = "reliability.of"
        public typealias Reply = Parts.ReliabilityOf
        public var role: Parts.ReliablePerson
        public var subject: String

        public init(role: Parts.ReliablePerson, subject: String) {
            self.role = role
            self.subject = subject
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["role"] = role.json
            fields["subject"] = subject.json
            return fields
        }
    }

    /// Nothing counts any more, and a pause is over. Points stay, and what the office has blocked. Refused when nothing
    /// counts (`not_available`).
    public struct ReliabilityReset: Command {
        public static let name = "reliability.reset"
        public var role: Parts.ReliablePerson
        public var subject: String
        public var reason: String

        public init(role: Parts.ReliablePerson, subject: String, reason: String) {
            self.role = role
            self.subject = subject
            self.reason = reason
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["role"] = role.json
            fields["subject"] = subject.json
            fields["reason"] = reason.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var role: Parts.ReliablePerson
            public var subject: String
            public var audit: String

            public init(_ json: JSON) throws {
                role = try json.field("role")
                subject = try json.field("subject")
                audit = try json.field("audit")
            }
        }
    }

    /// Refused if the pickup is the destination (`same_place`), for more passengers than a taxi takes
    /// (`too_many_passengers`), for a time that is over (`in_the_past`), less than 2 h (`too_soon`) or more than 48 h ahead
    /// (`too_far_ahead`), and outside the zones.
    public struct ReservationMake: Command {
        public static let name = "reservation.make"
        public typealias Reply = Parts.Reservation
        public var onBehalfOf: Parts.Caller?
        public var pickup: Parts.Point
        public var destination: Parts.Point
        public var at: Int
        public var passengers: Int
        public var needs: [String]?
        public var payment: Parts.PaymentMethod?

        public init(pickup: Parts.Point, destination: Parts.Point, at: Int, passengers: Int, onBehalfOf: Parts.Caller? = nil, needs: [String]? = nil, payment: Parts.PaymentMethod? = nil) {
            self.onBehalfOf = onBehalfOf
            self.pickup = pickup
            self.destination = destination
            self.at = at
            self.passengers = passengers
            self.needs = needs
            self.payment = payment
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["on_behalf_of"] = onBehalfOf?.json
            fields["pickup"] = pickup.json
            fields["destination"] = destination.json
            fields["at"] = at.json
            fields["passengers"] = passengers.json
            fields["needs"] = needs?.json
            fields["payment"] = payment?.json
            return fields
        }
    }

    public struct ReservationList: Command {
        public static let name = "reservation.list"
        public var onBehalfOf: Parts.Caller?

        public init(onBehalfOf: Parts.Caller? = nil) {
            self.onBehalfOf = onBehalfOf
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["on_behalf_of"] = onBehalfOf?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var reservations: [Parts.Reservation]

            public init(_ json: JSON) throws {
                reservations = try json.field("reservations")
            }
        }
    }

    /// Until 10 minutes before its time (`too_late` after that). A ride that is searched for or assigned by then is
    /// cancelled with it.
    public struct ReservationCancel: Command {
        public static let name = "reservation.cancel"
        public var onBehalfOf: Parts.Caller?
        public var reservation: String

        public init(reservation: String, onBehalfOf: Parts.Caller? = nil) {
            self.onBehalfOf = onBehalfOf
            self.reservation = reservation
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["on_behalf_of"] = onBehalfOf?.json
            fields["reservation"] = reservation.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var reservation: String
            public var state: String

            public init(_ json: JSON) throws {
                reservation = try json.field("reservation")
                state = try json.field("state")
            }
        }
    }

    /// A citizen asks the bus of a line to stop: at a stop of the line (`stop`) or at a place (`lat` and `lon`). A line
    /// that is driven on request, and a run of a line's timetable, is asked ahead, by as long as an answer may take, while
    /// nobody drives it, too, and the first run of a day until it begins: `answer_by` is the wanted time then, until there
    /// is a driver. A tour that ends leaves its requests to the next: `stop.pending` with a reason. The same again, with
    /// the key or without, is the same request.
    public struct StopRequest: Command {
        public static let name = "stop.request"
        public var onBehalfOf: Parts.Caller?
        public var line: String
        public var stop: String?
        public var lat: Double?
        public var lon: Double?
        /// When, Unix milliseconds; left out: when the bus comes by next. The reply says for when it was taken: the time of
        /// the next round, if the bus has gone by; that of the run that is due about then, if nobody drives; that of the
        /// first run of the day, if it was asked for before that, an hour at most, or shortly before the time when it
        /// passes.
        public var at: Int?
        /// 1 when left out.
        public var passengers: Int?
        public var name: String
        public var number: String?
        public var address: String?
        public var help: [String]?
        /// The way back, asked for at once: a request of its own, later than the first. `stop`, or `lat` and `lon`.
        public var back: Back?

        public init(line: String, name: String, onBehalfOf: Parts.Caller? = nil, stop: String? = nil, lat: Double? = nil, lon: Double? = nil, at: Int? = nil, passengers: Int? = nil, number: String? = nil, address: String? = nil, help: [String]? = nil, back: Back? = nil) {
            self.onBehalfOf = onBehalfOf
            self.line = line
            self.stop = stop
            self.lat = lat
            self.lon = lon
            self.at = at
            self.passengers = passengers
            self.name = name
            self.number = number
            self.address = address
            self.help = help
            self.back = back
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["on_behalf_of"] = onBehalfOf?.json
            fields["line"] = line.json
            fields["stop"] = stop?.json
            fields["lat"] = lat?.json
            fields["lon"] = lon?.json
            fields["at"] = at?.json
            fields["passengers"] = passengers?.json
            fields["name"] = name.json
            fields["number"] = number?.json
            fields["address"] = address?.json
            fields["help"] = help?.json
            fields["back"] = back?.json
            return fields
        }

        /// The way back, asked for at once: a request of its own, later than the first. `stop`, or `lat` and `lon`.
        public struct Back: Part {
            public var stop: String?
            public var lat: Double?
            public var lon: Double?
            public var at: Int
            public var passengers: Int?

            public init(_ json: JSON) throws {
                stop = try json.maybe("stop")
                lat = try json.maybe("lat")
                lon = try json.maybe("lon")
                at = try json.field("at")
                passengers = try json.maybe("passengers")
            }

            public init(at: Int, stop: String? = nil, lat: Double? = nil, lon: Double? = nil, passengers: Int? = nil) {
                self.stop = stop
                self.lat = lat
                self.lon = lon
                self.at = at
                self.passengers = passengers
            }

            public var fields: [String: JSON] {
                var fields: [String: JSON] = [:]
                fields["stop"] = stop?.json
                fields["lat"] = lat?.json
                fields["lon"] = lon?.json
                fields["at"] = at.json
                fields["passengers"] = passengers?.json
                return fields
            }
        }

        /// The id confirms that the request was taken and told to the driver.
        public struct Reply: Readable, Sendable {
            public var eta: Parts.PlaceEta?
            public var request: String
            public var line: String
            public var state: State
            public var at: Int
            public var passengers: Int
            /// The driver answers until then, or the request lapses.
            public var answerBy: Int
            public var back: String?

            public init(_ json: JSON) throws {
                eta = try json.maybe("eta")
                request = try json.field("request")
                line = try json.field("line")
                state = try json.field("state")
                at = try json.field("at")
                passengers = try json.field("passengers")
                answerBy = try json.field("answer_by")
                back = try json.maybe("back")
            }

            public struct State: Word {
                public let rawValue: String
                public init(rawValue: String) { self.rawValue = rawValue }
                public static var requested: Self { Self(rawValue: "requested") }
                public static var accepted: Self { Self(rawValue: "accepted") }
            }
        }
    }

    /// A citizen takes an open request back.
    public struct StopCancel: Command {
        public static let name = "stop.cancel"
        public var onBehalfOf: Parts.Caller?
        public var request: String

        public init(request: String, onBehalfOf: Parts.Caller? = nil) {
            self.onBehalfOf = onBehalfOf
            self.request = request
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["on_behalf_of"] = onBehalfOf?.json
            fields["request"] = request.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var request: String
            public var state: String

            public init(_ json: JSON) throws {
                request = try json.field("request")
                state = try json.field("state")
            }
        }
    }

    /// The driver will stop there.
    public struct StopAccept: Command {
        public static let name = "stop.accept"
        public var request: String
        /// With every other request of its place that is in the same state.
        public var all: Bool?

        public init(request: String, all: Bool? = nil) {
            self.request = request
            self.all = all
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["request"] = request.json
            fields["all"] = all?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            /// Those that were answered. With `all` the first that is refused ends it.
            public var requests: [String]
            public var state: String

            public init(_ json: JSON) throws {
                requests = try json.field("requests")
                state = try json.field("state")
            }
        }
    }

    /// The driver will not stop there; also after having accepted.
    public struct StopDecline: Command {
        public static let name = "stop.decline"
        public var request: String
        /// With every other request of its place that is in the same state.
        public var all: Bool?

        public init(request: String, all: Bool? = nil) {
            self.request = request
            self.all = all
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["request"] = request.json
            fields["all"] = all?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            /// Those that were answered. With `all` the first that is refused ends it.
            public var requests: [String]
            public var state: String

            public init(_ json: JSON) throws {
                requests = try json.field("requests")
                state = try json.field("state")
            }
        }
    }

    /// Who asked has got on.
    public struct StopComplete: Command {
        public static let name = "stop.complete"
        public var request: String
        /// With every other request of its place that is in the same state.
        public var all: Bool?

        public init(request: String, all: Bool? = nil) {
            self.request = request
            self.all = all
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["request"] = request.json
            fields["all"] = all?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            /// Those that were answered. With `all` the first that is refused ends it.
            public var requests: [String]
            public var state: String

            public init(_ json: JSON) throws {
                requests = try json.field("requests")
                state = try json.field("state")
            }
        }
    }

    /// Nobody came. Only at or after the pickup time, after `stop.arrived`, and once the bus has stood there for a while by
    /// the hub's clock.
    public struct StopNoshow: Command {
        public static let name = "stop.noshow"
        public var request: String
        /// With every other request of its place that is in the same state.
        public var all: Bool?

        public init(request: String, all: Bool? = nil) {
            self.request = request
            self.all = all
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["request"] = request.json
            fields["all"] = all?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            /// Those that were answered. With `all` the first that is refused ends it.
            public var requests: [String]
            public var state: String

            public init(_ json: JSON) throws {
                requests = try json.field("requests")
                state = try json.field("state")
            }
        }
    }

    /// What its sender does not want to be told; replaces what was wished before. Proximity, changes of route and ETA are
    /// then not sent at all; answers, requests and reminders come marked `silent`. Quiet hours count for all kinds but the
    /// ETA.
    public struct NotifySet: Command {
        public static let name = "notify.set"
        public typealias Reply = Parts.Wishes
        /// None of them is the same as an empty list.
        public var mute: [Parts.NotificationKind]?
        public var quiet: Parts.Quiet?

        public init(mute: [Parts.NotificationKind]? = nil, quiet: Parts.Quiet? = nil) {
            self.mute = mute
            self.quiet = quiet
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["mute"] = mute?.json
            fields["quiet"] = quiet?.json
            return fields
        }
    }

    /// Where its sender is reached who has no connection: a `PushSubscription` of a browser, made with the key of
    /// `/v1/push/key`. Offers, answers, alerts and reminders are sent there, encrypted so that only that browser reads
    /// them. Kept for 90 days after it was said last; whoever else had the endpoint has it no more.
    public struct PushSubscribe: Command {
        public static let name = "push.subscribe"
        public var endpoint: String
        public var keys: Parts.PushKeys

        public init(endpoint: String, keys: Parts.PushKeys) {
            self.endpoint = endpoint
            self.keys = keys
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["endpoint"] = endpoint.json
            fields["keys"] = keys.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            /// How many its sender has now.
            public var subscriptions: Int

            public init(_ json: JSON) throws {
                subscriptions = try json.field("subscriptions")
            }
        }
    }

    /// Nothing is sent there any more. One that is not there is none any more, too.
    public struct PushUnsubscribe: Command {
        public static let name = "push.unsubscribe"
        public var endpoint: String

        public init(endpoint: String) {
            self.endpoint = endpoint
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["endpoint"] = endpoint.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            /// How many its sender has now.
            public var subscriptions: Int

            public init(_ json: JSON) throws {
                subscriptions = try json.field("subscriptions")
            }
        }
    }

    /// A notice to many people: each gets `notice` on the own channel, at once or when it is back. All means all who were
    /// here within a week; with `zone`, only drivers and only those in its queue.
    public struct Broadcast: Command {
        public static let name = "broadcast"
        public var to: Parts.Audience
        public var zone: String?
        public var text: String

        public init(to: Parts.Audience, text: String, zone: String? = nil) {
            self.to = to
            self.zone = zone
            self.text = text
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["to"] = to.json
            fields["zone"] = zone?.json
            fields["text"] = text.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var notice: String
            /// How many are told, one after the other: some 2,000 a second.
            public var people: Int

            public init(_ json: JSON) throws {
                notice = try json.field("notice")
                people = try json.field("people")
            }
        }
    }

    /// Who waits in a zone's queue, in order: at most 500 drivers.
    public struct OfficeQueue: Command {
        public static let name = "office.queue"
        public var zone: String

        public init(zone: String) {
            self.zone = zone
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["zone"] = zone.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var zone: String
            /// Of the whole queue.
            public var size: Int
            /// There are more than are listed.
            public var more: Bool
            public var drivers: [Driver]

            public init(_ json: JSON) throws {
                zone = try json.field("zone")
                size = try json.field("size")
                more = try json.field("more")
                drivers = try json.field("drivers")
            }

            /// `since` is when it came into this queue.
            public struct Driver: Readable, Sendable {
                public var driver: String
                public var rank: Int
                /// away: the link is lost, or nothing was heard; it keeps the place and is asked nothing.
                public var state: State
                public var since: Int?
                public var offer: String?
                public var position: Parts.Fix?

                public init(_ json: JSON) throws {
                    driver = try json.field("driver")
                    rank = try json.field("rank")
                    state = try json.field("state")
                    since = try json.maybe("since")
                    offer = try json.maybe("offer")
                    position = try json.maybe("position")
                }

                public struct State: Word {
                    public let rawValue: String
                    public init(rawValue: String) { self.rawValue = rawValue }
                    public static var waiting: Self { Self(rawValue: "waiting") }
                    public static var offered: Self { Self(rawValue: "offered") }
                    public static var away: Self { Self(rawValue: "away") }
                }
            }
        }
    }

    /// What the hub knows of a driver of a taxi or minibus.
    public struct OfficeDriver: Command {
        public static let name = "office.driver"
        public var driver: String

        public init(driver: String) {
            self.driver = driver
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["driver"] = driver.json
            return fields
        }

        /// Of one in a queue `zone`, `rank`, `size` and `since`; `seats` are the free ones.
        public struct Reply: Readable, Sendable {
            public var driver: String
            public var kind: Kind
            public var state: Parts.StateDriverState
            public var connected: Bool
            public var zone: String?
            public var rank: Int?
            public var size: Int?
            public var since: Int?
            public var ride: String?
            public var offer: String?
            public var seats: Int?
            public var position: Parts.Fix?
            /// It is asked nothing: the link is lost, nothing was heard, or it did not show an offer.
            public var away: Away?
            public var blocked: Parts.Block?

            public init(_ json: JSON) throws {
                driver = try json.field("driver")
                kind = try json.field("kind")
                state = try json.field("state")
                connected = try json.field("connected")
                zone = try json.maybe("zone")
                rank = try json.maybe("rank")
                size = try json.maybe("size")
                since = try json.maybe("since")
                ride = try json.maybe("ride")
                offer = try json.maybe("offer")
                seats = try json.maybe("seats")
                position = try json.maybe("position")
                away = try json.maybe("away")
                blocked = try json.maybe("blocked")
            }

            public struct Kind: Word {
                public let rawValue: String
                public init(rawValue: String) { self.rawValue = rawValue }
                public static var taxi: Self { Self(rawValue: "taxi") }
                public static var minibus: Self { Self(rawValue: "minibus") }
            }

            /// It is asked nothing: the link is lost, nothing was heard, or it did not show an offer.
            public struct Away: Readable, Sendable {
                public var since: Int
                public var why: Why

                public init(_ json: JSON) throws {
                    since = try json.field("since")
                    why = try json.field("why")
                }

                public struct Why: Word {
                    public let rawValue: String
                    public init(rawValue: String) { self.rawValue = rawValue }
                    public static var connectionLost: Self { Self(rawValue: "connection_lost") }
                    public static var stale: Self { Self(rawValue: "stale") }
                    public static var undelivered: Self { Self(rawValue: "undelivered") }
                }
            }
        }
    }

    /// What is known of a ride, for as long as it is kept.
    public struct OfficeRide: Command {
        public static let name = "office.ride"
        public var ride: String

        public init(ride: String) {
            self.ride = ride
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["ride"] = ride.json
            return fields
        }

        /// `driver` has accepted it, `offered_to` is asked now.
        public struct Reply: Readable, Sendable {
            public var ride: String
            public var state: State
            public var passenger: String
            public var zone: String
            public var driver: String?
            public var offeredTo: String?
            public var pickup: Parts.Point
            public var destination: Parts.Point?
            public var passengers: Int
            public var needs: [String]?
            public var requestedAt: Int
            public var acceptedAt: Int?
            public var arrivedAt: Int?
            public var aboardAt: Int?
            public var closedAt: Int?

            public init(_ json: JSON) throws {
                ride = try json.field("ride")
                state = try json.field("state")
                passenger = try json.field("passenger")
                zone = try json.field("zone")
                driver = try json.maybe("driver")
                offeredTo = try json.maybe("offered_to")
                pickup = try json.field("pickup")
                destination = try json.maybe("destination")
                passengers = try json.field("passengers")
                needs = try json.maybe("needs")
                requestedAt = try json.field("requested_at")
                acceptedAt = try json.maybe("accepted_at")
                arrivedAt = try json.maybe("arrived_at")
                aboardAt = try json.maybe("aboard_at")
                closedAt = try json.maybe("closed_at")
            }

            public struct State: Word {
                public let rawValue: String
                public init(rawValue: String) { self.rawValue = rawValue }
                public static var searching: Self { Self(rawValue: "searching") }
                public static var offered: Self { Self(rawValue: "offered") }
                public static var accepted: Self { Self(rawValue: "accepted") }
                public static var aboard: Self { Self(rawValue: "aboard") }
                public static var ended: Self { Self(rawValue: "ended") }
                public static var cancelled: Self { Self(rawValue: "cancelled") }
                public static var noshow: Self { Self(rawValue: "noshow") }
                public static var failed: Self { Self(rawValue: "failed") }
            }
        }
    }

    /// The driver becomes unavailable, and is told why. One that is on a ride, or has bookings, is refused.
    public struct OfficeRemove: Command {
        public static let name = "office.remove"
        public var driver: String
        public var reason: String

        public init(driver: String, reason: String) {
            self.driver = driver
            self.reason = reason
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["driver"] = driver.json
            fields["reason"] = reason.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var driver: String
            public var state: String
            public var audit: String

            public init(_ json: JSON) throws {
                driver = try json.field("driver")
                state = try json.field("state")
                audit = try json.field("audit")
            }
        }
    }

    /// A driver that was taken out, or has lost its place, waits again in the zone where it is, with `zone` in no other.
    /// Its rank: `rank`, or the end if so many do not wait; without it the old place of the last hour, or the end. One that
    /// waits is moved to `rank`. It must be connected; pauses that it must make are over.
    public struct OfficePut: Command {
        public static let name = "office.put"
        public var driver: String
        public var zone: String?
        /// Place in the queue; 1 is asked next.
        public var rank: Int?
        public var reason: String

        public init(driver: String, reason: String, zone: String? = nil, rank: Int? = nil) {
            self.driver = driver
            self.zone = zone
            self.rank = rank
            self.reason = reason
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["driver"] = driver.json
            fields["zone"] = zone?.json
            fields["rank"] = rank?.json
            fields["reason"] = reason.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var driver: String
            public var state: String
            public var zone: String
            public var rank: Int
            public var size: Int
            public var audit: String

            public init(_ json: JSON) throws {
                driver = try json.field("driver")
                state = try json.field("state")
                zone = try json.field("zone")
                rank = try json.field("rank")
                size = try json.field("size")
                audit = try json.field("audit")
            }
        }
    }

    /// Asks this driver for a ride that is searched for, whoever's turn it is; who is asked for it now is no more. It may
    /// wait in another zone. If it does not accept, the search goes on as it would have.
    public struct OfficeOffer: Command {
        public static let name = "office.offer"
        public var ride: String
        public var driver: String

        public init(ride: String, driver: String) {
            self.ride = ride
            self.driver = driver
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["ride"] = ride.json
            fields["driver"] = driver.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var ride: String
            public var driver: String
            public var state: String
            public var audit: String

            public init(_ json: JSON) throws {
                ride = try json.field("ride")
                driver = try json.field("driver")
                state = try json.field("state")
                audit = try json.field("audit")
            }
        }
    }

    /// Takes a ride that nobody is aboard of from its driver, who is told why and keeps its turn. It is offered to
    /// `driver`, or searched for again, first in line; the driver who had it is not asked by the hub again.
    public struct OfficeReassign: Command {
        public static let name = "office.reassign"
        public var ride: String
        public var driver: String?
        public var reason: String

        public init(ride: String, reason: String, driver: String? = nil) {
            self.ride = ride
            self.driver = driver
            self.reason = reason
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["ride"] = ride.json
            fields["driver"] = driver?.json
            fields["reason"] = reason.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var ride: String
            public var driver: String?
            /// `offered` to `driver`, or `searching`.
            public var state: State
            public var audit: String

            public init(_ json: JSON) throws {
                ride = try json.field("ride")
                driver = try json.maybe("driver")
                state = try json.field("state")
                audit = try json.field("audit")
            }

            public struct State: Word {
                public let rawValue: String
                public init(rawValue: String) { self.rawValue = rawValue }
                public static var offered: Self { Self(rawValue: "offered") }
                public static var searching: Self { Self(rawValue: "searching") }
            }
        }
    }

    /// Of a ride, of a booking in a minibus, or of a reservation. Driver and passenger are told why. It counts against
    /// nobody, and the driver of a ride keeps its turn. With passengers aboard it is refused.
    public struct OfficeCancel: Command {
        public static let name = "office.cancel"
        public var ride: String?
        public var booking: String?
        public var reservation: String?
        public var reason: String

        public init(reason: String, ride: String? = nil, booking: String? = nil, reservation: String? = nil) {
            self.ride = ride
            self.booking = booking
            self.reservation = reservation
            self.reason = reason
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["ride"] = ride?.json
            fields["booking"] = booking?.json
            fields["reservation"] = reservation?.json
            fields["reason"] = reason.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var ride: String?
            public var booking: String?
            public var reservation: String?
            public var state: String
            public var audit: String

            public init(_ json: JSON) throws {
                ride = try json.maybe("ride")
                booking = try json.maybe("booking")
                reservation = try json.maybe("reservation")
                state = try json.field("state")
                audit = try json.field("audit")
            }
        }
    }

    /// Ends a ride, or a booking, whose passengers are aboard and whose driver does not end it. The taxi is unavailable
    /// then, and its driver is told why.
    public struct OfficeEnd: Command {
        public static let name = "office.end"
        public var ride: String?
        public var booking: String?
        public var reason: String

        public init(reason: String, ride: String? = nil, booking: String? = nil) {
            self.ride = ride
            self.booking = booking
            self.reason = reason
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["ride"] = ride?.json
            fields["booking"] = booking?.json
            fields["reason"] = reason.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var ride: String?
            public var booking: String?
            public var state: String
            public var audit: String

            public init(_ json: JSON) throws {
                ride = try json.maybe("ride")
                booking = try json.maybe("booking")
                state = try json.field("state")
                audit = try json.field("audit")
            }
        }
    }

    /// A blocked driver can't be available, a blocked passenger can't ask for a ride, seats or a stop; both are refused
    /// with `forbidden`. What is under way is finished. Sent again it replaces the block.
    public struct OfficeBlock: Command {
        public static let name = "office.block"
        public var role: Parts.BlockedRole
        public var subject: String
        public var reason: String
        /// Unix ms, in the future: then it ends by itself. Without it the block is for good.
        public var until: Int?

        public init(role: Parts.BlockedRole, subject: String, reason: String, until: Int? = nil) {
            self.role = role
            self.subject = subject
            self.reason = reason
            self.until = until
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["role"] = role.json
            fields["subject"] = subject.json
            fields["reason"] = reason.json
            fields["until"] = until?.json
            return fields
        }

        /// `state` is that of a driver whom the hub knows.
        public struct Reply: Readable, Sendable {
            public var role: Parts.BlockedRole
            public var subject: String
            public var since: Int
            public var until: Int?
            public var state: Parts.StateDriverState?
            public var audit: String

            public init(_ json: JSON) throws {
                role = try json.field("role")
                subject = try json.field("subject")
                since = try json.field("since")
                until = try json.maybe("until")
                state = try json.maybe("state")
                audit = try json.field("audit")
            }
        }
    }

    /// Ends a block.
    public struct OfficeUnblock: Command {
        public static let name = "office.unblock"
        public var role: Parts.BlockedRole
        public var subject: String

        public init(role: Parts.BlockedRole, subject: String) {
            self.role = role
            self.subject = subject
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["role"] = role.json
            fields["subject"] = subject.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var role: Parts.BlockedRole
            public var subject: String
            public var audit: String

            public init(_ json: JSON) throws {
                role = try json.field("role")
                subject = try json.field("subject")
                audit = try json.field("audit")
            }
        }
    }

    /// Closes every connection of a person, at all workers: with code 4403, or with `revoke` 4401, and the reason. With
    /// `revoke` no token that was issued to it up to now counts any more; a new one does. Without it who has a token may
    /// come back: block it, or revoke.
    public struct OfficeSessionEnd: Command {
        public static let name = "office.session_end"
        public var role: Parts.Role
        public var subject: String
        public var reason: String
        public var revoke: Bool?

        public init(role: Parts.Role, subject: String, reason: String, revoke: Bool? = nil) {
            self.role = role
            self.subject = subject
            self.reason = reason
            self.revoke = revoke
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["role"] = role.json
            fields["subject"] = subject.json
            fields["reason"] = reason.json
            fields["revoke"] = revoke?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var role: Parts.Role
            public var subject: String
            public var revoked: Bool
            public var audit: String

            public init(_ json: JSON) throws {
                role = try json.field("role")
                subject = try json.field("subject")
                revoked = try json.field("revoked")
                audit = try json.field("audit")
            }
        }
    }

    /// A page of what operators did, the newest first.
    public struct OfficeAudit: Command {
        public static let name = "office.audit"
        public var from: String?
        /// Entries of a page; 50 without it.
        public var limit: Int?

        public init(from: String? = nil, limit: Int? = nil) {
            self.from = from
            self.limit = limit
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["from"] = from?.json
            fields["limit"] = limit?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var entries: [Entry]
            /// The `from` of the next page; absent when there is none.
            public var next: String?

            public init(_ json: JSON) throws {
                entries = try json.field("entries")
                next = try json.maybe("next")
            }

            public struct Entry: Readable, Sendable {
                public var id: String
                public var time: Int
                public var `operator`: String
                public var command: Command
                /// On whom or what: `driver:<id>`, `passenger:<id>`, `ride:<id>`, `booking:<id>`, `request:<id>`,
                /// `reservation:<id>`, `tour:<id>`, `vehicle:<id>`; of a notice `zone:<id>`, or to whom.
                public var target: String
                public var reason: String?
                public var before: Parts.AuditFacts
                public var after: Parts.AuditFacts

                public init(_ json: JSON) throws {
                    id = try json.field("id")
                    time = try json.field("time")
                    self.operator = try json.field("operator")
                    command = try json.field("command")
                    target = try json.field("target")
                    reason = try json.maybe("reason")
                    before = try json.field("before")
                    after = try json.field("after")
                }

                public struct Command: Word {
                    public let rawValue: String
                    public init(rawValue: String) { self.rawValue = rawValue }
                    public static var officeRemove: Self { Self(rawValue: "office.remove") }
                    public static var officePut: Self { Self(rawValue: "office.put") }
                    public static var officeOffer: Self { Self(rawValue: "office.offer") }
                    public static var officeReassign: Self { Self(rawValue: "office.reassign") }
                    public static var officeCancel: Self { Self(rawValue: "office.cancel") }
                    public static var officeEnd: Self { Self(rawValue: "office.end") }
                    public static var officeBlock: Self { Self(rawValue: "office.block") }
                    public static var officeUnblock: Self { Self(rawValue: "office.unblock") }
                    public static var officeSessionEnd: Self { Self(rawValue: "office.session_end") }
                    public static var rideRequest: Self { Self(rawValue: "ride.request") }
                    public static var rideCancel: Self { Self(rawValue: "ride.cancel") }
                    public static var rideSearch: Self { Self(rawValue: "ride.search") }
                    public static var seatBook: Self { Self(rawValue: "seat.book") }
                    public static var seatRequest: Self { Self(rawValue: "seat.request") }
                    public static var seatCancel: Self { Self(rawValue: "seat.cancel") }
                    public static var stopRequest: Self { Self(rawValue: "stop.request") }
                    public static var stopCancel: Self { Self(rawValue: "stop.cancel") }
                    public static var reservationMake: Self { Self(rawValue: "reservation.make") }
                    public static var reservationCancel: Self { Self(rawValue: "reservation.cancel") }
                    public static var tourEnd: Self { Self(rawValue: "tour.end") }
                    public static var broadcast: Self { Self(rawValue: "broadcast") }
                    public static var sosAcknowledge: Self { Self(rawValue: "sos.acknowledge") }
                    public static var sosClose: Self { Self(rawValue: "sos.close") }
                    public static var reportClose: Self { Self(rawValue: "report.close") }
                    public static var driversSet: Self { Self(rawValue: "drivers.set") }
                    public static var driversRemove: Self { Self(rawValue: "drivers.remove") }
                    public static var vehiclesSet: Self { Self(rawValue: "vehicles.set") }
                    public static var vehiclesRemove: Self { Self(rawValue: "vehicles.remove") }
                    public static var reliabilityReset: Self { Self(rawValue: "reliability.reset") }
                }
            }
        }
    }

    /// A page of what has been, the latest first: rides of taxis, bookings of seats in minibuses, stops on request,
    /// reservations, tours of buses, alarms, reports of incidents. The records follow by a few seconds. `record`: the one
    /// row of that id. Rows of rides, bookings and reservations can be chosen by driver, passenger and zone, stops by
    /// driver, passenger and line, tours by driver and line, alarms by the driver or passenger who has raised them. From
    /// `start_time` until before `end_time`: when it was asked for; of a reservation, when the taxi is to come; of a tour,
    /// when it began; of an alarm or a report, when it was sent.
    public struct RecordsList: Command {
        public static let name = "records.list"
        public var of: Of
        public var driver: String?
        public var passenger: String?
        public var zone: String?
        public var line: String?
        public var record: String?
        public var startTime: Int?
        public var endTime: Int?
        /// The `next` of the page before.
        public var from: String?
        /// Rows of a page; 50 without it.
        public var limit: Int?

        public init(of: Of, driver: String? = nil, passenger: String? = nil, zone: String? = nil, line: String? = nil, record: String? = nil, startTime: Int? = nil, endTime: Int? = nil, from: String? = nil, limit: Int? = nil) {
            self.of = of
            self.driver = driver
            self.passenger = passenger
            self.zone = zone
            self.line = line
            self.record = record
            self.startTime = startTime
            self.endTime = endTime
            self.from = from
            self.limit = limit
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["of"] = of.json
            fields["driver"] = driver?.json
            fields["passenger"] = passenger?.json
            fields["zone"] = zone?.json
            fields["line"] = line?.json
            fields["record"] = record?.json
            fields["start_time"] = startTime?.json
            fields["end_time"] = endTime?.json
            fields["from"] = from?.json
            fields["limit"] = limit?.json
            return fields
        }

        public struct Of: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var rides: Self { Self(rawValue: "rides") }
            public static var bookings: Self { Self(rawValue: "bookings") }
            public static var stops: Self { Self(rawValue: "stops") }
            public static var reservations: Self { Self(rawValue: "reservations") }
            public static var tours: Self { Self(rawValue: "tours") }
            public static var alarms: Self { Self(rawValue: "alarms") }
            public static var reports: Self { Self(rawValue: "reports") }
        }

        public struct Reply: Readable, Sendable {
            public var records: [Parts.PastRecord]
            /// The `from` of the next page; absent when there is none.
            public var next: String?

            public init(_ json: JSON) throws {
                records = try json.field("records")
                next = try json.maybe("next")
            }
        }
    }

    /// Danger: rings at the operators until one acknowledges it. It is taken on a ride or not; the hub finds ride, vehicle
    /// and tour itself, and the vehicle's place without `lat` and `lon`. While one is open it is brought up to date, no
    /// second one. The other side of the ride is not told.
    public struct Sos: Command {
        public static let name = "sos"
        public var ride: String?
        public var text: String?
        public var lat: Double?
        public var lon: Double?

        public init(ride: String? = nil, text: String? = nil, lat: Double? = nil, lon: Double? = nil) {
            self.ride = ride
            self.text = text
            self.lat = lat
            self.lon = lon
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["ride"] = ride?.json
            fields["text"] = text?.json
            fields["lat"] = lat?.json
            fields["lon"] = lon?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var sos: String
            public var state: State
            /// Its sender has said that there is no danger.
            public var cancelled: Bool
            /// Connections of operators that read `office` now.
            public var watching: Int

            public init(_ json: JSON) throws {
                sos = try json.field("sos")
                state = try json.field("state")
                cancelled = try json.field("cancelled")
                watching = try json.field("watching")
            }

            public struct State: Word {
                public let rawValue: String
                public init(rawValue: String) { self.rawValue = rawValue }
                public static var open: Self { Self(rawValue: "open") }
                public static var acknowledged: Self { Self(rawValue: "acknowledged") }
            }
        }
    }

    /// The sender says that there is no danger. It stays open, and rings until an operator acknowledges it: somebody may
    /// have been made to say so.
    public struct SosCancel: Command {
        public static let name = "sos.cancel"

        public init() {}
        public var fields: [String: JSON] { [:] }

        public struct Reply: Readable, Sendable {
            public var sos: String
            public var state: State
            /// Its sender has said that there is no danger.
            public var cancelled: Bool
            /// Connections of operators that read `office` now.
            public var watching: Int

            public init(_ json: JSON) throws {
                sos = try json.field("sos")
                state = try json.field("state")
                cancelled = try json.field("cancelled")
                watching = try json.field("watching")
            }

            public struct State: Word {
                public let rawValue: String
                public init(rawValue: String) { self.rawValue = rawValue }
                public static var open: Self { Self(rawValue: "open") }
                public static var acknowledged: Self { Self(rawValue: "acknowledged") }
            }
        }
    }

    /// The alarms that are open, those that ring first; or those that were closed, the newest first. At most 100.
    public struct SosList: Command {
        public static let name = "sos.list"
        /// Those that were closed, as long as they are kept.
        public var closed: Bool?

        public init(closed: Bool? = nil) {
            self.closed = closed
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["closed"] = closed?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var alarms: [Parts.Alarm]
            /// There are more than are listed.
            public var more: Bool

            public init(_ json: JSON) throws {
                alarms = try json.field("alarms")
                more = try json.field("more")
            }
        }
    }

    /// A person looks after it: it rings no more, and its sender is told.
    public struct SosAcknowledge: Command {
        public static let name = "sos.acknowledge"
        public var sos: String
        public var note: String?

        public init(sos: String, note: String? = nil) {
            self.sos = sos
            self.note = note
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["sos"] = sos.json
            fields["note"] = note?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var sos: String
            public var state: String
            public var audit: String

            public init(_ json: JSON) throws {
                sos = try json.field("sos")
                state = try json.field("state")
                audit = try json.field("audit")
            }
        }
    }

    /// Ends it, and its sender is told.
    public struct SosClose: Command {
        public static let name = "sos.close"
        public var sos: String
        public var note: String

        public init(sos: String, note: String) {
            self.sos = sos
            self.note = note
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["sos"] = sos.json
            fields["note"] = note.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var sos: String
            public var state: String
            public var audit: String

            public init(_ json: JSON) throws {
                sos = try json.field("sos")
                state = try json.field("state")
                audit = try json.field("audit")
            }
        }
    }

    /// Tells the office what happened. With `anonymous` the hub keeps nothing of who sent it.
    public struct ReportSend: Command {
        public static let name = "report.send"
        public var category: Parts.ReportCategory
        public var text: String
        public var ride: String?
        public var vehicle: String?
        public var anonymous: Bool?

        public init(category: Parts.ReportCategory, text: String, ride: String? = nil, vehicle: String? = nil, anonymous: Bool? = nil) {
            self.category = category
            self.text = text
            self.ride = ride
            self.vehicle = vehicle
            self.anonymous = anonymous
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["category"] = category.json
            fields["text"] = text.json
            fields["ride"] = ride?.json
            fields["vehicle"] = vehicle?.json
            fields["anonymous"] = anonymous?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var report: String

            public init(_ json: JSON) throws {
                report = try json.field("report")
            }
        }
    }

    /// A page of the reports that are open, or were closed, the newest first.
    public struct ReportList: Command {
        public static let name = "report.list"
        public var from: String?
        /// Entries of a page; 50 without it.
        public var limit: Int?
        /// Those that were closed, as long as they are kept.
        public var closed: Bool?

        public init(from: String? = nil, limit: Int? = nil, closed: Bool? = nil) {
            self.from = from
            self.limit = limit
            self.closed = closed
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["from"] = from?.json
            fields["limit"] = limit?.json
            fields["closed"] = closed?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var reports: [Parts.Report]
            public var next: String?

            public init(_ json: JSON) throws {
                reports = try json.field("reports")
                next = try json.maybe("next")
            }
        }
    }

    /// It is dealt with.
    public struct ReportClose: Command {
        public static let name = "report.close"
        public var report: String
        public var note: String

        public init(report: String, note: String) {
            self.report = report
            self.note = note
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["report"] = report.json
            fields["note"] = note.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var report: String
            public var state: String
            public var audit: String

            public init(_ json: JSON) throws {
                report = try json.field("report")
                state = try json.field("state")
                audit = try json.field("audit")
            }
        }
    }

    /// Replaces the record whole: what is not given is gone. Past the last day of a paper the driver can't go available or
    /// begin a tour; without a date nothing ends. `driver` is the subject of its token; `vehicle` must be registered, and
    /// without it the driver drives the one of its own name.
    public struct DriversSet: Command {
        public static let name = "drivers.set"
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

        public init(driver: String, name: String, phone: String? = nil, company: String? = nil, photo: String? = nil, licence: String? = nil, licenceUntil: String? = nil, medicalUntil: String? = nil, vehicle: String? = nil, capabilities: [String]? = nil) {
            self.driver = driver
            self.name = name
            self.phone = phone
            self.company = company
            self.photo = photo
            self.licence = licence
            self.licenceUntil = licenceUntil
            self.medicalUntil = medicalUntil
            self.vehicle = vehicle
            self.capabilities = capabilities
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["driver"] = driver.json
            fields["name"] = name.json
            fields["phone"] = phone?.json
            fields["company"] = company?.json
            fields["photo"] = photo?.json
            fields["licence"] = licence?.json
            fields["licence_until"] = licenceUntil?.json
            fields["medical_until"] = medicalUntil?.json
            fields["vehicle"] = vehicle?.json
            fields["capabilities"] = capabilities?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var driver: String
            /// False: the record was the same already, and nothing was written.
            public var changed: Bool
            public var audit: String?

            public init(_ json: JSON) throws {
                driver = try json.field("driver")
                changed = try json.field("changed")
                audit = try json.maybe("audit")
            }
        }
    }

    /// The record of a driver.
    public struct DriversGet: Command {
        public static let name = "drivers.get"
        public typealias Reply = Parts.DriverRecord
        public var driver: String

        public init(driver: String) {
            self.driver = driver
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["driver"] = driver.json
            return fields
        }
    }

    /// A page of the records, in the order of ids; with `ends_by` of those one of whose papers ends by that day, in the
    /// order in which they end.
    public struct DriversList: Command {
        public static let name = "drivers.list"
        public var from: String?
        /// Records of a page; 50 without it.
        public var limit: Int?
        public var endsBy: String?

        public init(from: String? = nil, limit: Int? = nil, endsBy: String? = nil) {
            self.from = from
            self.limit = limit
            self.endsBy = endsBy
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["from"] = from?.json
            fields["limit"] = limit?.json
            fields["ends_by"] = endsBy?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var drivers: [Parts.DriverRecord]
            public var next: String?

            public init(_ json: JSON) throws {
                drivers = try json.field("drivers")
                next = try json.maybe("next")
            }
        }
    }

    /// The record is gone, with all that it says of a person.
    public struct DriversRemove: Command {
        public static let name = "drivers.remove"
        public var driver: String

        public init(driver: String) {
            self.driver = driver
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["driver"] = driver.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var driver: String
            public var audit: String

            public init(_ json: JSON) throws {
                driver = try json.field("driver")
                audit = try json.field("audit")
            }
        }
    }

    /// Replaces the record whole: what is not given is gone. The code of its sign stays, unless `new_code` says that the
    /// sign is lost.
    public struct VehiclesSet: Command {
        public static let name = "vehicles.set"
        public var vehicle: String
        public var plate: String
        public var registration: String?
        public var company: String?
        public var model: String?
        public var colour: String?
        public var capabilities: [String]?
        /// Makes a new code; the one before is no vehicle's any more.
        public var newCode: Bool?

        public init(vehicle: String, plate: String, registration: String? = nil, company: String? = nil, model: String? = nil, colour: String? = nil, capabilities: [String]? = nil, newCode: Bool? = nil) {
            self.vehicle = vehicle
            self.plate = plate
            self.registration = registration
            self.company = company
            self.model = model
            self.colour = colour
            self.capabilities = capabilities
            self.newCode = newCode
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["vehicle"] = vehicle.json
            fields["plate"] = plate.json
            fields["registration"] = registration?.json
            fields["company"] = company?.json
            fields["model"] = model?.json
            fields["colour"] = colour?.json
            fields["capabilities"] = capabilities?.json
            fields["new_code"] = newCode?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var vehicle: String
            public var code: String
            /// False: the record was the same already, and nothing was written.
            public var changed: Bool
            public var audit: String?

            public init(_ json: JSON) throws {
                vehicle = try json.field("vehicle")
                code = try json.field("code")
                changed = try json.field("changed")
                audit = try json.maybe("audit")
            }
        }
    }

    /// The record of a vehicle, with the code of its sign.
    public struct VehiclesGet: Command {
        public static let name = "vehicles.get"
        public typealias Reply = Parts.VehicleRecord
        public var vehicle: String

        public init(vehicle: String) {
            self.vehicle = vehicle
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["vehicle"] = vehicle.json
            return fields
        }
    }

    /// A page of the records, in the order of ids.
    public struct VehiclesList: Command {
        public static let name = "vehicles.list"
        public var from: String?
        /// Records of a page; 50 without it.
        public var limit: Int?

        public init(from: String? = nil, limit: Int? = nil) {
            self.from = from
            self.limit = limit
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["from"] = from?.json
            fields["limit"] = limit?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var vehicles: [Parts.VehicleRecord]
            public var next: String?

            public init(_ json: JSON) throws {
                vehicles = try json.field("vehicles")
                next = try json.maybe("next")
            }
        }
    }

    /// The record is gone, and the code of its sign is no vehicle's any more. Drivers whose records name it get another one
    /// first.
    public struct VehiclesRemove: Command {
        public static let name = "vehicles.remove"
        public var vehicle: String

        public init(vehicle: String) {
            self.vehicle = vehicle
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["vehicle"] = vehicle.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var vehicle: String
            public var audit: String

            public init(_ json: JSON) throws {
                vehicle = try json.field("vehicle")
                audit = try json.field("audit")
            }
        }
    }

    /// What a taxi would cost, or seats in the minibus `vehicle`, as who books them now would be told. Of a taxi `at`: when
    /// it begins, else now; `reserved`: it is to be reserved, which may cost more.
    public struct FareEstimate: Command {
        public static let name = "fare.estimate"
        public var pickup: Parts.Point
        public var destination: Parts.Point
        public var passengers: Int
        /// Unix ms, before the year 3000.
        public var at: Int?
        public var reserved: Bool?
        public var vehicle: String?

        public init(pickup: Parts.Point, destination: Parts.Point, passengers: Int, at: Int? = nil, reserved: Bool? = nil, vehicle: String? = nil) {
            self.pickup = pickup
            self.destination = destination
            self.passengers = passengers
            self.at = at
            self.reserved = reserved
            self.vehicle = vehicle
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["pickup"] = pickup.json
            fields["destination"] = destination.json
            fields["passengers"] = passengers.json
            fields["at"] = at?.json
            fields["reserved"] = reserved?.json
            fields["vehicle"] = vehicle?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            /// Null where the city has set none.
            public var fare: Parts.TripFare?
            public var distanceM: Int
            public var durationS: Int
            public var isEstimate: Bool

            public init(_ json: JSON) throws {
                fare = try json.maybe("fare")
                distanceM = try json.field("distance_m")
                durationS = try json.field("duration_s")
                isEstimate = try json.field("is_estimate")
            }
        }
    }

    /// What became of the payment of a trip; by services whose token has the scope `payments`. `reference`: how the service
    /// calls the payment; one in which something looks like the number of a card is refused, and another one for a trip
    /// that is paid.
    public struct PaymentReport: Command {
        public static let name = "payment.report"
        public var trip: String
        public var state: Parts.PaymentState
        public var reference: String?

        public init(trip: String, state: Parts.PaymentState, reference: String? = nil) {
            self.trip = trip
            self.state = state
            self.reference = reference
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["trip"] = trip.json
            fields["state"] = state.json
            fields["reference"] = reference?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var trip: String
            public var receipt: String
            public var payment: Parts.Payment

            public init(_ json: JSON) throws {
                trip = try json.field("trip")
                receipt = try json.field("receipt")
                payment = try json.field("payment")
            }
        }
    }

    /// The receipt of a trip: one's own, or for operators any.
    public struct ReceiptGet: Command {
        public static let name = "receipt.get"
        public typealias Reply = Parts.Trip
        public var trip: String

        public init(trip: String) {
            self.trip = trip
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["trip"] = trip.json
            return fields
        }
    }

    /// Stars for who drove, or for the passengers, once a side. `route_stars`: what a passenger thinks of the route that
    /// its minibus went on.
    public struct TripRate: Command {
        public static let name = "trip.rate"
        public var trip: String
        public var stars: Int
        public var routeStars: Int?
        public var comment: String?

        public init(trip: String, stars: Int, routeStars: Int? = nil, comment: String? = nil) {
            self.trip = trip
            self.stars = stars
            self.routeStars = routeStars
            self.comment = comment
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["trip"] = trip.json
            fields["stars"] = stars.json
            fields["route_stars"] = routeStars?.json
            fields["comment"] = comment?.json
            return fields
        }

        public struct Reply: Readable, Sendable {
            public var trip: String
            public var stars: Int
            public var routeStars: Int?

            public init(_ json: JSON) throws {
                trip = try json.field("trip")
                stars = try json.field("stars")
                routeStars = try json.maybe("route_stars")
            }
        }
    }

    /// What people think of somebody: operators name whom, with `role` and `subject`; others get their own.
    public struct RatingsGet: Command {
        public static let name = "ratings.get"
        public var role: Role?
        public var subject: String?

        public init(role: Role? = nil, subject: String? = nil) {
            self.role = role
            self.subject = subject
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["role"] = role?.json
            fields["subject"] = subject?.json
            return fields
        }

        public struct Role: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var driver: Self { Self(rawValue: "driver") }
            public static var passenger: Self { Self(rawValue: "passenger") }
        }

        public struct Reply: Readable, Sendable {
            public var role: Parts.Side
            public var subject: String
            public var count: Int
            /// Null for none; to who was rated by tenths. `count` and `mean` are told to who was rated five ratings at once,
            /// when each is a day old.
            public var mean: Double?

            public init(_ json: JSON) throws {
                role = try json.field("role")
                subject = try json.field("subject")
                count = try json.field("count")
                mean = try json.maybe("mean")
            }
        }
    }

    /// Trips, the latest first: one's own, or of whom operators name with `role` and `subject`. `from`: the `next` of the
    /// page before.
    public struct TripsList: Command {
        public static let name = "trips.list"
        public var from: String?
        public var limit: Int?
        public var role: Role?
        public var subject: String?

        public init(from: String? = nil, limit: Int? = nil, role: Role? = nil, subject: String? = nil) {
            self.from = from
            self.limit = limit
            self.role = role
            self.subject = subject
        }

        public var fields: [String: JSON] {
            var fields: [String: JSON] = [:]
            fields["from"] = from?.json
            fields["limit"] = limit?.json
            fields["role"] = role?.json
            fields["subject"] = subject?.json
            return fields
        }

        public struct Role: Word {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static var driver: Self { Self(rawValue: "driver") }
            public static var passenger: Self { Self(rawValue: "passenger") }
        }

        public struct Reply: Readable, Sendable {
            public var trips: [Parts.Trip]
            public var next: String?

            public init(_ json: JSON) throws {
                trips = try json.field("trips")
                next = try json.maybe("next")
            }
        }
    }
}
