import Domain
import Settings

/// The numbers of the domain's rules, as the settings have them.
extension Worker {
    var filterLimits: PositionFilter.Limits {
        var limits = PositionFilter.Limits()
        limits.fenceAccuracy = settings.positions.fenceAccuracyM
        limits.mapAccuracy = settings.positions.mapAccuracyM
        limits.futureMs = Int64(settings.positions.futureMs)
        limits.maximumSpeed = settings.positions.maxSpeedMps
        // A delay of the link is real time: in a scaled run it looks so much longer.
        limits.replayDelayMs = Int64(Double(limits.replayDelayMs) * settings.clock.scale)
        limits.maximumAgeMs = Int64(Double(settings.positions.maxAgeMs) * settings.clock.scale)
        return limits
    }

    static func feedRules(_ settings: Settings) -> FeedRules {
        var rules = FeedRules()
        rules.staleAfterMs = Int64(settings.feeds.staleAfterMs)
        rules.expireAfterMs = Int64(settings.feeds.goneAfterMs)
        rules.logTicks *= Worker.slicesPerTick
        return rules
    }

    var zoneRules: ZoneTracker.Settings {
        var rules = ZoneTracker.Settings()
        rules.margin = settings.zones.marginM
        rules.fixes = settings.dispatch.zoneExitFixes
        rules.afterMs = Int64(settings.dispatch.zoneExitMs)
        return rules
    }

    var radii: ProximityLadder.Radii {
        var radii = ProximityLadder.Radii()
        radii.near = settings.dispatch.nearM
        radii.arrived = settings.dispatch.arrivedM
        return radii
    }

    var etaRules: ETAReporter.Settings {
        var rules = ETAReporter.Settings()
        rules.changeSeconds = Double(settings.eta.pushChangeS)
        rules.everyMs = Int64(settings.eta.pushMaxAgeS) * 1000
        return rules
    }

    var estimator: ETAEstimator {
        var numbers = ETAEstimator.Settings()
        numbers.detourNear = settings.eta.detourShort
        numbers.detourMiddle = settings.eta.detour
        numbers.detourFar = settings.eta.detourLong
        numbers.nearMetres = settings.eta.shortM
        numbers.farMetres = max(settings.eta.shortM, settings.eta.longM)
        numbers.middleMetres = (numbers.nearMetres * numbers.farMetres).squareRoot()
        numbers.speed = settings.eta.speedKmh / 3.6
        return ETAEstimator(settings: numbers)
    }
}
