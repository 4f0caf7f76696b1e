import Settings
import Testing
import Wire

@testable import Tokens

extension TokenVerifier {
    /// The same, but that the office has revoked these.
    func revoking(_ more: [TokenRevocation]) -> TokenVerifier {
        var new = self
        new.revoke(more)
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

    @Test func `A clock that is ahead for a moment takes no revocation away`() throws {
        var verifier = Self.verifier()
        verifier.revoke([Self.revoked("T1", on: 1)])
        // By a clock that is ahead by years, and by the right one.
        for subject in ["T2", "T3"] { verifier.revoke([Self.revoked(subject, on: 9_000)]) }
        verifier.revoke([Self.revoked("T4", on: 2)])
        #expect(try Self.isRevoked("T1", issuedAt: Self.day, by: verifier))
    }

    @Test func `It says whether anything is new, and keeps it when keys are read anew`() throws {
        var verifier = Self.verifier()
        let first = verifier.revoke([Self.revoked("T1", on: 1)])
        let again = verifier.revoke([Self.revoked("T1", on: 1)])
        let earlier = verifier.revoke([Self.revoked("T1", on: 0)])
        let later = verifier.revoke([Self.revoked("T1", on: 0), Self.revoked("T1", on: 2)])
        #expect([first, again, earlier, later] == [true, false, false, true])
        let new = Self.verifier().keepingOffice(of: verifier)
        #expect(try Self.isRevoked("T1", issuedAt: 2 * Self.day, by: new))
        #expect(try !Self.isRevoked("T1", issuedAt: 2 * Self.day, by: Self.verifier()))
    }

    private static func known(_ subjects: [String], _ office: OfficeRevocations) -> [String] {
        subjects.filter { office.revokes(.driver, $0, issuedAt: 0, othersAt: nil) }
    }

    @Test func `Beyond so many the oldest go, and who is revoked again and again is kept once`() {
        var office = OfficeRevocations(most: 3)
        for second in 0..<1_000 {
            _ = office.add([TokenRevocation(role: .driver, subject: "T1", before: Self.day + Int64(second))])
        }
        for day in 2...9 { _ = office.add([Self.revoked("T1", on: Int64(day))]) }
        #expect(office.count == 1)
        _ = office.add((2...4).map { Self.revoked("T\($0)", on: Int64($0)) })
        let names = (1...6).map { "T\($0)" }
        #expect(Self.known(names, office) == ["T1", "T3", "T4"])
        _ = office.add([Self.revoked("T3", on: 10)])
        _ = office.add([Self.revoked("T5", on: 10)])
        #expect(Self.known(names, office) == ["T1", "T3", "T5"], "T4 was the oldest")
        _ = office.add([Self.revoked("T6", on: 1)])
        #expect(Self.known(names, office) == ["T1", "T3", "T5"], "as Redis has it")
        #expect(office.count == 3)
    }
}
