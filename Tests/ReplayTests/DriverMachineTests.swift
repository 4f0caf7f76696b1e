import Domain
import Testing
import Wire

@testable import Replay

/// What a driver does (R3–R12, C24, C30–C33), against a hub that is played.
@Suite struct DriverMachineTests {
    /// A vehicle that stands still and is free, with a fix every 30 s.
    func driver(_ odds: Odds = .smooth, occupied: [Bool] = [false, false, false]) -> Stage<DriverMachine> {
        let fixes = occupied.enumerated().map { index, on in
            TraceFix(timeMs: Int64(index) * 30_000 + 1, place: point(45, 9), occupied: on)
        }
        let last = TraceFix(timeMs: 600_000, place: point(45, 9), occupied: false)
        let world = World.Driver(
            subject: "T1", script: .recorded(RecordedScript(fixes: fixes + [last], limits: .init())))
        var stage = Stage(DriverMachine(driver: world, odds: odds, keyPrefix: "k", seed: 1))
        stage.machine.begin(stage.now)
        return stage
    }

    func waiting(_ odds: Odds = .smooth) throws -> Stage<DriverMachine> {
        var stage = driver(odds)
        try stage.connect()
        stage.wake(afterHubMs: 1)
        try stage.grant(.driverAvailable, ["state": "available"])
        stage.event("queue.joined", ["zone": "1", "rank": 1, "size": 1, "reason": "available"])
        return stage
    }

    let pickup: JSONValue = ["lat": 45.001, "lon": 9]
    var assigned: JSONValue {
        ["ride": "r", "pickup": pickup, "passengers": 1, "destination": ["lat": 45.003, "lon": 9]]
    }

    func onTheWay(_ odds: Odds = .smooth) throws -> Stage<DriverMachine> {
        var stage = try waiting(odds)
        stage.event("offer.made", ["ride": "r", "expires_in_ms": 10_000])
        try stage.grant(.offerSeen(ride: "r"), ["ride": "r"])
        stage.wake(afterHubMs: odds.answerMs.upperBound)
        stage.event("ride.assigned", assigned)
        try stage.grant(.offerAccept(ride: "r"), assigned)
        return stage
    }

    @Test func goesAvailableOnlyAfterItsFirstFix() throws {
        var stage = driver()
        try stage.connect()
        #expect(try stage.sent().isEmpty)
        stage.wake(afterHubMs: 1)
        #expect(stage.notes.contains(.fix(isInterpolated: false)))
        _ = try stage.take(.driverAvailable)
    }

    @Test func aMeterThatTurnsOnMakesItUnavailable() throws {
        var stage = driver(occupied: [false, true, false])
        try stage.connect()
        stage.wake(afterHubMs: 1)
        try stage.grant(.driverAvailable, ["state": "available"])
        stage.event("queue.joined", ["zone": "1", "rank": 1, "size": 1, "reason": "available"])
        stage.wake(afterHubMs: 30_000)
        try stage.grant(.driverUnavailable, ["state": "unavailable"])
        stage.event("queue.left", ["zone": "1", "reason": "unavailable"])
        stage.wake(afterHubMs: 30_000)
        _ = try stage.take(.driverAvailable)
    }

    @Test func aWholeRide() throws {
        var stage = try onTheWay()
        #expect(stage.machine.trip?.stage == .toPickup)
        // 111 m at 8–12 m/s: there within 14 s.
        stage.wake(afterHubMs: 7_000)
        stage.wake(afterHubMs: 7_000)
        #expect(stage.machine.here == point(45.001, 9))
        #expect(stage.notes.contains(.fix(isInterpolated: true)))
        #expect(try stage.sent().isEmpty)
        stage.event("ride.confirm_aboard", ["ride": "r"])
        stage.wake(afterHubMs: Odds().boardingMs.upperBound)
        try stage.grant(.rideAboard(ride: "r", passengers: nil), ["ride": "r"])
        #expect(stage.machine.trip?.stage == .aboard)
        stage.wake(afterHubMs: 28_000)
        try stage.grant(.rideEnd(ride: "r"), ["ride": "r", "state": "available"])
        stage.event("queue.joined", ["zone": "1", "rank": 3, "size": 3, "reason": "ended"])
        #expect(stage.machine.isIdle && stage.machine.isQueued)
        #expect(stage.machine.here == point(45.003, 9))
    }

    @Test func withoutTheQuestionItTakesThePassengerAsAboardAfterAWhile() throws {
        var stage = try onTheWay()
        stage.wake(afterHubMs: 14_000)
        stage.wake(afterHubMs: Odds().patienceMs - 1)
        #expect(try stage.sent().isEmpty)
        stage.wake(afterHubMs: 1)
        _ = try stage.take(.rideAboard(ride: "r", passengers: nil))
    }

    @Test func theOddsDecideTheAnswer() throws {
        var declining = Odds.smooth
        (declining.accept, declining.decline) = (0, 1)
        var stage = try waiting(declining)
        stage.event("offer.made", ["ride": "r", "expires_in_ms": 10_000])
        try stage.grant(.offerSeen(ride: "r"), ["ride": "r"])
        stage.wake(afterHubMs: declining.answerMs.upperBound)
        try stage.grant(.offerDecline(ride: "r"), ["ride": "r"])
        #expect(stage.machine.isIdle && stage.machine.isQueued)

        var silent = Odds.smooth
        (silent.accept, silent.decline) = (0, 0)
        stage = try waiting(silent)
        stage.event("offer.made", ["ride": "r", "expires_in_ms": 10_000])
        try stage.grant(.offerSeen(ride: "r"), ["ride": "r"])
        stage.wake(afterHubMs: 9_000)
        #expect(try stage.sent().isEmpty)
        stage.event("offer.withdrawn", ["ride": "r", "reason": "expired"])
        #expect(stage.machine.isIdle && stage.machine.isQueued)
    }

