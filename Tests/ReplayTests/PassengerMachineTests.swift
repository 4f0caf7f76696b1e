import Testing
import Wire

@testable import Replay

/// What a passenger does and is told (R1, R5, R6, R9–R12, C34).
@Suite struct PassengerMachineTests {
    func passenger(_ behaviour: BehaviourModel = .smooth) throws -> MachineHarness<PassengerMachine> {
        let plan = PlannedRide(
            offsetMs: 0, subject: "p", pickup: point(45, 9), destination: point(45.01, 9), passengers: 2)
        var harness = MachineHarness(
            PassengerMachine(plan: plan, bornHubMs: 1_000_000, behaviour: behaviour, keyPrefix: "k", seed: 1))
        try harness.connect()
        try harness.grant(plan.request(nowMs: 1_000_000), ["ride": "r", "zone": "1", "state": "searching"])
        return harness
    }

    /// One that meets its taxi in two hours.
    func reserved() throws -> MachineHarness<PassengerMachine> {
        let plan = PlannedRide(
            offsetMs: 7_200_000, subject: "p", pickup: point(45, 9), destination: point(45.01, 9), passengers: 2,
            aheadMs: 7_200_000)
        var harness = MachineHarness(
            PassengerMachine(plan: plan, bornHubMs: 1_000_000, behaviour: .smooth, keyPrefix: "k", seed: 1))
        try harness.connect()
        try harness.grant(plan.request(nowMs: 1_000_000), ["reservation": "v", "state": "open"])
        return harness
    }

    @Test("V1: a reservation becomes a ride")
    func reservation() throws {
        var harness = try reserved()
        #expect(harness.machine.state == .reserved)
        harness.event("reservation.made", ["reservation": "v"])
        harness.event("ride.searching", ["ride": "v", "reason": "requested"])
        #expect(harness.machine.state == .searching && harness.machine.ride == "v")
        harness.event("ride.accepted", ["ride": "v", "taxi": "T1"])
        harness.event("reservation.assigned", ["reservation": "v", "ride": "v", "taxi": "T1"])
        harness.event("ride.arrived", ["ride": "v"])
        harness.event("ride.ended", ["ride": "v"])
        #expect(harness.machine.outcome == .ended && harness.machine.isSettled)
        let notes = harness.notes.compactMap { if case .reservation(let note) = $0 { note } else { nil } }
        #expect(notes.count == 3 && notes[0] == .made)
    }

    @Test("V3: nobody was found, or it is taken back in time")
    func endsOfReservations() throws {
        var harness = try reserved()
        harness.event("reservation.failed", ["reservation": "v", "code": "timeout"])
        #expect(harness.machine.outcome == .failed(code: "timeout"))
        harness = try reserved()
        harness.machine.cancel(harness.now, &harness.out)
        _ = try harness.take(.reservations(.cancel(reservation: "v")))
        harness.event("reservation.cancelled", ["reservation": "v", "by": "passenger"])
        #expect(harness.machine.outcome == .cancelled)
    }

    @Test func aWholeRide() throws {
        var harness = try passenger()
        #expect(harness.machine.state == .searching)
        harness.event("ride.searching", ["ride": "r"])
        harness.event("ride.accepted", ["ride": "r", "taxi": "T1"])
        harness.event("ride.near", ["ride": "r"])
        harness.event("ride.arrived", ["ride": "r"])
        harness.event("ride.aboard", ["ride": "r"])
        #expect(harness.machine.outcome == nil)
        harness.event("ride.ended", ["ride": "r"])
        #expect(harness.machine.outcome == .ended && harness.machine.isSettled)
        #expect(harness.notes.filter { $0 == .alert(metres: 500) || $0 == .alert(metres: 20) }.count == 2)
    }

    @Test(
        arguments: [
            ("ride.failed", ["ride": "r", "code": "no_driver"], .failed(code: "no_driver")),
            ("ride.cancelled", ["ride": "r", "by": "driver", "reason": "noshow"], .noShow),
            ("ride.cancelled", ["ride": "r", "by": "passenger", "reason": "passenger"], .cancelled),
        ] as [(String, JSONValue, RideOutcome)])
    func otherEnds(_ type: String, _ data: JSONValue, _ outcome: RideOutcome) throws {
        var harness = try passenger()
        harness.event(type, data)
        #expect(harness.machine.outcome == outcome)
        // A late second end changes nothing.
        harness.event("ride.ended", ["ride": "r"])
        #expect(harness.machine.outcome == outcome)
    }

    @Test func changingItsMindIsAskedOnceAndEndsByTheEvent() throws {
        var behaviour = BehaviourModel.smooth
        behaviour.cancel = 1
        var harness = try passenger(behaviour)
        harness.wake(afterHubMs: behaviour.cancelAfterMs.upperBound)
        let cancel = try harness.take(.rides(.rideCancel(ride: "r")))
        #expect(!harness.machine.isSettled)
        harness.event("ride.cancelled", ["ride": "r", "by": "passenger", "reason": "passenger"])
        #expect(!harness.machine.isSettled, "the command has no answer yet")
        harness.hear(.reply(id: cancel.id!, ok: ["ride": "r", "state": "cancelled"]))
        #expect(harness.machine.isSettled && harness.machine.outcome == .cancelled)
    }

    @Test func aCancelThatComesTooLateLeavesTheRideAsItIs() throws {
        var behaviour = BehaviourModel.smooth
        behaviour.cancel = 1
        var harness = try passenger(behaviour)
        harness.event("ride.accepted", ["ride": "r", "taxi": "T1"])
        harness.wake(afterHubMs: behaviour.cancelAfterMs.upperBound)
        try harness.refuse(.rides(.rideCancel(ride: "r")), .notAvailable)
        #expect(harness.machine.outcome == nil)
        harness.event("ride.aboard", ["ride": "r"])
        harness.event("ride.ended", ["ride": "r"])
        #expect(harness.machine.outcome == .ended)
    }

    @Test func aRideThatWasGivenBackIsSearchedAgain() throws {
        var harness = try passenger()
        harness.event("ride.accepted", ["ride": "r", "taxi": "T1"])
        harness.event("ride.searching", ["ride": "r", "round": 1, "reason": "driver_cancelled"])
        #expect(harness.machine.state == .searching)
    }
}
