// Who stands in which queue, and where (I1, C23).
extension LogChecker {
    /// False when it is an event of another kind.
    mutating func takeQueueEvent(_ event: LoggedEvent) -> Bool {
        let kinds: Set = [
            "queue.joined", "queue.left", "queue.bottom", "queue.passed_over", "driver.away", "driver.back",
            "seats.changed",
        ]
        guard kinds.contains(event.type) else { return false }
        guard let name = event.driver else {
            report(.log, "\(event.type) names no driver")
            return true
        }
        switch event.type {
        case "driver.away":
            drivers[name, default: Driver()].isAway = true
            drivers[name]?.isMissing = false
        case "driver.back":
            drivers[name, default: Driver()].isAway = false
        case "seats.changed": drivers[name, default: Driver()].seats = event.seats
        default:
            guard let zone = event.zone else {
                report(.log, "\(event.type) names no zone")
                return true
            }
            switch event.type {
            case "queue.left": left(name, zone, event)
            case "queue.joined": joined(name, zone, event)
            case "queue.passed_over":
                // Who is passed over keeps its place.
                if queues[zone]?[name] == nil {
                    report(.queueMembership, "driver \(name) is passed over in zone \(zone), where it does not wait")
                }
            default: toBottom(name, zone, event)
            }
        }
        return true
    }

    private mutating func joined(_ name: String, _ zone: String, _ event: LoggedEvent) {
        guard let score = event.score else { return report(.log, "queue.joined has no score") }
        var driver = drivers[name] ?? Driver()
        if let other = driver.zone {
            report(
                .queueMembership, "driver \(name) joins the queue of zone \(zone) and stands in that of zone \(other)")
            queues[other]?[name] = nil
        }
        let reason = event.reason ?? ""
        if reason == "restored" || reason == "recovered" {
            let mine = Place(zone: zone, score: score)
            if let kept = driver.kept, kept.zone == zone, kept != mine,
                driver.isMissing || event.timeMs - driver.keptSince > recoveryMs
            {
                // Too long on the way, or lost with its ride: at the bottom.
                checkBottom(name, zone, score)
            } else if driver.kept != mine, !(driver.isFromBefore && driver.kept == nil) {
                let had = driver.kept.map { "\($0.score) in zone \($0.zone)" } ?? "none"
                report(.rank, "driver \(name) gets place \(score) in zone \(zone) back; the place it had was \(had)")
            }
        } else if reason != "operator" {
            checkBottom(name, zone, score)
        }
        driver.zone = zone
        driver.kept = nil
        driver.isFromBefore = false
        drivers[name] = driver
        queues[zone, default: [:]][name] = score
    }

    private mutating func left(_ name: String, _ zone: String, _ event: LoggedEvent) {
        var driver = drivers[name] ?? Driver()
        if driver.zone != zone {
            let place = driver.zone.map { "stands in that of zone \($0)" } ?? "stands in none"
            report(.queueMembership, "driver \(name) leaves the queue of zone \(zone), but \(place)")
        }
        let score = queues[zone]?.removeValue(forKey: name)
        if score != nil, queues[zone]?.isEmpty == true { emptiedMs[zone] = event.timeMs }
        let keeps = ["accepted", "outside_zones", "connection_lost", "stale"].contains(event.reason ?? "")
        driver.kept = keeps ? score.map { Place(zone: zone, score: $0) } : nil
        driver.keptSince = event.timeMs
        driver.zone = nil
        driver.isFromBefore = false
        drivers[name] = driver
    }

    private mutating func toBottom(_ name: String, _ zone: String, _ event: LoggedEvent) {
        guard let score = event.score else { return report(.log, "queue.bottom has no score") }
        guard drivers[name]?.zone == zone else {
            return report(
                .queueMembership, "driver \(name) goes to the bottom of zone \(zone), where it does not stand")
        }
        checkBottom(name, zone, score)
        queues[zone]?[name] = score
    }

    /// Who comes anew stands behind all; otherwise the rank of those who wait would grow.
    private mutating func checkBottom(_ name: String, _ zone: String, _ score: Double) {
        let ahead = queues[zone, default: [:]].filter { $0.key != name && $0.value >= score }
        guard let passed = ahead.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else { return }
        report(
            .rank,
            "driver \(name) comes into zone \(zone) with place \(score), before \(passed.key) who waits at \(passed.value)"
        )
    }
}
