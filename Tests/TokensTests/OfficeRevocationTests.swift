import Settings
import Testing
import Wire

@testable import Tokens

extension TokenVerifier {
    /// The same, but that the office has revoked these.
    func revoking(_ more: [TokenRevocation]) -> TokenVerifier {
        var new = self
        new.revoke(more, now: .min, keptS: 0)
        return new
    }
}

/// What the office has revoked, as a worker knows it.
@Suite struct OfficeRevocationTests {
    private static let secret = TokenSecret(kid: "k1", bytes: Array(0..<32))
    private static let day: Int64 = 86_400

    private static func verifier() -> TokenVerifier {
        TokenVerifier(
            keys: TokenKeys(secrets: [secret], publicKeys: []), city: "milano", tokens: Settings().tokens)
    }

    private static func isRevoked(_ subject: String, issuedAt: Int64, by verifier: TokenVerifier) throws -> Bool {
        let claims = TokenClaims(
            subject: subject, role: .driver, city: "milano", issuedAt: issuedAt, expiresAt: issuedAt + 600)
        let token = try TokenIssuer(secret: secret).issue(claims)
        do throws(TokenError) {
            _ = try verifier.verify(token, nowMs: issuedAt * 1_000)
            return false
        } catch {
            return error == .revoked
        }
    }

    private static func revoked(_ subject: String, on day: Int64) -> TokenRevocation {
        TokenRevocation(role: .driver, subject: subject, before: day * Self.day + 10)
    }

    @Test func `What was revoked long ago goes, a day later at most; what was revoked again since stays`() throws {
        var verifier = Self.verifier()
        verifier.revoke((1...3).map { Self.revoked("T\($0)", on: $0) }, now: .min, keptS: 0)
        verifier.revoke([Self.revoked("T1", on: 9)], now: .min, keptS: 0)
        verifier.revoke([], now: 99 * Self.day, keptS: 9 * Self.day)
        func known() throws -> [String] {
            try ["T1", "T2", "T3"].filter { try Self.isRevoked($0, issuedAt: Self.day, by: verifier) }
        }
        #expect(try known() == ["T1", "T2", "T3"])
        verifier.revoke([], now: 3 * Self.day - 1, keptS: 0)
        #expect(try known() == ["T1", "T2", "T3"])
        verifier.revoke([], now: 3 * Self.day, keptS: 0)
        #expect(try known() == ["T1", "T3"])
        verifier.revoke([], now: 9 * Self.day, keptS: 0)
        #expect(try known() == ["T1"])
        verifier.revoke([], now: 10 * Self.day, keptS: 0)
        #expect(try known() == ["T1"], "the clock may be ahead")
        verifier.revoke([Self.revoked("T4", on: 11)], now: .min, keptS: 0)
        verifier.revoke([], now: 10 * Self.day, keptS: 0)
        #expect(try known() == [])
    }

    @Test func `However many are over, each call lets go of a part of them, until none is left`() throws {
        var verifier = Self.verifier()
        verifier.revoke((0..<2_500).map { Self.revoked("T\($0)", on: $0 % 2) }, now: .min, keptS: 0)
        verifier.revoke([Self.revoked("new", on: 9)], now: .min, keptS: 0)
        func count() throws -> Int {
            // One of each 25 of a day.
            let looked = (0..<2_500).filter { $0 % 50 < 2 }
            return try looked.filter { try Self.isRevoked("T\($0)", issuedAt: 0, by: verifier) }.count
        }
        var left: [Int] = []
        for _ in 0..<4 {
            verifier.revoke([], now: 2 * Self.day, keptS: 0)
            left.append(try count())
        }
        #expect(left == [60, 20, 0, 0])
    }

    @Test func `It says whether anything is new, and keeps it when keys are read anew`() throws {
        var verifier = Self.verifier()
        let first = verifier.revoke([Self.revoked("T1", on: 1)], now: .min, keptS: 0)
        let again = verifier.revoke([Self.revoked("T1", on: 1)], now: .min, keptS: 0)
        let earlier = verifier.revoke([Self.revoked("T1", on: 0)], now: .min, keptS: 0)
        let later = verifier.revoke([Self.revoked("T1", on: 0), Self.revoked("T1", on: 2)], now: .min, keptS: 0)
        #expect([first, again, earlier, later] == [true, false, false, true])
        let new = Self.verifier().keepingOffice(of: verifier)
        #expect(try Self.isRevoked("T1", issuedAt: 2 * Self.day, by: new))
        #expect(try !Self.isRevoked("T1", issuedAt: 2 * Self.day, by: Self.verifier()))
    }

    @Test func `Who is revoked again and again is kept once a day`() {
        var office = OfficeRevocations()
        for second in 0..<1_000 {
            _ = office.add([TokenRevocation(role: .driver, subject: "T1", before: Self.day + Int64(second))])
        }
        #expect(office.kept == 1)
        _ = office.add([TokenRevocation(role: .driver, subject: "T1", before: 2 * Self.day)])
        #expect(office.kept == 2)
        office.drop(upTo: 3 * Self.day)
        #expect(office.kept == 0)
    }
}
