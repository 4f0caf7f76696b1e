import ClientSupport
import Testing
import Wire

@testable import Replay

/// The protocol's side of a client: correctness 32, 40, 54; contract 5.2, 5.3.
@Suite struct SessionTests {
    var stage: Stage<PassengerMachine>

    init() {
        let wish = RideWish(
            offsetMs: 0, subject: "p", pickup: point(45, 9), destination: point(45.01, 9), passengers: 2)
        stage = Stage(PassengerMachine(wish: wish, bornHubMs: 0, odds: .smooth, keyPrefix: "k", seed: 1))
    }

    var request: Command { stage.machine.wish.request }

    @Test func aCommandWithoutAnswerIsSentAgainWithItsKey() throws {
        var stage = stage
        try stage.connect()
        let first = try stage.take(request)
        stage.wake(afterHubMs: Session.answerLimitMs - 1)
        #expect(try stage.sent().isEmpty)
        stage.wake(afterHubMs: 1)
        let second = try stage.take(request)
        #expect(second.key == first.key && second.id != first.id)
        // The answer to the first sending counts as well, and ends it.
        stage.hear(.reply(id: first.id!, ok: ["ride": "r", "zone": "1", "state": "searching"]))
        #expect(stage.machine.ride == "r")
        #expect(!stage.machine.session.hasPending)
        stage.wake(afterHubMs: 60_000)
        #expect(try stage.sent().isEmpty)
    }

    @Test(arguments: [ErrorCode.unavailable, .rateLimited])
    func aRefusalForNowIsTriedAgain(_ code: ErrorCode) throws {
        var stage = stage
        try stage.connect()
        let first = try stage.take(request)
        stage.hear(.error(id: first.id, code: code, detail: "", retry: true))
        #expect(stage.machine.state == .asking)
        stage.wake(afterHubMs: 2000)
        #expect(try stage.take(request).key == first.key)
    }

    @Test func aDefiniteRefusalIsTheOutcome() throws {
        var stage = stage
        try stage.connect()
        try stage.refuse(request, .zoneEmpty)
        #expect(stage.machine.outcome == .refused(code: .zoneEmpty))
        #expect(stage.machine.isSettled)
    }

    @Test func ofACommandThatWasSentTwiceTheLastRefusalCountsAndAnyGrant() throws {
        var stage = stage
        try stage.connect()
        let first = try stage.take(request)
        stage.wake(afterHubMs: Session.answerLimitMs)
        let second = try stage.take(request)
        stage.hear(.error(id: first.id, code: .zoneEmpty, detail: "", retry: true))
        #expect(stage.machine.state == .asking, "the second one may be granted")
        stage.hear(.reply(id: second.id!, ok: ["ride": "r", "zone": "1", "state": "searching"]))
        #expect(stage.machine.ride == "r")
        #expect(!stage.machine.session.hasPending)
    }

    @Test func afterACutEverythingOpenIsSentAgainAndTheChannelResumed() throws {
        var stage = stage
        try stage.connect()
        let first = try stage.take(request)
        stage.event("ride.searching", ["ride": "r", "zone": "1", "round": 1, "reason": "requested"])
        stage.machine.closed(code: 1006, reason: "", stage.now, &stage.out)
        #expect(!stage.machine.session.isLive)
        stage.wake(afterHubMs: 200)
        #expect(stage.actions() == [.connect])
        stage.machine.opened(token: nil, stage.now, &stage.out)
        #expect(try stage.greet() == ["1000-1"])
        #expect(try stage.take(request).key == first.key)
    }

    @Test func anEventThatComesTwiceIsRecordedAndNotPlayedAgain() throws {
        var stage = stage
        try stage.connect()
        stage.event("ride.searching", ["ride": "r"])
        let twice = ServerMessage.event(
            ch: "passenger:p", seq: "1000-9", type: "ride.accepted", time: 0, data: ["ride": "r", "taxi": "T"])
        stage.hear(twice)
        stage.hear(twice)
        #expect(stage.machine.session.receipts.doubles.map(\.seq) == ["1000-9"])
        #expect(stage.notes.count { $0 == .acceptTold(ride: "r") } == 1)
    }

    @Test func afterAGapANewStretchBeginsWhereTheHelloSaid() throws {
        var stage = stage
        try stage.connect()
        stage.event("ride.searching", ["ride": "r"])
        stage.machine.closed(code: 1006, reason: "", stage.now, &stage.out)
        stage.wake(afterHubMs: 200)
        _ = stage.actions()
        stage.machine.opened(token: nil, stage.now, &stage.out)
        let hello = try #require(try stage.sent().first)
        stage.hear(.reply(id: hello.id!, ok: ["time": 0, "seq": ["passenger:p": "2000-7"]]))
        stage.hear(.gap(ch: "passenger:p"))
        stage.hear(.snapshot(ch: "passenger:p", time: 0, data: ["ride": nil]))
        #expect(stage.machine.outcome == .lost)
        #expect(stage.machine.session.receipts.stretches.map(\.after) == ["1000-0", "2000-7"])
        #expect(stage.machine.session.receipts.last == "2000-7")
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
        var stage = stage
        stage.wake()
        #expect(stage.actions() == [.connect])
        stage.wake(afterHubMs: Session.greetingLimitMs)
        #expect(stage.actions() == [.abort])
        stage.wake(afterHubMs: 3000)
        #expect(stage.actions() == [.connect])
    }

    @Test func `a link on which nothing comes is asked, then given up and resumed`() throws {
        var stage = stage
        try stage.connect()
        try stage.grant(request, ["ride": "r", "zone": "1", "state": "searching"])
        stage.isLinkSilent = true
        stage.wake(afterHubMs: Session.silenceLimitMs - 1)
        #expect(stage.actions().isEmpty)
        stage.wake(afterHubMs: 1)
        #expect(stage.actions() == [.ping])
        // The answer, or anything else, is a sign of life.
        stage.pass(hubMs: Session.silenceLimitMs - 1)
        stage.machine.session.heard(stage.now)
        stage.wake(afterHubMs: 1)
        #expect(stage.actions().isEmpty)
        // However late it is looked at: it is asked before it is given up.
        stage.wake(afterHubMs: 10 * Session.silenceLimitMs)
        #expect(stage.actions() == [.ping])
        stage.wake(afterHubMs: Session.silenceLimitMs)
        #expect(stage.actions() == [.abort])
        stage.wake(afterHubMs: 3000)
        #expect(stage.actions() == [.connect])
        stage.machine.opened(token: "t", stage.now, &stage.out)
        #expect(try stage.greet() == ["1000-0"])
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
