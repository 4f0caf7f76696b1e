import Domain
import Testing
import Wire

@testable import Replay

/// What a driver does (R3–R12, C24, C30–C33), against a hub that is played.
@Suite struct DriverMachineTests {
    /// A vehicle that stands still and is free, with a fix every 30 s.
    func driver(_ behaviour: BehaviourModel = .smooth, occupied: [Bool] = [false, false, false]) -> MachineHarness<
        DriverMachine
    > {
        let fixes = occupied.enumerated().map { index, on in
            TraceFix(timeMs: Int64(index) * 30_000 + 1, place: point(45, 9), occupied: on)
        }
        let last = TraceFix(timeMs: 600_000, place: point(45, 9), occupied: false)
        let scenario = TaxiScenario.Driver(
            subject: "T1", script: .recorded(RecordedScript(fixes: fixes + [last], limits: .init())))
        var harness = MachineHarness(DriverMachine(driver: scenario, behaviour: behaviour, keyPrefix: "k", seed: 1))
        harness.machine.begin(harness.now)
        return harness
    }

    func waiting(_ behaviour: BehaviourModel = .smooth) throws -> MachineHarness<DriverMachine> {
        var harness = driver(behaviour)
        try harness.connect()
        harness.wake(afterHubMs: 1)
        try harness.grant(.rides(.driverAvailable), ["state": "available"])
        harness.event("queue.joined", ["zone": "1", "rank": 1, "size": 1, "reason": "available"])
        return harness
    }

    let pickup: JSONValue = ["lat": 45.001, "lon": 9]
    var assigned: JSONValue {
        ["ride": "r", "pickup": pickup, "passengers": 1, "destination": ["lat": 45.003, "lon": 9]]
    }

    func onTheWay(_ behaviour: BehaviourModel = .smooth) throws -> MachineHarness<DriverMachine> {
        var harness = try waiting(behaviour)
        harness.event("offer.made", ["ride": "r", "expires_in_ms": 10_000])
        try harness.grant(.rides(.offerSeen(ride: "r")), ["ride": "r"])
        harness.wake(afterHubMs: behaviour.answerMs.upperBound)
        harness.event("ride.assigned", assigned)
        try harness.grant(.rides(.offerAccept(ride: "r")), assigned)
        return harness
    }

    @Test func goesAvailableOnlyAfterItsFirstFix() throws {
        var harness = driver()
        try harness.connect()
        #expect(try harness.sent().isEmpty)
        harness.wake(afterHubMs: 1)
        #expect(harness.notes.contains(.fix(isInterpolated: false)))
        _ = try harness.take(.rides(.driverAvailable))
    }

    @Test func aMeterThatTurnsOnMakesItUnavailable() throws {
        var harness = driver(occupied: [false, true, false])
        try harness.connect()
        harness.wake(afterHubMs: 1)
        try harness.grant(.rides(.driverAvailable), ["state": "available"])
        harness.event("queue.joined", ["zone": "1", "rank": 1, "size": 1, "reason": "available"])
        harness.wake(afterHubMs: 30_000)
        try harness.grant(.rides(.driverUnavailable), ["state": "unavailable"])
        harness.event("queue.left", ["zone": "1", "reason": "unavailable"])
        harness.wake(afterHubMs: 30_000)
        _ = try harness.take(.rides(.driverAvailable))
    }

