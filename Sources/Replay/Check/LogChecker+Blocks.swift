/// Who is blocked by the office, or paused by the hub, stands in no queue, and asks for no taxi.
extension LogChecker {
    /// Until when, hub ms; nil: it is not.
    struct Block: Equatable {
        var byOffice: Int64?
        var byHub: Int64?

        func holds(at nowMs: Int64) -> Bool { max(byOffice ?? .min, byHub ?? .min) > nowMs }
    }

    /// False: the event is another one.
    mutating func takeBlockEvent(_ event: LoggedEvent) -> Bool {
        switch event.type {
        case "audit":
            guard let name = event.target, let isBlocked = event.isBlocked else { return true }
            if event.command == "office.block" {
                blocks[name, default: Block()].byOffice = event.until ?? .max
            } else if !isBlocked {
                blocks[name] = nil
            } else if event.command == "reliability.reset" {
                blocks[name]?.byHub = nil
            }
            touch(name)
        case "reliability.paused":
            let driver = event.driver.map { "driver:" + $0 }
            guard let name = driver ?? event.passenger.map({ "passenger:" + $0 }) else {
                report(.log, "reliability.paused names nobody")
                return true
            }
            blocks[name, default: Block()].byHub = event.until
        case "reliability.warned", "notify.sent": break
        default: return false
        }
        return true
    }

    private mutating func touch(_ name: String) {
        let driver = "driver:"
        if name.hasPrefix(driver) { touched.insert(String(name.dropFirst(driver.count))) }
    }

    /// A taxi that was reserved before comes.
    mutating func checkMayAsk(_ passenger: String, _ event: LoggedEvent) {
        guard event.reservation == nil, blocks["passenger:" + passenger]?.holds(at: event.timeMs) == true else {
            return
        }
        report(.blocked, "passenger \(passenger) is blocked, and requests ride \(event.ride ?? "")")
    }

    /// At the end of a step.
    mutating func checkMayWait(_ name: String, in zone: String?, at nowMs: Int64) {
        guard let zone, blocks["driver:" + name]?.holds(at: nowMs) == true else { return }
        report(.blocked, "driver \(name) is blocked, and stands in the queue of zone \(zone)")
    }
}