    @Test func anAcceptanceIsRepeatedUntilItsAnswerIsDefinite() throws {
        var stage = try waiting()
        stage.event("offer.made", ["ride": "r", "expires_in_ms": 10_000])
        try stage.grant(.offerSeen(ride: "r"), ["ride": "r"])
        stage.wake(afterHubMs: 6_000)
        let first = try stage.take(.offerAccept(ride: "r"))
        stage.machine.closed(code: 1006, reason: "", stage.now, &stage.out)
        stage.wake(afterHubMs: 200)
        _ = stage.actions()
        stage.machine.opened(token: nil, stage.now, &stage.out)
        try stage.greet()
        // The offer went on meanwhile; the answer says so.
        let again = try stage.take(.offerAccept(ride: "r"))
        #expect(again.key == first.key)
        stage.event("offer.withdrawn", ["ride": "r", "reason": "expired"])
        #expect(!stage.machine.isIdle)
        stage.hear(.error(id: again.id, code: .offerExpired, detail: "", retry: false))
        #expect(stage.machine.isIdle && stage.machine.trip == nil)
    }

    @Test func aPassengerThatCancelsSetsItFree() throws {
        var stage = try onTheWay()
        stage.event("ride.cancelled", ["ride": "r", "by": "passenger", "reason": "passenger"])
        stage.event("queue.joined", ["zone": "1", "rank": 1, "size": 1, "reason": "restored"])
        #expect(stage.machine.isIdle && stage.machine.isQueued)
    }

    @Test func aNoShowIsSaid() throws {
        var odds = Odds.smooth
        odds.noShow = 1
        var stage = try onTheWay(odds)
        stage.wake(afterHubMs: 14_000)
        stage.wake(afterHubMs: odds.patienceMs)
        try stage.grant(.rideNoshow(ride: "r"), ["ride": "r", "state": "available"])
        #expect(stage.machine.isIdle)
    }

    @Test func aRideGivenBackIsNoLongerDriven() throws {
        var odds = Odds.smooth
        odds.giveBack = 1
        var stage = try onTheWay(odds)
        stage.wake(afterHubMs: 14_000)
        try stage.grant(.rideCancel(ride: "r"), ["ride": "r", "state": "cancelled"])
        #expect(stage.machine.trip == nil)
    }

    @Test func aSnapshotAfterAGapIsAdopted() throws {
        var stage = try waiting()
        stage.hear(.gap(ch: "driver:T1"))
        stage.hear(
            .snapshot(
                ch: "driver:T1", time: 0,
                data: [
                    "state": "busy",
                    "ride": ["ride": "r9", "state": "aboard", "pickup": pickup, "passengers": 1, "notified": 20],
                ]))
        #expect(stage.machine.trip?.ride == "r9" && stage.machine.trip?.stage == .aboard)
        stage.hear(
            .snapshot(ch: "driver:T1", time: 0, data: ["state": "available", "zone": "1", "rank": 2, "size": 2]))
        #expect(stage.machine.trip == nil && stage.machine.isQueued)
    }

    @Test func aCutLinkComesBackAndResumes() throws {
        var odds = Odds.smooth
        odds.dropsPerMinute = 60
        var stage = driver(odds)
        try stage.connect()
        stage.wake(afterHubMs: 60_000)
        #expect(stage.actions().contains(.abort))
        #expect(stage.notes.contains(.linkCut))
        stage.wake(afterHubMs: odds.dropMs.upperBound)
        #expect(stage.actions() == [.connect])
    }

    @Test func whenTheRunIsOverItLeavesItsQueue() throws {
        var stage = try waiting()
        stage.machine.signOff(stage.now, &stage.out)
        try stage.grant(.driverUnavailable, ["state": "unavailable"])
        stage.event("queue.left", ["zone": "1", "reason": "unavailable"])
        stage.machine.leave(&stage.out)
        #expect(stage.actions() == [.close(code: 1000)])
        #expect(stage.machine.session.receipts.hasLeft)
    }

    @Test func whileAnAnswerIsAwaitedNothingIsDueAtOnce() throws {
        var stage = try onTheWay()
        stage.wake(afterHubMs: 14_000)
        stage.wake(afterHubMs: Odds().patienceMs)
        _ = try stage.take(.rideAboard(ride: "r", passengers: nil))
        stage.wake(afterHubMs: 3_000)
        #expect(stage.machine.dueMs(stage.now) > stage.now.realMs)
    }

    @Test func aDriverThatTheHubThinksBusyAsksForTheStateAnew() throws {
        var stage = driver()
        try stage.connect()
        stage.wake(afterHubMs: 1)
        try stage.refuse(.driverAvailable, .notAvailable)
        #expect(stage.actions() == [.abort])
        stage.wake()
        #expect(stage.actions() == [.connect])
        stage.machine.opened(token: nil, stage.now, &stage.out)
        #expect(try stage.greet().isEmpty, "no history is asked for")
        stage.hear(
            .snapshot(
                ch: "driver:T1", time: 0,
                data: [
                    "state": "busy",
                    "ride": ["ride": "r", "state": "accepted", "pickup": pickup, "passengers": 1, "notified": 0],
                ]))
        #expect(stage.machine.trip?.ride == "r")
        #expect(stage.machine.session.receipts.stretches.count == 2)
    }
}