    @Test func aWholeRide() throws {
        var harness = try onTheWay()
        #expect(harness.machine.trip?.stage == .toPickup)
        // 111 m at 8–12 m/s: there within 14 s.
        harness.wake(afterHubMs: 7_000)
        harness.wake(afterHubMs: 7_000)
        #expect(harness.machine.here == point(45.001, 9))
        #expect(harness.notes.contains(.fix(isInterpolated: true)))
        #expect(try harness.sent().isEmpty)
        harness.event("ride.confirm_aboard", ["ride": "r"])
        harness.wake(afterHubMs: BehaviourModel().boardingMs.upperBound)
        try harness.grant(.rides(.rideAboard(ride: "r", passengers: nil)), ["ride": "r"])
        #expect(harness.machine.trip?.stage == .aboard)
        harness.wake(afterHubMs: 28_000)
        try harness.grant(.rides(.rideEnd(ride: "r")), ["ride": "r", "state": "available"])
        harness.event("queue.joined", ["zone": "1", "rank": 3, "size": 3, "reason": "ended"])
        #expect(harness.machine.isIdle && harness.machine.isQueued)
        #expect(harness.machine.here == point(45.003, 9))
    }

    @Test func withoutTheQuestionItTakesThePassengerAsAboardAfterAWhile() throws {
        var harness = try onTheWay()
        harness.wake(afterHubMs: 14_000)
        harness.wake(afterHubMs: BehaviourModel().patienceMs - 1)
        #expect(try harness.sent().isEmpty)
        harness.wake(afterHubMs: 1)
        _ = try harness.take(.rides(.rideAboard(ride: "r", passengers: nil)))
    }

    @Test func theOddsDecideTheAnswer() throws {
        var declining = BehaviourModel.smooth
        (declining.accept, declining.decline) = (0, 1)
        var harness = try waiting(declining)
        harness.event("offer.made", ["ride": "r", "expires_in_ms": 10_000])
        try harness.grant(.rides(.offerSeen(ride: "r")), ["ride": "r"])
        harness.wake(afterHubMs: declining.answerMs.upperBound)
        try harness.grant(.rides(.offerDecline(ride: "r")), ["ride": "r"])
        #expect(harness.machine.isIdle && harness.machine.isQueued)

        var silent = BehaviourModel.smooth
        (silent.accept, silent.decline) = (0, 0)
        harness = try waiting(silent)
        harness.event("offer.made", ["ride": "r", "expires_in_ms": 10_000])
        try harness.grant(.rides(.offerSeen(ride: "r")), ["ride": "r"])
        harness.wake(afterHubMs: 9_000)
        #expect(try harness.sent().isEmpty)
        harness.event("offer.withdrawn", ["ride": "r", "reason": "expired"])
        #expect(harness.machine.isIdle && harness.machine.isQueued)
    }

    @Test func anAcceptanceIsRepeatedUntilItsAnswerIsDefinite() throws {
        var harness = try waiting()
        harness.event("offer.made", ["ride": "r", "expires_in_ms": 10_000])
        try harness.grant(.rides(.offerSeen(ride: "r")), ["ride": "r"])
        harness.wake(afterHubMs: 6_000)
        let first = try harness.take(.rides(.offerAccept(ride: "r")))
        harness.machine.closed(code: 1006, reason: "", harness.now, &harness.out)
        harness.wake(afterHubMs: 200)
        _ = harness.actions()
        harness.machine.opened(token: nil, harness.now, &harness.out)
        try harness.greet()
        // The offer went on meanwhile; the answer says so.
        let again = try harness.take(.rides(.offerAccept(ride: "r")))
        #expect(again.key == first.key)
        harness.event("offer.withdrawn", ["ride": "r", "reason": "expired"])
        #expect(!harness.machine.isIdle)
        harness.hear(.error(id: again.id, code: .offerExpired, detail: "", retry: false))
        #expect(harness.machine.isIdle && harness.machine.trip == nil)
    }

    @Test func aPassengerThatCancelsSetsItFree() throws {
        var harness = try onTheWay()
        harness.event("ride.cancelled", ["ride": "r", "by": "passenger", "reason": "passenger"])
        harness.event("queue.joined", ["zone": "1", "rank": 1, "size": 1, "reason": "restored"])
        #expect(harness.machine.isIdle && harness.machine.isQueued)
    }

