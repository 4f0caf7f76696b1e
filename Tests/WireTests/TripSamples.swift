import Testing
import Wire

extension RoundTripTests {
    static let tripSamples: [Command] = [
        .trips(
            .estimate(
                FareQuestion(pickup: Place(lat: 45.5, lon: 9.2), destination: Place(lat: -90, lon: 180), passengers: 1))
        ),
        .trips(
            .estimate(
                FareQuestion(
                    pickup: Place(lat: 0, lon: 0), destination: Place(lat: 1, lon: 1), passengers: 3,
                    at: 1_795_224_600_000)
            )),
        .trips(.report(trip: "r_1", state: .paid, reference: nil)),
        .trips(.report(trip: "r_1", state: .refunded, reference: "pay_7Hq2")),
        .trips(.receipt(trip: "r_1")), .trips(.rate(trip: "r_1", stars: 1, comment: nil)),
        .trips(.rate(trip: "r_1", stars: 5, comment: "Kind.\nOn time.")), .trips(.ratings(nil)),
        .trips(.ratings(TripPerson(role: .driver, subject: "T345"))),
        .trips(.list(from: nil, limit: TripCommand.entries, nil)),
        .trips(.list(from: "r_2", limit: 100, TripPerson(role: .passenger, subject: "p7"))),
        .rides(.rideEnd(ride: nil, payment: .digital)),
        .rides(.rideRequest(lat: 0, lon: 0, passengers: 1, destination: nil, payment: .digital)),
    ]

    @Test("what looks like the number of a card is one, whatever parts its digits")
    func cardNumbers() {
        for text in ["4111111111111111", "4111-1111-1111-1111", "pay_4111.1111.1111.1111_x", "378282246310005"] {
            #expect(CardNumber.isIn(text), "\(text)")
        }
        for text in ["4111111111111112", "pay_7Hq2", "411111111111", "41111111a11111111", "2026-000123"] {
            #expect(!CardNumber.isIn(text), "\(text)")
        }
    }
}

extension SeededGenerator {
    mutating func rideEnd() -> Command {
        .rides(.rideEnd(ride: optional { $0.identifier() }, payment: optional { _ in .digital }))
    }

    mutating func tripCommand(_ name: String) -> Command {
        let person = optional { random in
            TripPerson(role: Bool.random(using: &random) ? .driver : .passenger, subject: random.identifier())
        }
        switch name {
        case "fare.estimate":
            return .trips(
                .estimate(
                    FareQuestion(
                        pickup: place(), destination: place(), passengers: .random(in: 1...1000, using: &self),
                        at: optional { .random(in: 0...32_503_680_000_000, using: &$0) })))
        case "payment.report":
            return .trips(
                .report(
                    trip: identifier(), state: PaymentState.allCases.randomElement(using: &self) ?? .paid,
                    reference: optional { "a" + $0.identifier().prefix(12).filter { !$0.isNumber } }))
        case "receipt.get": return .trips(.receipt(trip: identifier()))
        case "trip.rate":
            return .trips(
                .rate(
                    trip: identifier(), stars: .random(in: 1...5, using: &self),
                    comment: optional { $0.visible(upTo: 500) }))
        case "ratings.get": return .trips(.ratings(person))
        case "trips.list":
            return .trips(
                .list(from: optional { $0.identifier() }, limit: .random(in: 1...100, using: &self), person))
        default: preconditionFailure("no \(name) is made here")
        }
    }
}
