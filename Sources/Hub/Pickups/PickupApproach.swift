import Domain
import RedisLink
import Telemetry
import Wire

/// The way of a vehicle to a pickup, as far as judging its fixes needs it: of a taxi's ride, or of a booking in a minibus.
struct PickupApproach {
    /// Of the ride or the booking.
    let id: String
    /// Where its passenger is, as far as that is told.
    private(set) var pickup: GeoPoint
    private(set) var isAboard: Bool
    /// Where the vehicle was on its way to the pickup, then with the passenger.
    private(set) var way = TravelledWay()
    private var ladder: ProximityLadder
    private var eta: ETAReporter
    /// How it gets on, on this ride.
    private var pace = RecentPace()

    /// `json`: the state of the ride or booking; nil when it names no pickup. `id`: the field with its id.
    init?(_ json: JSONValue, id: String, radii: ProximityLadder.Radii, eta: ETAReporter.Settings) {
        guard let id = json[id]?.text, let pickup = GeoPoint(json["pickup"]) else { return nil }
        self.id = id
        self.pickup = pickup
        isAboard = json["state"]?.text == "aboard"
        let notified = json["notified"]?.double.flatMap { ProximityRung(rawValue: Int($0)) } ?? .none
        ladder = ProximityLadder(restored: notified, radii: radii)
        self.eta = ETAReporter(settings: eta)
    }

    /// What one fix tells on the way to the pickup: rungs of the ladder if it is sure, and the time to go if that is to be told.
    mutating func advance(
        to fix: Fix, after previous: Fix?, isSure: Bool, by learning: TravelLearning, measuredAt: Int64, now: Int64
    ) -> (events: ProximityEvents, eta: ToldETA?) {
        if let previous {
            pace.moved(metres: previous.point.distance(to: fix.point), seconds: Double(fix.at - previous.at) / 1000)
        }
        if previous != nil || way.places.isEmpty { way.pass(fix.point, at: measuredAt) }
        let events = isSure ? ladder.vehicleMoved(to: fix, target: pickup, isContinuous: previous != nil) : .none
        let forecast = learning.forecast(from: fix.point, to: pickup, pace: pace, measuredAt: measuredAt)
        let told = eta.report(seconds: forecast.seconds, at: now).map {
            ToldETA(seconds: $0, early: Int(forecast.early.rounded()), late: Int(forecast.late.rounded()))
        }
        return (events, told)
    }

    /// The passenger has walked.
    mutating func move(to place: GeoPoint) { pickup = place }

    /// The passenger is in the vehicle: its way with it begins.
    mutating func board() {
        guard !isAboard else { return }
        isAboard = true
        way = TravelledWay()
    }

    /// A fix with the passenger aboard.
    mutating func ride(_ point: GeoPoint, measuredAt: Int64) { way.pass(point, at: measuredAt) }
}

/// A time of arrival as it is told, whole seconds from now: likely, and the bounds of eight in ten.
struct ToldETA {
    let seconds: Int
    let early: Int
    let late: Int
}

/// How a way to a pickup is told: of a taxi's ride, or of a booking in a minibus.
struct PickupKind {
    /// The Redis function that tells a rung of the ladder.
    let alert: String
    /// The state that tells how long it takes, and its fields for the id and the vehicle.
    let eta: String
    let idField: StaticString
    let vehicleField: StaticString
    /// Several wait for one vehicle: whose ETA it is stands in the push's meta.
    let isShared: Bool
}

extension Capability {
    /// Holds a fix against a pickup, and tells those who wait what it says. True: it is there.
    @discardableResult
    func approach(
        _ pickup: inout PickupApproach, _ kind: PickupKind, _ vehicle: VehicleTrack, _ fix: Fix, after previous: Fix?,
        _ learning: TravelLearning
    ) -> Bool {
        let (events, eta) = pickup.advance(
            to: fix, after: previous, isSure: vehicle.isLastFixSure, by: learning, measuredAt: vehicle.heardAt,
            now: now())
        let told = eta.map { push(of: $0, pickup, kind, vehicle, fix) }
        // Who is there at once was near, too: the function tells both, and the time with them.
        if let event = events.arrived ?? events.near {
            metrics.alerts.increment()
            functions.retryUntilDone(
                kind.alert,
                [
                    "driver": RedisArgument(vehicle.subject), "id": RedisArgument(pickup.id),
                    "rung": RedisArgument(event.rung.rawValue),
                    "metres": RedisArgument(Int(event.distance.rounded())),
                    "confidence": RedisArgument(event.confidence.rawValue),
                    "eta": told.map { RedisArgument($0.encoded) } ?? "",
                ])
        } else if let told {
            commands.send(
                ["PUBLISH", RedisArgument(keys.push(Channel.partition(told.channel))), RedisArgument(told.encoded)]
            ) { _ in }
        }
        return events.arrived != nil
    }

    /// State for those who wait, wherever they are connected: they read the vehicle's channel. In a minibus each takes what
    /// is for its own booking.
    private func push(
        of eta: ToldETA, _ pickup: PickupApproach, _ kind: PickupKind, _ vehicle: VehicleTrack, _ fix: Fix
    ) -> Push {
        var json = JSONWriter()
        json.beginObject()
        json.member(kind.idField, pickup.id)
        json.member(kind.vehicleField, vehicle.subject)
        json.member("eta_s", eta.seconds)
        json.member("early_s", min(eta.early, eta.seconds))
        json.member("late_s", max(eta.late, eta.seconds))
        json.member("distance_m", Int64(fix.point.distance(to: pickup.pickup).rounded()))
        json.member("at", fix.at)
        json.endObject()
        let channel = Channel.vehicle(vehicle.subject)
        return Push(
            channel: channel, seq: "", type: kind.eta, time: now(),
            meta: ETAMeta(measuredAt: vehicle.heardAt, booking: kind.isShared ? pickup.id : "").text, data: json.bytes)
    }
}

/// What readers' workers must know of an ETA.
struct ETAMeta {
    /// When the position was measured, hub ms.
    let measuredAt: Int64
    /// Whose it is in a minibus; empty of a taxi's ride.
    let booking: String

    init(measuredAt: Int64, booking: String) {
        self.measuredAt = measuredAt
        self.booking = booking
    }

    init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard let first = parts.first, let measuredAt = Int64(first) else { return nil }
        self.init(measuredAt: measuredAt, booking: parts.count == 2 ? String(parts[1]) : "")
    }

    var text: String { booking.isEmpty ? "\(measuredAt)" : "\(measuredAt) \(booking)" }
}

extension GeoPoint {
    init(_ place: Place) { self.init(lat: place.lat, lon: place.lon) }

    /// Of an object with `lat` and `lon`.
    init?(_ json: JSONValue?) {
        guard let lat = json?["lat"]?.double, let lon = json?["lon"]?.double else { return nil }
        self.init(lat: lat, lon: lon)
    }
}
