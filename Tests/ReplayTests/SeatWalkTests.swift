import Testing

@testable import Replay

/// The checker of minibuses against the hub's real functions: clean as they are (C30, C47, C48), and not when one of them is
/// broken.
@Suite(.serialized) struct SeatWalkTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func randomTransitionsBreakNoRule(_ seed: UInt64) async throws {
        let result = try await SeatWalk.run(seed: seed, steps: 4_000)
        #expect(result.violations == [])
        // A walk that goes nowhere would prove nothing.
        let needed = [
            "driver.online", "driver.offline", "seat.requested", "seat.asked", "seat.seen",
            "seat.undelivered", "seat.confirmed", "seat.declined", "seat.cancelled", "seat.aboard", "seat.ended",
            "seat.near", "seat.arrived", "seats.changed",
        ]
        for type in needed { #expect(result.types[type, default: 0] > 0, "\(type) never happened") }
    }

    @Test(arguments: [4, 5] as [UInt64])
    func whatAnOperatorDoesBreaksNoRule(_ seed: UInt64) async throws {
        let result = try await SeatWalk.run(seed: seed, steps: 4_000, hasOffice: true)
        #expect(result.violations == [])
        #expect(result.types["audit", default: 0] > 50)
    }

    @Test(
        arguments: [
            ("a full vehicle sells seats", .seats, "if n > free_seats(v) then", "if false then"),
            (
                "a promise takes no seats", .seats,
                "count(c, driver, v, n, 'booked', booking)", "count(c, driver, v, 0, 'booked', booking)"
            ),
            (
                "a declined booking keeps its seats", .seats,
                "    end_asking(c, booking, b, reason ~= 'declined' and reason or nil)\n    hold(c, b.driver, v, -tonumber(b.passengers))\n",
                "    end_asking(c, booking, b, reason ~= 'declined' and reason or nil)\n"
            ),
            (
                "a cancelled booking keeps its seats", .seats,
                "if tonumber(b.seats) > 0 then count(c, b.driver, v, -tonumber(b.seats), 'cancelled', booking, is_of_several) end",
                ""
            ),
            (
                "more come aboard than there is room for", .seats, "if delta > free_seats(v) then", "if false then"
            ),
            (
                "the driver counts away what is promised", .seats, "if taken < promised then", "if false then"
            ),
            (
                "a count leaves those waiting what is not there", .seats, "if free_seats(v) >= 0 then break end",
                "if true then break end"
            ),
            (
                "a driver is asked two things", .offer,
                "if v.asking or v.away or v.state ~= 'available' then return end",
                "if v.away or v.state ~= 'available' then return end"
            ),
            (
                "an offline minibus is booked", .offer,
                "if v.state ~= 'available' then return 'not_available', 'The minibus ' .. driver .. ' is offline.' end",
                ""
            ),
            (
                "a passenger may book twice", .oneRequestPerPassenger, "if open[1] or open[2] then", "if false then"
            ),
            (
                "a driver accepts what it was not asked", .acceptance,
                "if b.state ~= 'offered' or b.driver ~= driver then return no_request(booking, b, driver) end\n        if c.now > tonumber(b.deadline) + c.accept_grace_ms then",
                "if (b.state ~= 'offered' and b.state ~= 'waiting') or b.driver ~= driver then return no_request(booking, b, driver) end\n        if b.deadline and c.now > tonumber(b.deadline) + c.accept_grace_ms then"
            ),
            (
                "a booking ends that nobody boarded", .outcome,
                "if b.state ~= 'aboard' then return refuse('not_available', 'The booking is ' .. b.state .. '.') end\n        if given.payment",
                "if b.state == 'offered' then return refuse('not_available', '') end\n        if given.payment"
            ),
            (
                "a closed booking stays its passenger's", .state,
                "redis.call('HDEL', c.p .. 'passenger:' .. b.passenger, 'booking')", ""
            ),
            (
                "the alerts are not latched", .alert,
                "set_booking(c, booking, 'notified', rung, rung == 20", "set_booking(c, booking, rung == 20"
            ),
            (
                "the time for an answer runs on after it", .state,
                "    redis.call('ZREM', c.p .. 'holds', booking)\n    redis.call('HDEL'", "    redis.call('HDEL'"
            ),
        ] as [(String, Violation.Rule, String, String)])
    func aBrokenFunctionIsFoundOut(_ what: String, _ rule: Violation.Rule, _ right: String, _ wrong: String)
        async throws
    {
        let found = try await SeatWalk.brokenRules(what, rule, right, wrong, steps: 3_000)
        #expect(found.contains(rule), "\(what): found \(found)")
    }
}
