import Testing

@testable import Replay

/// The checker finds what it is there to find (I1–I4, R2–R7, C11, C21–C24, C28), and nothing in a clean log.
@Suite struct LogCheckerTests {
    /// Two drivers wait in zone 1.
    static let queue = """
        queue.joined d=A z=1 at=1 why=available

        queue.joined d=B z=1 at=2 why=available


        """

    static let requested = """
        ride.requested r=r1 p=p1 z=1
        offer.made r=r1 d=A z=1 round=1


        """

    static let accepted = """
        queue.left d=A z=1 why=accepted
        ride.accepted r=r1 d=A p=p1


        """

    @Test func aCleanLogIsClean() {
        let found = violations(
            in: Self.queue + Self.requested + """
                offer.seen r=r1 d=A

                offer.declined r=r1 d=A
                queue.bottom d=A z=1 at=3 why=declined
                offer.made r=r1 d=B z=1 round=1

                offer.undelivered r=r1 d=B
                driver.away d=B
                ride.searching r=r1 round=2 why=next_round
                offer.made r=r1 d=A z=1 round=2

                queue.left d=A z=1 why=accepted
                ride.accepted r=r1 d=A p=p1

                ride.near r=r1 d=A
                ride.arrived r=r1 d=A

                ride.aboard r=r1 d=A

                ride.ended r=r1 d=A p=p1
                queue.joined d=A z=2 at=4 why=ended

                driver.back d=B

                queue.left d=B z=1 why=moved
                queue.joined d=B z=2 at=5 why=moved

                queue.left d=B z=2 why=connection_lost

                queue.joined d=B z=2 at=5 why=recovered

                """)
        #expect(found == [])
    }

    @Test func cancelsGiveThePlaceBack() {
        let found = violations(
            in: Self.queue + Self.requested + Self.accepted + """
                ride.cancelled r=r1 d=A p=p1 by=passenger
                queue.joined d=A z=1 at=1 why=restored
                """)
        #expect(found == [])
    }

    /// The hub keeps a place for half an hour, or as long as it is set.
    @Test(arguments: [
        (1_800_000, "3", "1900000", true), (1_800_000, "3", "1000000", false), (1_800_000, "1.5", "1900000", false),
        (60_000, "3", "1000000", true), (60_000, "1", "1000000", true), (3_600_000, "3", "1900000", false),
    ])
    func afterLongOnTheWayTheBottomIsTheDriversPlace(
        _ recoveryMs: Int64, _ score: String, _ ms: String, _ isRight: Bool
    ) {
        var start = HubSnapshot()
        start.recoveryMs = recoveryMs
        let found = violations(
            in: Self.queue + Self.requested + Self.accepted + """
                ride.cancelled r=r1 d=A p=p1 by=passenger ms=\(ms)
                queue.joined d=A z=1 at=\(score) why=restored ms=\(ms)
                """, from: start)
        #expect(found.map(\.rule) == (isRight ? [] : [.rank]))
    }

    @Test func aRideGivenBackIsSearchedAgain() {
        let found = violations(
            in: Self.queue + Self.requested + Self.accepted + """
                ride.searching r=r1 d=A round=1 why=driver_cancelled
                queue.joined d=A z=1 at=3 why=gave_back
                offer.made r=r1 d=B z=1 round=1

                queue.left d=B z=1 why=accepted
                ride.accepted r=r1 d=B p=p1

                ride.near r=r1 d=B
                """)
        #expect(found == [])
    }

