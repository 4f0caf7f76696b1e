import ClientSupport
import Testing
import Wire

@testable import Replay

/// The protocol's side of a client: correctness 32, 40, 54; contract 5.2, 5.3.
@Suite struct ClientSessionTests {
    var harness: MachineHarness<PassengerMachine>

    init() {
        let plan = PlannedRide(
            offsetMs: 0, subject: "p", pickup: point(45, 9), destination: point(45.01, 9), passengers: 2)
        harness = MachineHarness(
            PassengerMachine(plan: plan, bornHubMs: 0, behaviour: .smooth, keyPrefix: "k", seed: 1))
    }

    var request: Command { harness.machine.plan.request(nowMs: 1_000_000) }

    @Test func aCommandWithoutAnswerIsSentAgainWithItsKey() throws {
        var harness = harness
        try harness.connect()
        let first = try harness.take(request)
        harness.wake(afterHubMs: ClientSession.answerLimitMs - 1)
        #expect(try harness.sent().isEmpty)
        harness.wake(afterHubMs: 1)
        let second = try harness.take(request)
        #expect(second.key == first.key && second.id != first.id)
        // The answer to the first sending counts as well, and ends it.
        harness.hear(.reply(id: first.id!, ok: ["ride": "r", "zone": "1", "state": "searching"]))
        #expect(harness.machine.ride == "r")
        #expect(!harness.machine.session.hasPending)
        harness.wake(afterHubMs: 60_000)
        #expect(try harness.sent().isEmpty)
    }

    @Test(arguments: [ErrorCode.unavailable, .rateLimited])
    func aRefusalForNowIsTriedAgain(_ code: ErrorCode) throws {
        var harness = harness
        try harness.connect()
        let first = try harness.take(request)
        harness.hear(.error(id: first.id, code: code, detail: "", retry: true))
        #expect(harness.machine.state == .asking)
        harness.wake(afterHubMs: 2000)
        #expect(try harness.take(request).key == first.key)
    }

    @Test func aDefiniteRefusalIsTheOutcome() throws {
        var harness = harness
        try harness.connect()
        try harness.refuse(request, .zoneEmpty)
        #expect(harness.machine.outcome == .refused(code: .zoneEmpty))
        #expect(harness.machine.isSettled)
    }

    @Test func ofACommandThatWasSentTwiceTheLastRefusalCountsAndAnyGrant() throws {
        var harness = harness
        try harness.connect()
        let first = try harness.take(request)
        harness.wake(afterHubMs: ClientSession.answerLimitMs)
        let second = try harness.take(request)
        harness.hear(.error(id: first.id, code: .zoneEmpty, detail: "", retry: true))
        #expect(harness.machine.state == .asking, "the second one may be granted")
        harness.hear(.reply(id: second.id!, ok: ["ride": "r", "zone": "1", "state": "searching"]))
        #expect(harness.machine.ride == "r")
        #expect(!harness.machine.session.hasPending)
    }

    @Test func afterACutEverythingOpenIsSentAgainAndTheChannelResumed() throws {
        var harness = harness
        try harness.connect()
        let first = try harness.take(request)
        harness.event("ride.searching", ["ride": "r", "zone": "1", "round": 1, "reason": "requested"])
        harness.machine.closed(code: 1006, reason: "", harness.now, &harness.out)
        #expect(!harness.machine.session.isLive)
        harness.wake(afterHubMs: 200)
        #expect(harness.actions() == [.connect])
        harness.machine.opened(token: nil, harness.now, &harness.out)
        #expect(try harness.greet() == ["1000-1"])
        #expect(try harness.take(request).key == first.key)
    }

    @Test func anEventThatComesTwiceIsRecordedAndNotPlayedAgain() throws {
        var harness = harness
        try harness.connect()
        harness.event("ride.searching", ["ride": "r"])
        let twice = ServerMessage.event(
            ch: "passenger:p", seq: "1000-9", type: "ride.accepted", time: 0, data: ["ride": "r", "taxi": "T"])
        harness.hear(twice)
        harness.hear(twice)
        #expect(harness.machine.session.receipts.doubles.map(\.seq) == ["1000-9"])
        #expect(harness.notes.count { $0 == .acceptTold(ride: "r") } == 1)
    }

