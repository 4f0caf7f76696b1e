import Testing
import WebSocketServer

@testable import Hub

/// When something is said of a TLS certificate.
@Suite struct CertificateNoticesTests {
    private static let day: Int64 = 86_400
    private static let end: Int64 = 100 * day

    private func said(_ times: [Int64], from: Int64 = 0) -> [CertificateNotices.Notice?] {
        var notices = CertificateNotices(.init(from: from, until: Self.end))
        var found: [CertificateNotices.Notice?] = []
        for time in times { found.append(notices.next(at: time)) }
        return found
    }

    @Test func `once a day from 14 days before its end`() {
        let first = Self.end - 14 * Self.day
        #expect(
            said([first - 1, first, first + 3_600, first + Self.day - 1, first + Self.day, Self.end - 1])
                == [nil, .ends(withinDays: 14), nil, nil, .ends(withinDays: 13), .ends(withinDays: 1)])
    }

    @Test func `at its end, although its nearness was said just before, and once a day from then on`() {
        let expired = CertificateNotices.Notice.fault("has expired")
        #expect(
            said([Self.end - 1, Self.end, Self.end + 3_600, Self.end + Self.day])
                == [.ends(withinDays: 1), expired, nil, expired])
    }

    @Test func `before its time, and again where the clock was set back`() {
        let early = CertificateNotices.Notice.fault("is not valid yet: is the clock right?")
        #expect(said([50, 60, 40, 1_000, 2_000], from: 1_000) == [early, nil, early, nil, nil])
    }

    @Test func `it is looked at each hour, and at its end`() {
        let notices = CertificateNotices(.init(from: 0, until: Self.end))
        #expect([0, Self.end - 3_601, Self.end - 20, Self.end].map(notices.wait) == [3_600, 3_600, 20, 3_600])
    }
}
