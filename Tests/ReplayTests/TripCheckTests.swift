import Testing

@testable import Replay

/// What the checker of the log says of trips: one receipt, payments on their way, one rating per side.
@Suite struct TripCheckTests {
    private static let ride: [(String, String)] = [
        ("ride.requested", #"{"ride":"r1","passenger":"p1","zone":"1","passengers":1}"#),
        ("offer.made", #"{"ride":"r1","driver":"A","zone":"1","round":1,"attempt":1}"#),
        ("ride.accepted", #"{"ride":"r1","driver":"A","zone":"1","passenger":"p1"}"#),
        ("ride.aboard", #"{"ride":"r1","driver":"A","zone":"1"}"#),
        (
            "ride.ended",
            #"{"ride":"r1","driver":"A","zone":"1","passenger":"p1","receipt":"2026-000001","payment_state":"pending"}"#
        ),
    ]

    private func found(_ more: [(String, String)]) -> [String] {
        var checker = LogChecker()
        for (number, (type, json)) in (Self.ride + more).enumerated() {
            guard
                let event = LoggedEvent(
                    id: "\(number + 1)-0", type: type, timeMs: Int64(number), json: Array(json.utf8))
            else {
                Issue.record("\(json) is no event")
                continue
            }
            checker.take(event)
        }
        return checker.violations.filter { $0.rule == .trip }.map(\.message)
    }

    private func paid(_ state: String) -> (String, String) {
        ("payment.changed", #"{"ride":"r1","payment_state":"\#(state)"}"#)
    }

    private func rated(_ by: String) -> (String, String) { ("trip.rated", #"{"ride":"r1","by":"\#(by)","stars":5}"#) }

    @Test("R15: what may be passes")
    func good() {
        #expect(found([paid("failed"), paid("paid"), rated("driver"), paid("refunded"), rated("passenger")]) == [])
    }

    @Test("R15: a second rating of a side, and a payment that goes where it may not, are found")
    func bad() {
        #expect(found([rated("driver"), rated("driver")]).count == 1)
        #expect(found([paid("refunded")]).count == 1)
        #expect(found([paid("paid"), paid("failed")]).count == 1)
    }

    @Test("R15: two trips of one receipt are found")
    func receipts() {
        let other = Self.ride.map { ($0.0, $0.1.replacing("r1", with: "r2").replacing("p1", with: "p2")) }
        #expect(found(other).count == 1)
    }
}
