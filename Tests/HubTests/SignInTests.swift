import Domain
import Testing
import Tokens
import WebSocketServer
import Wire

@testable import Hub

@Suite("Signing in")
struct SignInTests {
    @Test("B20: a network becomes so many guests and then waits, another does not")
    func networks() {
        var limits = NetworkLimits.guests(perHour: 60)
        for _ in 0..<60 { #expect(limits.take("192.0.2.1", at: 0) == nil) }
        #expect(limits.take("192.0.2.1", at: 0) == 60_000)
        #expect(limits.take("192.0.2.2", at: 0) == nil)
        #expect(limits.take("192.0.2.1", at: 60_000) == nil)
    }

    @Test("B20: all networks together become no more than are signed in passing")
    func together() {
        var limits = NetworkLimits.guests(perHour: 60)
        let made = (0..<1_000).count { limits.take("network \($0)", at: 0) == nil }
        #expect(made == 200)
    }

    @Test("C60: a guest pays from its own budget and from that of all guests of its network; others have their own")
    func shared() {
        func guest(_ subject: String) -> TokenClaims { .guest(subject, city: "example", now: 1_000, lifeS: 100) }
        #expect(Budgets.key(of: guest("guest-0a1b2c3d-one")) == "guest:guest-0a1b2c3d-one")
        #expect(Budgets.group(of: "guest:guest-0a1b2c3d-one") == "guests:guest-0a1b2c3d")
        #expect(Budgets.group(of: "guest:guest-0a1b2c3d-two") == "guests:guest-0a1b2c3d")
        #expect(Budgets.group(of: "guest:guest-0a1b2c3e-one") == "guests:guest-0a1b2c3e")
        let other = TokenClaims(
            subject: "guest-0a1b2c3d-one", role: .passenger, city: "example", issuedAt: 1_000, expiresAt: 1_100)
        #expect(Budgets.key(of: other) == "passenger:guest-0a1b2c3d-one")
        #expect(Budgets.group(of: "passenger:guest-0a1b2c3d-one") == nil)
    }

    @Test(
        "C60: one guest's budget is empty before its network's, and an empty one of the network takes nothing from it")
    func groups() {
        let group = Budget(
            key: "guests:g", bucket: TokenBucket(capacity: 20, perSecond: 10), inbound: InboundRate(perSecond: 1))
        let one = Budget(
            key: "guest:g-1", bucket: TokenBucket(capacity: 5, perSecond: 1), inbound: InboundRate(perSecond: 1),
            group: group)
        let others = (2...9).map {
            Budget(key: "guest:g-\($0)", bucket: one.bucket, inbound: InboundRate(perSecond: 1), group: group)
        }
        let taken = (0..<100).count { _ in one.take(1, at: 0) }
        let next = others[0].take(1, at: 0)
        #expect(taken == 5 && next && group.sessions == 9)
        var more = 0
        for other in others { while other.take(1, at: 0) { more += 1 } }
        // And what is kept for those who ask for little: one for each, as two are more than a quarter of their own.
        #expect(more == 19)
        let full = others[7].take(5, at: 0)
        #expect(!full && others[7].wait(for: 5, at: 0) == 1_000)
    }

    @Test("C60: a few loud guests of a network leave something for one who asks for little")
    func loudGuests() {
        let group = Budget(
            key: "guests:g", bucket: TokenBucket(capacity: 80, perSecond: 40), inbound: InboundRate(perSecond: 1))
        let own = TokenBucket(capacity: 20, perSecond: 10)
        let loud = (1...5).map {
            Budget(key: "guest:g-\($0)", bucket: own, inbound: InboundRate(perSecond: 1), group: group)
        }
        let quiet = Budget(key: "guest:g-6", bucket: own, inbound: InboundRate(perSecond: 1), group: group)
        for second in 0..<60 {
            let now = Int64(second) * 1_000
            for one in loud { while one.take(1, at: now) {} }
            let isTaken = quiet.take(1, at: now)
            #expect(isTaken, "second \(second)")
        }
    }

    @Test("An accepted invitation is answered again to the same attempt, for five minutes")
    func acceptance() {
        func repeats(_ kept: String?, at second: Int64 = 1_000, key: String = "k") -> Bool {
            Acceptance(at: second, key: key).repeats(kept.map { Array($0.utf8) })
        }
        #expect(repeats(Acceptance(at: 1_000, key: "k").text))
        #expect(repeats("1000 k", at: 1_300) && !repeats("1000 k", at: 1_301))
        #expect(repeats("1300 k") && !repeats("1301 k"))
        #expect(!repeats("1000 k", key: "other") && !repeats(nil))
        for kept in ["", "k", "1000", "1000 ", " k", "1000 k k", "x k"] { #expect(!repeats(kept), "\(kept)") }
    }

    @Test("A sign-in is renewed with its marks until it ends")
    func renewal() throws {
        let first = TokenClaims.guest("guest-1", city: "example", now: 1_000, lifeS: 100)
        let next = try #require(first.renewed(now: 1_050, lifeS: 100, sessionS: 120))
        #expect((next.issuedAt, next.expiresAt, next.beganAt) == (1_050, 1_120, 1_000))
        #expect(next.isGuest && next.subject == "guest-1")
        #expect(next.renewed(now: 1_120, lifeS: 100, sessionS: 120) == nil)
        let other = TokenClaims(subject: "P1", role: .passenger, city: "example", issuedAt: 1_000, expiresAt: 1_100)
        #expect(other.renewed(now: 1_001, lifeS: 100, sessionS: 120) == nil)
    }
}
