import Testing
import Tokens
import Wire

@testable import Hub

@Suite("Signing in")
struct SignInTests {
    @Test("B20: a network becomes so many guests and then waits, another does not")
    func networks() {
        var limits = GuestLimits(perHour: 60)
        for _ in 0..<60 { #expect(limits.take("192.0.2.1", at: 0) == nil) }
        #expect(limits.take("192.0.2.1", at: 0) == 60_000)
        #expect(limits.take("192.0.2.2", at: 0) == nil)
        #expect(limits.take("192.0.2.1", at: 60_000) == nil)
    }

    @Test("B20: all networks together become no more than are signed in passing")
    func together() {
        var limits = GuestLimits(perHour: 60)
        let made = (0..<1_000).count { limits.take("network \($0)", at: 0) == nil }
        #expect(made == 200)
    }

    @Test("C60: guests of one network share a budget, whoever of them they are; others have their own")
    func shared() {
        func guest(_ subject: String) -> TokenClaims { .guest(subject, city: "example", now: 1_000, lifeS: 100) }
        #expect(Budgets.key(of: guest("guest-0a1b2c3d-one")) == "guests:guest-0a1b2c3d")
        #expect(Budgets.key(of: guest("guest-0a1b2c3d-two")) == "guests:guest-0a1b2c3d")
        #expect(Budgets.key(of: guest("guest-0a1b2c3e-one")) == "guests:guest-0a1b2c3e")
        let other = TokenClaims(
            subject: "guest-0a1b2c3d-one", role: .passenger, city: "example", issuedAt: 1_000, expiresAt: 1_100)
        #expect(Budgets.key(of: other) == "passenger:guest-0a1b2c3d-one")
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
