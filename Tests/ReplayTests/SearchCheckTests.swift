import Testing

@testable import Replay

/// The checker knows what a ride needs, drivers of zones around, passengers who wait, and reservations.
@Suite struct SearchCheckTests {
    private static let queue = """
        queue.joined d=A z=1 at=1 why=available

        queue.joined d=B z=1 at=2 why=available

        queue.joined d=C z=2 at=3 why=available


        """

    private static let reserved =
        queue + """
            reservation.made v=v1 p=p1 z=1

            ride.requested r=r1 p=p1 z=1
            offer.made r=r1 d=A z=1 round=1
            reservation.searching v=v1 r=r1 p=p1 z=1

            queue.left d=A z=1 why=accepted
            ride.accepted r=r1 d=A p=p1
            reservation.assigned v=v1 r=r1 d=A p=p1 z=1


            """

    @Test("C26: who lacks what a ride needs may be passed over, and must not be asked")
    func needs() {
        let records = """
            vehicle.registered car=B has=wheelchair

            driver.registered d=A has=dogs


            """
        let asked = "ride.requested r=r1 p=p1 z=1 needs=wheelchair\noffer.made r=r1 d="
        #expect(violations(in: records + Self.queue + asked + "B z=1 round=1") == [])
        let found = violations(in: records + Self.queue + asked + "A z=1 round=1")
        #expect(found.map(\.rule) == [.queueOrder])
    }

    @Test("R14: a driver of another zone is asked only when nobody of the ride's own can be")
    func neighbours() {
        let request = "ride.requested r=r1 p=p1 z=3\noffer.made r=r1 d=C z=3 round=1 why=neighbour"
        #expect(violations(in: Self.queue + request) == [])
        let early = "ride.requested r=r1 p=p1 z=1\noffer.made r=r1 d=C z=1 round=1 why=neighbour"
        #expect(violations(in: Self.queue + early).map(\.rule) == [.queueOrder])
    }

    @Test("R14: who waits may be asked for again after a while, and only then")
    func waiting() {
        let declined = """
            ride.requested r=r1 p=p1 z=2
            offer.made r=r1 d=C z=2 round=1

            offer.declined r=r1 d=C
            queue.bottom d=C z=2 at=4 why=declined
            ride.searching r=r1 z=2 round=1 why=waiting


            """
        let again = "ride.searching r=r1 z=2 round=1 why=asked_again\n"
        #expect(violations(in: Self.queue + declined + again + "offer.made r=r1 d=C z=2 round=1") == [])
        #expect(violations(in: Self.queue + declined + "offer.made r=r1 d=C z=2 round=1").map(\.rule) == [.queueOrder])
    }

    @Test("V3: who got no taxi is counted by whether one waited near")
    func score() {
        let made = "reservation.made v=v2 p=p2 z=3"
        let failed = "\n\nreservation.failed v=v2 p=p2 z=3 code=timeout"
        func score(_ neighbours: [String: Set<String>]) -> ReservationScore {
            var checker = LogChecker(neighbours: neighbours)
            for event in log(Self.reserved + made + failed) { checker.take(event) }
            return checker.reservationScore
        }
        #expect(score([:]) == ReservationScore(assigned: 1, failedNear: 0, failedAlone: 1))
        #expect(score(["3": ["2"]]) == ReservationScore(assigned: 1, failedNear: 1, failedAlone: 0))
        #expect(score(["3": ["2"]]).share == 0.5)
    }

    @Test(
        "V3: of many reservations 95 in a hundred get a taxi if one is near",
        arguments: [(190, 10, true), (189, 11, false), (18, 2, true)])
    func enough(assigned: Int, failed: Int, isClean: Bool) {
        let score = ReservationScore(assigned: assigned, failedNear: failed, failedAlone: 40)
        #expect(score.violations.isEmpty == isClean)
    }

    @Test("I5: a reservation with its one ride is clean")
    func reservation() {
        #expect(violations(in: Self.reserved) == [])
    }

    @Test(
        "I5: what a reservation must not do is found",
        arguments: [
            "reservation.made v=v1 p=p1 z=1",
            "reservation.searching v=v1 r=r1 p=p1 z=1",
            "reservation.assigned v=v1 r=r1 d=B p=p1 z=1",
            "reservation.cancelled v=v1 p=p2 z=1",
            "reservation.cancelled v=v2 p=p1 z=1",
            "reservation.cancelled v=v1 p=p1 z=1\n\nreservation.failed v=v1 p=p1 z=1",
            "reservation.made v=v2 p=p1 z=1\n\nreservation.searching v=v2 r=r1 p=p1 z=1",
            "reservation.made v=v2 p=p2 z=1\n\nreservation.searching v=v2 r=r1 p=p2 z=1",
        ])
    func broken(_ more: String) {
        #expect(violations(in: Self.reserved + more).contains { $0.rule == .reservation })
    }
}
