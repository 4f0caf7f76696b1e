import Testing

@testable import Replay

/// The checker of tours and stops on request against the hub's real functions: clean as they are (C47, C51), and not when
/// one of them is broken.
@Suite(.serialized) struct BusWalkTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func randomTransitionsBreakNoRule(_ seed: UInt64) async throws {
        let result = try await BusWalk.run(seed: seed, steps: 3_000)
        #expect(result.violations == [])
        // A walk that goes nowhere would prove nothing.
        let needed = [
            "tour.started", "tour.ended", "seats.changed", "stop.passed", "schedule.changed", "stop.requested",
            "stop.accepted", "stop.declined", "stop.completed", "stop.noshow", "stop.cancelled",
            "stop.expired", "stop.near",
        ]
        for type in needed { #expect(result.types[type, default: 0] > 0, "\(type) never happened") }
    }

    @Test(
        arguments: [
            (
                "a bus gets a second driver", .tour,
                "if other then\n            local t = tours.load(c, other)",
                "if false then\n            local t = tours.load(c, other)"
            ),
            ("more seats are taken than there are", .seats, "if taken > total then", "if false then"),
            (
                "an ended tour keeps its bus", .tour, "redis.call('HDEL', c.p .. 'bus:' .. t.bus, 'tour')", ""
            ),
            (
                "a request that is over is cancelled", .outcome,
                "if not stops.is_open(s) then return refuse('not_available', 'The request is over: it is ' .. s.state .. '.') end\n        stops.close(c, id, s, 'cancelled')",
                "stops.close(c, id, s, 'cancelled')"
            ),
            (
                "nobody accepted what is completed", .acceptance,
                "if s.state ~= 'accepted' then return refuse('not_available', 'Accept the request first.') end\n    stops.close(c, id, s, 'completed')",
                "stops.close(c, id, s, 'completed')"
            ),
            (
                "somebody is missed who was not told that the bus is there", .noShow, "if s.notified ~= '20' then",
                "if false then"
            ),
            (
                "a closed request stays open", .state, "stops.set(c, id, 'state', state, 'closed_at', c.now_text)", ""
            ),
            (
                "the alerts are not latched", .alert, "stops.set(c, id, 'notified', arrived and 20 or 500)", ""
            ),
        ] as [(String, Violation.Rule, String, String)])
    func aBrokenFunctionIsFoundOut(_ what: String, _ rule: Violation.Rule, _ right: String, _ wrong: String)
        async throws
    {
        let found = try await BusWalk.brokenRules(what, rule, right, wrong, steps: 2_000)
        #expect(found.contains(rule), "\(what): found \(found)")
    }
}
