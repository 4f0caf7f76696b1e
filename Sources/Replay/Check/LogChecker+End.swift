// The state in Redis when all is quiet, by itself (I1–I4) and against what the log tells.
extension LogChecker {
    /// `mustBeOver`: every ride of the log has had time to end.
    mutating func finish(_ end: HubSnapshot, mustBeOver: Bool) {
        settle()
        checkQueues(end)
        checkRides(end)
        for (name, ride) in rides.sorted(by: { $0.key < $1.key }) where mustBeOver && !ride.isFromBefore {
            if ride.outcome == nil {
                add([Violation(rule: .outcome, message: "ride \(name) has no outcome: it is \(ride.phase)")])
            }
        }
    }

    private mutating func checkQueues(_ end: HubSnapshot) {
        var places: [String: [String]] = [:]
        for (zone, members) in end.queues {
            for name in members.keys { places[name, default: []].append(zone) }
        }
        var found: [Violation] = []
        for (name, vehicle) in end.vehicles {
            let zones = places[name, default: []].sorted()
            if vehicle.state == "available", zones.count != 1 {
                found.append(
                    Violation(
                        rule: .queueMembership,
                        message: "driver \(name) is available and stands in \(zones.count) queues \(zones)"))
            } else if vehicle.state != "available", !zones.isEmpty {
                found.append(
                    Violation(
                        rule: .queueMembership,
                        message: "driver \(name) is \(vehicle.state) and stands in the queues \(zones)"))
            } else if let zone = zones.first, vehicle.zone != zone {
                found.append(
                    Violation(
                        rule: .state,
                        message:
                            "driver \(name) stands in the queue of zone \(zone); its record says \(vehicle.zone ?? "none")"
                    ))
            }
        }
        for (name, zones) in places where end.vehicles[name] == nil {
            found.append(
                Violation(rule: .queueMembership, message: "\(name) stands in the queues \(zones), but is no vehicle"))
        }
        for zone in Set(end.free.keys).union(end.queues.keys) {
            let free = end.queues[zone, default: [:]].filter { name, _ in
                end.vehicles[name].map { !$0.isAway && $0.offer == nil } ?? false
            }
            guard free != end.free[zone, default: [:]] else { continue }
            let names = free.keys.sorted()
            let held = end.free[zone, default: [:]].keys.sorted()
            found.append(
                Violation(rule: .state, message: "in zone \(zone) those can be asked: \(names); held are \(held)"))
        }
        for zone in Set(queues.keys).union(end.queues.keys).sorted() {
            let (logged, held) = (queues[zone, default: [:]], end.queues[zone, default: [:]])
            guard logged != held else { continue }
            let order = { (queue: [String: Double]) in
                queue.sorted { $0.value < $1.value }.map { "\($0.key)@\($0.value)" }
            }
            found.append(
                Violation(
                    rule: .state, message: "the queue of zone \(zone) is \(order(held)), by the log \(order(logged))"))
        }
        add(found.sorted { $0.message < $1.message })
    }

    private mutating func checkRides(_ end: HubSnapshot) {
        var found: [Violation] = []
        var ridesOf: [String: [String]] = [:]
        var openOf: [String: [String]] = [:]
        for (name, ride) in end.rides where ride.isOpen {
            openOf[ride.passenger, default: []].append(name)
            if let driver = ride.driver { ridesOf[driver, default: []].append(name) }
            if ride.state == "accepted" || ride.state == "aboard", ride.driver == nil {
                found.append(
                    Violation(rule: .oneDriverPerRide, message: "ride \(name) is \(ride.state) and has no driver"))
            }
        }
        for (driver, mine) in ridesOf where mine.count > 1 {
            found.append(Violation(rule: .oneDriverPerRide, message: "driver \(driver) has the rides \(mine.sorted())"))
        }
        for (passenger, mine) in openOf {
            if mine.count > 1 {
                found.append(
                    Violation(
                        rule: .oneRequestPerPassenger,
                        message: "passenger \(passenger) has the open rides \(mine.sorted())"))
            } else if end.passengers[passenger] != mine[0] {
                found.append(
                    Violation(
                        rule: .state,
                        message:
                            "ride \(mine[0]) of passenger \(passenger) is open; its record says \(end.passengers[passenger] ?? "none")"
                    ))
            }
        }
        for (passenger, ride) in end.passengers where end.rides[ride]?.isOpen != true {
            found.append(
                Violation(rule: .state, message: "passenger \(passenger) has the ride \(ride), which is not open"))
        }
        for (name, vehicle) in end.vehicles {
            let mine = ridesOf[name, default: []]
            if (vehicle.state == "busy") != (mine.count == 1) || vehicle.ride != mine.first {
                found.append(
                    Violation(
                        rule: .busyWithOneRide,
                        message:
                            "driver \(name) is \(vehicle.state) with ride \(vehicle.ride ?? "none"); the rides that name it: \(mine.sorted())"
                    ))
            }
        }
        for (name, ride) in rides.sorted(by: { $0.key < $1.key }) {
            let held = end.rides[name]
            let isOpen = held?.isOpen == true
            if isOpen != (ride.phase != .over) || (isOpen && held?.driver != ride.driver) {
                found.append(
                    Violation(
                        rule: .state,
                        message:
                            "ride \(name) is \(held?.state ?? "gone") with driver \(held?.driver ?? "none"), by the log \(ride.phase) with \(ride.driver ?? "none")"
                    ))
            }
        }
        add(found.sorted { $0.message < $1.message })
    }
}