    @Test func afterAGapANewStretchBeginsWhereTheHelloSaid() throws {
        var harness = harness
        try harness.connect()
        harness.event("ride.searching", ["ride": "r"])
        harness.machine.closed(code: 1006, reason: "", harness.now, &harness.out)
        harness.wake(afterHubMs: 200)
        _ = harness.actions()
        harness.machine.opened(token: nil, harness.now, &harness.out)
        let hello = try #require(try harness.sent().first)
        harness.hear(.reply(id: hello.id!, ok: ["time": 0, "seq": ["passenger:p": "2000-7"]]))
        harness.hear(.gap(ch: "passenger:p"))
        harness.hear(.snapshot(ch: "passenger:p", time: 0, data: ["ride": nil]))
        #expect(harness.machine.outcome == .lost)
        #expect(harness.machine.session.receipts.stretches.map(\.after) == ["1000-0", "2000-7"])
        #expect(harness.machine.session.receipts.last == "2000-7")
    }

    @Test func closeCodesDecideWhetherAndWhenToComeBack() {
        var random = SeededRandom(seed: 3)
        #expect(Backoff.rule(code: 4403, failures: 1, random: &random) == .never)
        #expect(Backoff.rule(code: 1009, failures: 1, random: &random) == .never)
        func wait(_ code: UInt16, _ failures: Int) -> Int64 {
            if case .after(let ms) = Backoff.rule(code: code, failures: failures, random: &random) { ms } else { -1 }
        }
        #expect((10_000...12_000).contains(wait(4429, 1)))
        #expect((100...200).contains(wait(1006, 1)))
        #expect((1500...3000).contains(wait(1006, 50)))
        #expect((50...3000).contains(wait(1012, 1)))
        #expect((100...200).contains(wait(4410, 1)))
    }

    @Test func aLinkThatNeverGreetsIsGivenUp() throws {
        var harness = harness
        harness.wake()
        #expect(harness.actions() == [.connect])
        harness.wake(afterHubMs: ClientSession.greetingLimitMs)
        #expect(harness.actions() == [.abort])
        harness.wake(afterHubMs: 3000)
        #expect(harness.actions() == [.connect])
    }

    @Test func `a link on which nothing comes is asked, then given up and resumed`() throws {
        var harness = harness
        try harness.connect()
        try harness.grant(request, ["ride": "r", "zone": "1", "state": "searching"])
        harness.isLinkSilent = true
        harness.wake(afterHubMs: ClientSession.silenceLimitMs - 1)
        #expect(harness.actions().isEmpty)
        harness.wake(afterHubMs: 1)
        #expect(harness.actions() == [.ping])
        // The answer, or anything else, is a sign of life.
        harness.pass(hubMs: ClientSession.silenceLimitMs - 1)
        harness.machine.session.heard(harness.now)
        harness.wake(afterHubMs: 1)
        #expect(harness.actions().isEmpty)
        // However late it is looked at: it is asked before it is given up.
        harness.wake(afterHubMs: 10 * ClientSession.silenceLimitMs)
        #expect(harness.actions() == [.ping])
        harness.wake(afterHubMs: ClientSession.silenceLimitMs)
        #expect(harness.actions() == [.abort])
        harness.wake(afterHubMs: 3000)
        #expect(harness.actions() == [.connect])
        harness.machine.opened(token: "t", harness.now, &harness.out)
        #expect(try harness.greet() == ["1000-0"])
    }

    @Test func hubTimeIsReckonedFromTheHello() {
        var clock = HubClock(speed: 60)
        clock.heard(hubMs: 1_000_000, atRealMs: 10)
        #expect(clock.hubMs(atRealMs: 20) == 1_000_600)
        // A reading that was long under way is older than what is known already.
        clock.heard(hubMs: 1_000_500, atRealMs: 20)
        #expect(clock.hubMs(atRealMs: 20) == 1_000_600)
        clock.heard(hubMs: 1_000_700, atRealMs: 20)
        #expect(clock.hubMs(atRealMs: 20) == 1_000_700)
        #expect(clock.moment(atRealMs: 20).real(atHub: 1_006_700) == 120)
        // A clock set anew is believed.
        clock.heard(hubMs: 5, atRealMs: 30)
        #expect(clock.hubMs(atRealMs: 31) == 65)
    }
}