    @Test func aNoShowIsSaid() throws {
        var behaviour = BehaviourModel.smooth
        behaviour.noShow = 1
        var harness = try onTheWay(behaviour)
        harness.wake(afterHubMs: 14_000)
        harness.wake(afterHubMs: behaviour.patienceMs)
        try harness.grant(.rides(.rideNoshow(ride: "r")), ["ride": "r", "state": "available"])
        #expect(harness.machine.isIdle)
    }

    @Test func aRideGivenBackIsNoLongerDriven() throws {
        var behaviour = BehaviourModel.smooth
        behaviour.giveBack = 1
        var harness = try onTheWay(behaviour)
        harness.wake(afterHubMs: 14_000)
        try harness.grant(.rides(.rideCancel(ride: "r")), ["ride": "r", "state": "cancelled"])
        #expect(harness.machine.trip == nil)
    }

    @Test func aSnapshotAfterAGapIsAdopted() throws {
        var harness = try waiting()
        harness.hear(.gap(ch: "driver:T1"))
        harness.hear(
            .snapshot(
                ch: "driver:T1", time: 0,
                data: [
                    "state": "busy",
                    "ride": ["ride": "r9", "state": "aboard", "pickup": pickup, "passengers": 1, "notified": 20],
                ]))
        #expect(harness.machine.trip?.ride == "r9" && harness.machine.trip?.stage == .aboard)
        harness.hear(
            .snapshot(ch: "driver:T1", time: 0, data: ["state": "available", "zone": "1", "rank": 2, "size": 2]))
        #expect(harness.machine.trip == nil && harness.machine.isQueued)
    }

    @Test func aCutLinkComesBackAndResumes() throws {
        var behaviour = BehaviourModel.smooth
        behaviour.dropsPerMinute = 60
        var harness = driver(behaviour)
        try harness.connect()
        harness.wake(afterHubMs: 60_000)
        #expect(harness.actions().contains(.abort))
        #expect(harness.notes.contains(.linkCut))
        harness.wake(afterHubMs: behaviour.dropMs.upperBound)
        #expect(harness.actions() == [.connect])
    }

    @Test func whenTheRunIsOverItLeavesItsQueue() throws {
        var harness = try waiting()
        harness.machine.signOff(harness.now, &harness.out)
        try harness.grant(.rides(.driverUnavailable), ["state": "unavailable"])
        harness.event("queue.left", ["zone": "1", "reason": "unavailable"])
        harness.machine.leave(&harness.out)
        #expect(harness.actions() == [.close(code: 1000)])
        #expect(harness.machine.session.receipts.hasLeft)
    }

    @Test func whileAnAnswerIsAwaitedNothingIsDueAtOnce() throws {
        var harness = try onTheWay()
        harness.wake(afterHubMs: 14_000)
        harness.wake(afterHubMs: BehaviourModel().patienceMs)
        _ = try harness.take(.rides(.rideAboard(ride: "r", passengers: nil)))
        harness.wake(afterHubMs: 3_000)
        #expect(harness.machine.dueMs(harness.now) > harness.now.realMs)
    }

    @Test func aDriverThatTheHubThinksBusyAsksForTheStateAnew() throws {
        var harness = driver()
        try harness.connect()
        harness.wake(afterHubMs: 1)
        try harness.refuse(.rides(.driverAvailable), .notAvailable)
        #expect(harness.actions() == [.abort])
        harness.wake()
        #expect(harness.actions() == [.connect])
        harness.machine.opened(token: nil, harness.now, &harness.out)
        #expect(try harness.greet().isEmpty, "no history is asked for")
        harness.hear(
            .snapshot(
                ch: "driver:T1", time: 0,
                data: [
                    "state": "busy",
                    "ride": ["ride": "r", "state": "accepted", "pickup": pickup, "passengers": 1, "notified": 0],
                ]))
        #expect(harness.machine.trip?.ride == "r")
        #expect(harness.machine.session.receipts.stretches.count == 2)
    }
}
