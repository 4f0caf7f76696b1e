import Testing
import Wire

@testable import Replay

/// What a passenger does and is told (R1, R5, R6, R9–R12, C34).
@Suite struct PassengerMachineTests {
    func passenger(_ odds: Odds = .smooth) throws -> Stage<PassengerMachine> {
        let wish = RideWish(
            offsetMs: 0, subject: "p", pickup: point(45, 9), destination: point(45.01, 9), passengers: 2)
        var stage = Stage(PassengerMachine(wish: wish, bornHubMs: 1_000_000, odds: odds, keyPrefix: "k", seed: 1))
        try stage.connect()
        try stage.grant(wish.request, ["ride": "r", "zone": "1", "state": "searching"])
        return stage
    }

    @Test func aWholeRide() throws {
        var stage = try passenger()
        #expect(stage.machine.state == .searching)
        stage.event("ride.searching", ["ride": "r"])
        stage.event("ride.accepted", ["ride": "r", "taxi": "T1"])
        stage.event("ride.near", ["ride": "r"])
        stage.event("ride.arrived", ["ride": "r"])
        stage.event("ride.aboard", ["ride": "r"])
        #expect(stage.machine.outcome == nil)
        stage.event("ride.ended", ["ride": "r"])
        #expect(stage.machine.outcome == .ended && stage.machine.isSettled)
        #expect(stage.notes.filter { $0 == .alert(metres: 500) || $0 == .alert(metres: 20) }.count == 2)
    }

    @Test(
        arguments: [
            ("ride.failed", ["ride": "r", "code": "no_driver"], .failed(code: "no_driver")),
            ("ride.cancelled", ["ride": "r", "by": "driver", "reason": "noshow"], .noShow),
            ("ride.cancelled", ["ride": "r", "by": "passenger", "reason": "passenger"], .cancelled),
        ] as [(String, JSONValue, RideOutcome)])
    func otherEnds(_ type: String, _ data: JSONValue, _ outcome: RideOutcome) throws {
        var stage = try passenger()
        stage.event(type, data)
        #expect(stage.machine.outcome == outcome)
        // A late second end changes nothing.
        stage.event("ride.ended", ["ride": "r"])
        #expect(stage.machine.outcome == outcome)
    }

    @Test func changingItsMindIsAskedOnceAndEndsByTheEvent() throws {
        var odds = Odds.smooth
        odds.cancel = 1
        var stage = try passenger(odds)
        stage.wake(afterHubMs: odds.cancelAfterMs.upperBound)
        let cancel = try stage.take(.rideCancel(ride: "r"))
        #expect(!stage.machine.isSettled)
        stage.event("ride.cancelled", ["ride": "r", "by": "passenger", "reason": "passenger"])
        #expect(!stage.machine.isSettled, "the command has no answer yet")
        stage.hear(.reply(id: cancel.id!, ok: ["ride": "r", "state": "cancelled"]))
        #expect(stage.machine.isSettled && stage.machine.outcome == .cancelled)
    }

    @Test func aCancelThatComesTooLateLeavesTheRideAsItIs() throws {
        var odds = Odds.smooth
        odds.cancel = 1
        var stage = try passenger(odds)
        stage.event("ride.accepted", ["ride": "r", "taxi": "T1"])
        stage.wake(afterHubMs: odds.cancelAfterMs.upperBound)
        try stage.refuse(.rideCancel(ride: "r"), .notAvailable)
        #expect(stage.machine.outcome == nil)
        stage.event("ride.aboard", ["ride": "r"])
        stage.event("ride.ended", ["ride": "r"])
        #expect(stage.machine.outcome == .ended)
    }

    @Test func aRideThatWasGivenBackIsSearchedAgain() throws {
        var stage = try passenger()
        stage.event("ride.accepted", ["ride": "r", "taxi": "T1"])
        stage.event("ride.searching", ["ride": "r", "round": 1, "reason": "driver_cancelled"])
        #expect(stage.machine.state == .searching)
    }
}
