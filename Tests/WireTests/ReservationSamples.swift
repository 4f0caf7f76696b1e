import Wire

extension RoundTripTests {
    static let reservationSamples: [Command] = [
        .reservations(
            .make(
                Reservation(
                    pickup: Place(lat: 45.5, lon: 9.2), destination: Place(lat: -90, lon: 180), at: 0, passengers: 1))),
        .reservations(
            .make(
                Reservation(
                    pickup: Place(lat: 0, lon: 0), destination: Place(lat: 0.1, lon: -0.2), at: 1_795_224_600_000,
                    passengers: 1_000_000, needs: ["wheelchair", "child_seat"], payment: .digital))),
        .reservations(.list), .reservations(.cancel(reservation: "v_1")),
    ]
}

extension SeededGenerator {
    mutating func reservationCommand() -> Command {
        switch Int.random(in: 0..<3, using: &self) {
        case 0:
            return .reservations(
                .make(
                    Reservation(
                        pickup: place(), destination: place(),
                        at: .random(in: 0...WireLimits.largestInteger, using: &self),
                        passengers: .random(in: 1...1000, using: &self),
                        needs: optional { _ in ["wheelchair", "dogs"] }, payment: optional { _ in .cash })))
        case 1: return .reservations(.list)
        default: return .reservations(.cancel(reservation: identifier()))
        }
    }
}
