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
        .trips(
            .estimate(
                FareQuestion(
                    pickup: Place(lat: 0, lon: 0), destination: Place(lat: 1, lon: 1), passengers: 2, isReserved: true,
                    vehicle: "M7"))),
        .trips(.report(trip: "r_1", state: .paid, reference: nil)),
        .trips(.report(trip: "r_1", state: .refunded, reference: "pay_7Hq2")),
        .trips(.receipt(trip: "r_1")), .trips(.rate(trip: "r_1", stars: 1, comment: nil)),
        .trips(.rate(trip: "r_1", stars: 5, comment: "Kind.\nOn time.")), .trips(.ratings(nil)),
        .trips(.rate(trip: "b_1", stars: 2, comment: nil, routeStars: 5)),
        .trips(.ratings(TripPerson(role: .driver, subject: "T345"))),
        .trips(.list(from: nil, limit: TripCommand.entries, nil)),
        .trips(.list(from: "r_2", limit: 100, TripPerson(role: .passenger, subject: "p7"))),
        .seats(
            .seatBook(
                SeatRequest(
                    vehicle: "M7", pickup: Place(lat: 45.5, lon: 9.1), destination: Place(lat: 45.6, lon: 9.2),
                    passengers: 1, payment: .digital))),
        .seats(
            .seatRequest(
                pickup: Place(lat: 4, lon: 9), destination: Place(lat: 5, lon: 9), passengers: 1, payment: .cash)),
        .seats(.seatEnd(booking: "b.2", payment: .cash)), .rides(.rideEnd(ride: nil, payment: .digital)),
        .rides(.rideRequest(lat: 0, lon: 0, passengers: 1, destination: nil, payment: .digital)),
        .records(.list(RecordQuestion(of: .tours))), .office(.cancel(.reservation("v_1"), reason: "x")),
    ]

    @Test("what looks like the number of a card is one, whatever parts its digits")
    func cardNumbers() {
        for text in ["4111111111111111", "4111-1111-1111-1111", "pay_4111.1111.1111.1111_x", "378282246310005"] {
            #expect(CardNumber.isIn(text), "\(text)")
        }
        for text in ["4111111111111112", "pay_7Hq2", "411111111111", "2026-000123"] {
            #expect(!CardNumber.isIn(text), "\(text)")
        }
    }

    @Test("M10: a number of a card is found among other digits, and with letters between its groups")
    func hiddenCardNumbers() {
        for text in [
            "4111111111111111-0826", "1-4111-1111-1111-1111", "4111111111111111-1", "00004111111111111111",
            "41111111x11111111", "visa4111a1111b1111c1111", "exp0826-4111111111111111-123", "1-30569309025904-1",
            "7-378282246310005", "5555555555554444.12", "3566002020360505_9", "2-6011111111111117",
        ] {
            #expect(CardNumber.isIn(text), "\(text)")
        }
        for text in [
            "2027112613040001-0002", "pi_3MtwBwLkdIwHu7ix28a3tqPa", "550e8400-e29b-41d4-a716-446655440000",
            "411a111b111c111d111e1", "1-4111-1111-1111-1112", "",
        ] {
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
        case "records.list":
            return .records(
                .list(
                    RecordQuestion(
                        of: RecordQuestion.Kind.allCases.randomElement(using: &self) ?? .rides,
                        driver: optional { $0.identifier() }, passenger: optional { $0.identifier() },
                        zone: optional { $0.visible(upTo: 64) }, line: optional { $0.identifier() },
                        startTime: optional { .random(in: 0...32_503_680_000_000, using: &$0) },
                        endTime: optional { .random(in: 0...32_503_680_000_000, using: &$0) },
                        from: optional { $0.identifier() }, limit: .random(in: 1...100, using: &self))))
        case "ride.share": return .rides(.rideShare(ride: optional { $0.identifier() }))
        case "ride.unshare": return .rides(.rideUnshare(ride: optional { $0.identifier() }))
        case "fare.estimate":
            return .trips(
                .estimate(
                    FareQuestion(
                        pickup: place(), destination: place(), passengers: .random(in: 1...1000, using: &self),
                        at: optional { .random(in: 0...32_503_680_000_000, using: &$0) },
                        isReserved: .random(using: &self), vehicle: optional { $0.identifier() })))
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
                    comment: optional { $0.visible(upTo: 500) },
                    routeStars: optional { .random(in: 1...5, using: &$0) }))
        case "ratings.get": return .trips(.ratings(person))
        case "trips.list":
            return .trips(
                .list(from: optional { $0.identifier() }, limit: .random(in: 1...100, using: &self), person))
        default: preconditionFailure("no \(name) is made here")
        }
    }
}