    @Test(
        arguments: [
            ("in two queues", .queueMembership, "queue.joined d=A z=2 at=9 why=available"),
            ("leaves where it is not", .queueMembership, "queue.left d=A z=2 why=unavailable"),
            ("bottom of a queue it is not in", .queueMembership, "queue.bottom d=C z=1 at=9 why=declined"),
            ("accepts and stays in its queue", .queueMembership, requested + "ride.accepted r=r1 d=A p=p1"),
            (
                "joins while it serves a ride", .queueMembership,
                requested + accepted + "queue.joined d=A z=1 at=9 why=available"
            ),
            (
                "two drivers accept", .oneDriverPerRide,
                requested + accepted + "queue.left d=B z=1 why=accepted\nride.accepted r=r1 d=B p=p1"
            ),
            (
                "a driver accepts two rides", .oneDriverPerRide,
                requested + accepted
                    + "ride.requested r=r2 p=p2 z=1\noffer.made r=r2 d=B z=1 round=1\nride.accepted r=r2 d=A p=p2"
            ),
            (
                "another driver ends the ride", .oneDriverPerRide,
                requested + accepted + "ride.aboard r=r1 d=A\n\nride.ended r=r1 d=B"
            ),
            ("another driver takes it aboard", .oneDriverPerRide, requested + accepted + "ride.aboard r=r1 d=B"),
            ("a passenger requests twice", .oneRequestPerPassenger, requested + "ride.requested r=r2 p=p1 z=1"),
            (
                "the second of the queue is asked", .queueOrder,
                "ride.requested r=r1 p=p1 z=1\noffer.made r=r1 d=B z=1 round=1"
            ),
            (
                "a driver of another zone is asked", .queueOrder,
                "ride.requested r=r1 p=p1 z=2\noffer.made r=r1 d=A z=2 round=1"
            ),
            ("one who is away is asked", .queueOrder, "driver.away d=A\n\n" + requested),
            (
                "the same is asked twice in a round", .queueOrder,
                requested + "offer.undelivered r=r1 d=A\noffer.made r=r1 d=A z=1 round=1"
            ),
            (
                "a later request is served first", .requestOrder,
                "ride.requested r=r1 p=p1 z=1\n\nride.requested r=r2 p=p2 z=1\noffer.made r=r2 d=A z=1 round=1"
            ),
            ("comes in before those who wait", .rank, "queue.joined d=C z=1 at=1.5 why=available"),
            (
                "goes down to where others are behind", .rank,
                "queue.joined d=C z=1 at=5 why=moved\n\nqueue.bottom d=A z=1 at=4 why=declined"
            ),
            (
                "gets a better place back than it had", .rank,
                "queue.left d=B z=1 why=stale\n\nqueue.joined d=B z=1 at=0.5 why=recovered"
            ),
            (
                "gets a place back that it gave up", .rank,
                "queue.left d=A z=1 why=unavailable\n\nqueue.joined d=A z=1 at=1 why=restored"
            ),
            ("two open offers of one ride", .offer, requested + "offer.made r=r1 d=B z=1 round=1"),
            (
                "two open offers of one driver", .offer,
                requested + "ride.requested r=r2 p=p2 z=1\noffer.made r=r2 d=A z=1 round=1"
            ),
            (
                "an offer ends twice", .offer,
                requested + "offer.declined r=r1 d=A\nqueue.bottom d=A z=1 at=3 why=x\n\noffer.expired r=r1 d=A"
            ),
            ("seen by another", .offer, requested + "offer.seen r=r1 d=B"),
            ("offered in another round", .offer, "ride.requested r=r1 p=p1 z=1\noffer.made r=r1 d=A z=1 round=2"),
            (
                "accepted after it had expired", .acceptance,
                requested + "offer.expired r=r1 d=A\nqueue.bottom d=A z=1 at=3 why=expired\n\n" + accepted
            ),
            ("given back by nobody", .acceptance, requested + "ride.searching r=r1 round=1 why=driver_cancelled"),
            (
                "fails twice", .outcome,
                requested + "offer.withdrawn r=r1 d=A\nride.failed r=r1 code=timeout\n\nride.failed r=r1 code=timeout"
            ),
            ("ends without having been aboard", .outcome, requested + accepted + "ride.ended r=r1 d=A"),
            ("fails while it is under way", .outcome, requested + accepted + "ride.failed r=r1 code=timeout"),
            (
                "goes on after its end", .outcome,
                requested + accepted + "ride.cancelled r=r1 d=A p=p1 by=passenger\n\nride.aboard r=r1 d=A"
            ),
            ("skips a round", .outcome, "ride.requested r=r1 p=p1 z=1\nride.searching r=r1 round=3 why=next_round"),
            ("the alert comes twice", .alert, requested + accepted + "ride.near r=r1 d=A\n\nride.near r=r1 d=A"),
            (
                "the ladder goes back", .alert,
                requested + accepted + "ride.near r=r1 d=A\nride.arrived r=r1 d=A\n\nride.near r=r1 d=A"
            ),
            ("the alert is another driver's", .alert, requested + accepted + "ride.near r=r1 d=B"),
            ("a ride that was never requested", .log, "ride.aboard r=r7 d=A"),
            ("an event that nobody knows", .log, "ride.vanished r=r1"),
        ] as [(String, Violation.Rule, String)])
    func aBrokenRuleIsFound(_ what: String, _ rule: Violation.Rule, _ text: String) {
        let found = violations(in: Self.queue + text)
        #expect(found.map(\.rule).contains(rule), "\(what): \(found)")
    }

    @Test func everyRuleOfTheLogIsCovered() {
        let found = checked(Self.queue + "queue.joined d=A z=2 at=9 why=available\n\nqueue.left d=C z=1 why=x")
        #expect(found.violations.count == 2)
        #expect(
            found.context(of: found.violations[0]).map(\.type) == [
                "queue.joined", "queue.joined", "queue.joined", "queue.left",
            ])
    }

    @Test func whatWasBeforeTheLogIsKnown() {
        var start = HubSnapshot()
        start.queues = ["1": ["A": 1, "B": 2]]
        start.vehicles = [
            "A": .init(state: "available", zone: "1"), "B": .init(state: "available", zone: "1", isAway: true),
            "C": .init(state: "busy", ride: "r0"),
        ]
        start.rides = [
            "r0": .init(state: "accepted", passenger: "p0", zone: "1", driver: "C"),
            "r1": .init(state: "searching", passenger: "p1", zone: "1", round: 2, order: 7, asked: ["A"]),
        ]
        let found = violations(
            in: """
                driver.back d=B
                offer.made r=r1 d=B z=1 round=2

                ride.near r=r0 d=C

                ride.aboard r=r0 d=C

                ride.ended r=r0 d=C
                queue.joined d=C z=1 at=3 why=ended
                """, from: start)
        #expect(found == [])
        #expect(violations(in: "offer.made r=r1 d=A z=1 round=2", from: start).map(\.rule) == [.queueOrder])
        // A past from before the log excuses only the first place that is given back.
        let backTwice = "queue.left d=B z=1 why=unavailable\n\nqueue.joined d=B z=1 at=2 why=recovered"
        #expect(violations(in: backTwice, from: start).map(\.rule) == [.rank])
        let cancelled = "ride.cancelled r=r0 d=C p=p0 by=passenger\nqueue.joined d=C z=1 at=0.5 why=restored"
        #expect(violations(in: cancelled, from: start) == [])
    }
}
