import Domain
import Settings
import Wire

/// How far minibuses are along what they go. The worker that holds the driver knows, as it has seen all of its fixes; the
/// others are told with its position (`moved` in presence.lua), and hold it against who watches with a destination.
extension Worker {
    /// A minibus goes on a route, on a way that it has announced, or on neither. `known` is how far it was, if Redis knows.
    func go(_ driver: DriverTrack, on route: String?, _ way: AnnouncedPath?, known: String = "") {
        if driver.progress == nil || route != driver.route || way != driver.way {
            driver.progress = progress(of: driver, on: route, way, known: known)
        }
        driver.route = route
        driver.way = way
        driver.progressVersion = catalog.catalog.version
        driver.along = driver.progress?.text ?? ""
    }

    /// How far a minibus is along what it would go, by its last fix; what it goes already is followed on. Nil: nobody knows.
    func progress(of driver: DriverTrack, on route: String?, _ way: AnnouncedPath?, known: String = "") -> PathProgress?
    {
        guard driver.isMinibus else { return nil }
        if let progress = driver.progress, route == driver.route, way == driver.way { return progress }
        var progress =
            if let shape = way?.shape {
                PathProgress(way: shape, reach: settings.vehicles.wayM, known: known)
            } else {
                route.flatMap { PathProgress(route: routePatterns(of: $0), known: known) }
            }
        if let fix = driver.lastFix { progress?.moved(to: fix.point, at: fix.at) }
        return progress
    }

    /// A fix was accepted.
    func goOn(_ driver: DriverTrack, to fix: Fix) {
        guard driver.isMinibus else { return }
        if driver.way == nil, driver.route != nil, driver.progressVersion != catalog.catalog.version {
            // The patterns of the present catalog.
            let known = driver.along
            driver.progress = nil
            go(driver, on: driver.route, nil, known: known)
        }
        driver.progress?.moved(to: fix.point, at: fix.at)
        driver.along = driver.progress?.text ?? ""
    }

    /// The patterns of a route; made once for all that go it.
    func routePatterns(of route: String) -> [RoutePattern] {
        if coursesVersion != catalog.catalog.version {
            coursesVersion = catalog.catalog.version
            routePatternsKnown = [:]
        }
        if let known = routePatternsKnown[route] { return known }
        guard let line = catalog.catalog.lines[route] else { return [] }
        let routePatterns = line.patterns.compactMap { RoutePattern(id: $0.id, shape: $0.shape) }
        routePatternsKnown[route] = routePatterns
        return routePatterns
    }
}
