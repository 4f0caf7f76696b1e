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
        LogChecker.taken(Self.ride + more).violations.filter { $0.rule == .trip }.map(\.message)
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

    @Test("M10: the same of a booking of seats")
    func booking() {
        let booking: [(String, String)] = [
            ("driver.online", #"{"driver":"M1"}"#),
            ("seat.requested", #"{"booking":"b","driver":"M1","passenger":"p","passengers":1}"#),
            ("seat.asked", #"{"booking":"b","driver":"M1"}"#),
            ("seat.confirmed", #"{"booking":"b","driver":"M1","passenger":"p","passengers":1}"#),
            ("seat.aboard", #"{"booking":"b","driver":"M1","passenger":"p","passengers":1}"#),
            (
                "seat.ended",
                #"{"booking":"b","driver":"M1","passenger":"p","receipt":"2026-000001","payment_state":"pending"}"#
            ), ("seat.unmet", #"{"passenger":"q","passengers":1,"reason":"seats_full"}"#),
        ]
        func found(_ more: [(String, String)]) -> Int {
            var checker = SeatLogChecker()
            for (number, (type, json)) in (booking + more).enumerated() {
                let (id, bytes) = ("\(number + 1)-0", Array(json.utf8))
                guard let event = LoggedEvent(id: id, type: type, timeMs: Int64(number), json: bytes) else { continue }
                checker.take(event)
            }
            return checker.violations.count { $0.rule == .trip || $0.rule == .log }
        }
        func paid(_ state: String) -> (String, String) {
            ("payment.changed", #"{"booking":"b","payment_state":"\#(state)"}"#)
        }
        let rated = ("trip.rated", #"{"booking":"b","by":"driver","stars":5}"#)
        #expect(found([paid("failed"), paid("paid"), rated, paid("refunded")]) == 0)
        #expect(found([rated, rated]) == 1)
        #expect(found([paid("refunded")]) == 1)
        // Who looks at taxis passes them over.
        var taxis = LogChecker()
        let json = Array(#"{"booking":"b","by":"driver","stars":5}"#.utf8)
        if let event = LoggedEvent(id: "1-0", type: "trip.rated", timeMs: 1, json: json) { taxis.take(event) }
        #expect(taxis.violations.isEmpty && taxis.events.count == 1)
    }

    @Test("R15: two trips of one receipt are found")
    func receipts() {
        let other = Self.ride.map { ($0.0, $0.1.replacing("r1", with: "r2").replacing("p1", with: "p2")) }
        #expect(found(other).count == 1)
    }
}
