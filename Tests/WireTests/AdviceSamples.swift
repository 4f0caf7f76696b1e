import Wire

extension RoundTripTests {
    static let adviceSamples: [Command] = [
        .advice(.get), .reliability(.get), .reliability(.of(.driver, subject: "T345")),
        .reliability(.reset(.passenger, subject: "p7", reason: "A mistake.")),
    ]
}

extension SeededGenerator {
    mutating func adviceCommand() -> Command {
        let person = ReliabilityCommand.Person.allCases.randomElement(using: &self) ?? .driver
        switch Int.random(in: 0..<4, using: &self) {
        case 0: return .reliability(.get)
        case 1: return .advice(.get)
        case 2: return .reliability(.of(person, subject: identifier()))
        default: return .reliability(.reset(person, subject: identifier(), reason: "Why."))
        }
    }
}
