import Domain
import Settings
import Wire

/// How far minibuses are along what they go. The worker that holds the driver knows, as it has seen all of its fixes; the
/// others are told with its position (`moved` in presence.lua), and hold it against who watches with a destination.
extension Seats {
    /// A minibus goes on a route, on a way that it has announced, or on neither. `known` is how far it was, if Redis knows.
    func go(
        _ minibus: Minibus, _ vehicle: VehicleTrack, on route: String?, _ way: AnnouncedPath?, known: String = ""
    ) {
        if minibus.progress == nil || route != minibus.route || way != minibus.way {
            minibus.progress = progress(of: minibus, vehicle, on: route, way, known: known)
        }
        minibus.route = route
        minibus.way = way
        minibus.progressVersion = catalog.version
        vehicle.along = minibus.progress?.text ?? ""
    }

    /// How far a minibus is along what it would go, by its last fix; what it goes already is followed on. Nil: nobody knows.
    func progress(
        of minibus: Minibus, _ vehicle: VehicleTrack, on route: String?, _ way: AnnouncedPath?, known: String = ""
    ) -> PathProgress? {
        guard vehicle.isMinibus else { return nil }
        if let progress = minibus.progress, route == minibus.route, way == minibus.way { return progress }
        var progress =
            if let shape = way?.shape {
                PathProgress(way: shape, reach: settings.vehicles.wayM, known: known)
            } else {
                route.flatMap { PathProgress(route: patterns.of($0), known: known) }
            }
        if let fix = vehicle.lastFix { progress?.moved(to: fix.point, at: fix.at) }
        return progress
    }

    /// A fix was accepted.
    func goOn(_ minibus: Minibus, _ vehicle: VehicleTrack, to fix: Fix) {
        if minibus.way == nil, minibus.route != nil, minibus.progressVersion != catalog.version {
            // The patterns of the present catalog.
            let known = vehicle.along
            minibus.progress = nil
            go(minibus, vehicle, on: minibus.route, nil, known: known)
        }
        minibus.progress?.moved(to: fix.point, at: fix.at)
        vehicle.along = minibus.progress?.text ?? ""
    }
}
