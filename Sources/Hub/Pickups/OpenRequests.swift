import Domain
import RedisLink
import Settings
import WebSocketServer

/// What a driver is asked and has not answered: an offer of a ride, or a booking. Both ask one thing at a time. Used on the
/// worker's loop.
final class OpenRequests {
    private let services: WorkerServices
    private let learning: TravelLearning
    /// By driver: the ride or booking, and its pickup.
    private var open: [String: (id: String, pickup: GeoPoint)] = [:]

    init(_ services: WorkerServices, _ learning: TravelLearning) {
        self.services = services
        self.learning = learning
    }

    /// The driver is asked. `meta`: `lat,lon` of the pickup, which the driver is not told before it accepts.
    ///
    /// While a request is open a dead link must be known within seconds, so that the next driver is asked.
    func begin(_ id: String, meta: String, of vehicle: VehicleTrack) {
        let parts = meta.split(separator: ",")
        if parts.count == 2, let lat = Double(parts[0]), let lon = Double(parts[1]) {
            open[vehicle.subject] = (id, GeoPoint(lat: lat, lon: lon))
        }
        let server = services.settings.server
        ping(vehicle, everyMs: server.offerPingMs, deadAfterMs: server.offerDeadAfterMs)
    }

    /// It was answered, or is not for this driver any more; `id` nil: whatever it was.
    func end(_ id: String? = nil, of vehicle: VehicleTrack) {
        guard let known = open[vehicle.subject], id == nil || known.id == id else { return }
        open[vehicle.subject] = nil
        let server = services.settings.server
        ping(vehicle, everyMs: server.pingMs, deadAfterMs: server.deadAfterMs)
    }

    private func ping(_ vehicle: VehicleTrack, everyMs: Int, deadAfterMs: Int) {
        for session in vehicle.sessions {
            services.server.setPing(
                session.connection, everyMs: UInt64(everyMs), deadAfterMs: UInt64(deadAfterMs))
        }
    }

    /// Its driver is not connected here any more.
    func forget(_ subject: String) { open[subject] = nil }

    func has(_ id: String, of vehicle: VehicleTrack) -> Bool { open[vehicle.subject]?.id == id }

    /// Seconds from where the vehicle is to the pickup that it is asked for; nil: nobody knows.
    func secondsToPickup(_ id: String, of vehicle: VehicleTrack) -> Int? {
        guard let request = open[vehicle.subject], request.id == id, let fix = vehicle.lastFix else { return nil }
        let forecast = learning.forecast(from: fix.point, to: request.pickup, measuredAt: vehicle.heardAt)
        return Int(forecast.seconds.rounded())
    }
}
