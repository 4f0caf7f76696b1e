import Testing

@testable import Replay

/// Writes logs by hand: one line per event, `type key=value …`; a blank line begins a new step of the hub.
func log(_ text: String) -> [LoggedEvent] {
    var events: [LoggedEvent] = []
    var step = 1
    var number = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        let words = line.split(separator: " ")
        guard let type = words.first else {
            step += 1
            number = 0
            continue
        }
        var event = LoggedEvent(id: "\(step)-\(number)", type: String(type))
        event.timeMs = Int64(step)
        number += 1
        for word in words.dropFirst() {
            let pair = word.split(separator: "=").map(String.init)
            switch pair[0] {
            case "d": event.driver = pair[1]
            case "r": event.ride = pair[1]
            case "p": event.passenger = pair[1]
            case "z": event.zone = pair[1]
            case "at": event.score = Double(pair[1])
            case "why": event.reason = pair[1]
            case "round": event.round = Int(pair[1])
            case "code": event.code = pair[1]
            case "by": event.by = pair[1]
            case "t": event.tour = pair[1]
            case "bus": event.bus = pair[1]
            case "line": event.line = pair[1]
            case "q": event.request = pair[1]
            case "c": event.citizen = pair[1]
            case "taken": event.taken = Int(pair[1])
            case "seats": event.seats = Int(pair[1])
            case "b": event.booking = pair[1]
            case "n": event.passengers = Int(pair[1])
            case "ms": event.timeMs = Int64(pair[1]) ?? 0
            case "v": event.reservation = pair[1]
            case "needs": event.needs = pair[1].split(separator: "+").map(String.init)
            case "has": event.capabilities = pair[1].split(separator: "+").map(String.init)
            case "car": event.vehicle = pair[1]
            case "delta": event.delta = Int(pair[1])
            default: fatalError("unknown field \(pair[0])")
            }
        }
        events.append(event)
    }
    return events
}

/// What the checker finds in a log, without looking at a state at its end.
func violations(in text: String, from start: HubSnapshot = HubSnapshot()) -> [Violation] {
    checked(text, from: start).violations
}

func checked(_ text: String, from start: HubSnapshot = HubSnapshot()) -> LogChecker {
    var checker = LogChecker(from: start)
    for event in log(text) { checker.take(event) }
    checker.settle()
    return checker
}

extension LogChecker {
    /// One that has taken these, type and data of each: a step each, a millisecond after the other.
    static func taken(_ events: [(type: String, json: String)]) -> LogChecker {
        var checker = LogChecker()
        for (number, (type, json)) in events.enumerated() {
            guard
                let event = LoggedEvent(
                    id: "\(number + 1)-0", type: type, timeMs: Int64(number), json: Array(json.utf8))
            else {
                Issue.record("\(json) is no event")
                continue
            }
            checker.take(event)
        }
        return checker
    }
}
