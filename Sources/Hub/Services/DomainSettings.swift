import Domain
import Glibc
import Settings

/// The numbers of the domain's rules, as the settings have them.
extension Settings {
    /// Workers of this hub: as many as there are processors, unless it is told.
    var workerCount: Int {
        max(1, server.workers > 0 ? server.workers : sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }

    var filterLimits: PositionFilter.Limits {
        var limits = PositionFilter.Limits()
        limits.fenceAccuracy = positions.fenceAccuracyM
        limits.mapAccuracy = positions.mapAccuracyM
        limits.futureMs = Int64(positions.futureMs)
        limits.maximumSpeed = positions.maxSpeedMps
        // A delay of the link is real time: in a scaled run it looks so much longer.
        limits.replayDelayMs = Int64(Double(limits.replayDelayMs) * clock.scale)
        limits.maximumAgeMs = Int64(Double(positions.maxAgeMs) * clock.scale)
        limits.setBackMs = Int64(HubClock.jumpMs * max(1, clock.scale))
        return limits
    }

    var feedRules: FeedRules {
        var rules = FeedRules()
        rules.staleAfterMs = Int64(feeds.staleAfterMs)
        rules.expireAfterMs = Int64(feeds.goneAfterMs)
        rules.logTicks *= WorkerServices.slicesPerTick
        return rules
    }

    var zoneRules: ZoneTracker.Settings {
        var rules = ZoneTracker.Settings()
        rules.margin = zones.marginM
        rules.fixes = dispatch.zoneExitFixes
        rules.afterMs = Int64(dispatch.zoneExitMs)
        return rules
    }

    var radii: ProximityLadder.Radii {
        var radii = ProximityLadder.Radii()
        radii.near = dispatch.nearM
        radii.arrived = dispatch.arrivedM
        return radii
    }

    var etaRules: ETAReporter.Settings {
        var rules = ETAReporter.Settings()
        rules.changeSeconds = Double(eta.pushChangeS)
        rules.everyMs = Int64(eta.pushMaxAgeS) * 1000
        return rules
    }

    var detour: RoadDetour {
        var numbers = RoadDetour.Settings()
        numbers.detourNear = eta.detourShort
        numbers.detourMiddle = eta.detour
        numbers.detourFar = eta.detourLong
        numbers.nearMetres = eta.shortM
        numbers.farMetres = max(eta.shortM, eta.longM)
        numbers.middleMetres = (numbers.nearMetres * numbers.farMetres).squareRoot()
        return RoadDetour(settings: numbers)
    }

    // MARK: custom stops

    var stopRequestRules: StopRequestPlan.Rules {
        var rules = StopRequestPlan.Rules()
        rules.offRoute = stops.offRouteM
        rules.hours = stops.openHours
        rules.roundMs = Int64(stops.roundMs)
        rules.earlySeconds = Int64(stops.reminderMs / 1000)
        rules.laterMs = Int64(stops.earlyMs)
        rules.maxAheadMs = Int64(stops.maxAheadMs)
        return rules
    }
}
