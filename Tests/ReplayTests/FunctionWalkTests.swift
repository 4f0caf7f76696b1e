import Testing

@testable import Replay

/// The checker against the hub's real functions: clean as they are (I1–I4, R2–R7, C11, C21–C24, C28), and not when one of
/// them is broken.
@Suite(.serialized) struct FunctionWalkTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func randomTransitionsBreakNoRule(_ seed: UInt64) async throws {
        let result = try await FunctionWalk.run(seed: seed, steps: 4_000)
        #expect(result.violations == [])
        // A walk that goes nowhere would prove nothing.
        let needed = [
            "queue.joined", "queue.left", "queue.bottom", "driver.away", "driver.back", "ride.requested", "offer.made",
            "offer.seen", "offer.declined", "offer.expired", "offer.undelivered", "offer.withdrawn", "ride.accepted",
            "ride.near", "ride.arrived", "ride.aboard", "ride.ended", "ride.cancelled", "ride.noshow", "ride.searching",
            "ride.failed", "ride.driver_lost", "ride.driver_back", "seats.changed",
        ]
        for type in needed { #expect(result.types[type, default: 0] > 0, "\(type) never happened") }
    }

    @Test(arguments: [4, 5] as [UInt64])
    func whatAnOperatorDoesBreaksNoRule(_ seed: UInt64) async throws {
        let result = try await FunctionWalk.run(seed: seed, steps: 4_000, hasOffice: true)
        #expect(result.violations == [])
        #expect(result.types["audit", default: 0] > 50)
    }

    @Test(
        arguments: [
            (
                "the last of the queue is asked", .queueOrder, "redis.call('ZRANGE', list.key",
                "redis.call('ZREVRANGE', list.key"
            ),
            (
                "the last request is served", .requestOrder,
                "redis.call('ZRANGE', c.p .. 'waiting:' .. zone, '0', '-1')",
                "redis.call('ZREVRANGE', c.p .. 'waiting:' .. zone, '0', '-1')"
            ),
            (
                "a full taxi is asked", .queueOrder,
                "if seen.seats[driver] >= passengers and not gave_back(r, driver)", "if not gave_back(r, driver)"
            ),
            (
                "who gave a ride back is asked again", .queueOrder,
                "r.gave_back = (r.gave_back or '\\n') .. r.driver .. '\\n'", "r.gave_back = '\\n'"
            ),
            (
                "there is no pause between rounds", .offer, "if c.now >= tonumber(r.next_at) then return true end",
                "do return true end"
            ),
            ("a no-show is taken at once", .noShow, "if left > 0 then", "if false then"),
            (
                "a driver is lost while it is there", .alert,
                "if c.now >= missing_at then tell_missing(c, driver, v) end",
                "v.away = v.away or c.now_text\n            MODULES['queue'].mark_back(c, driver, v)\n            v.away = c.now_text\n            tell_missing(c, driver, v)"
            ),
            (
                "who is free is not found", .queueOrder, "    set_free(c, driver, v)\n    if v.state ~= 'unavailable'",
                "    if v.state ~= 'unavailable'"
            ),
            (
                "the same driver is asked again", .queueOrder,
                "asked[names[i + at - 1]] = score == '1'", "asked[names[i + at - 1]] = false"
            ),
            (
                "a refusal costs no place", .rank,
                "v.score = next_arrival(c)\n    redis.call('ZADD', c.p .. 'queue:' .. v.zone, 'XX'",
                "v.score = '0.5'\n    redis.call('ZADD', c.p .. 'queue:' .. v.zone, 'XX'"
            ),
            (
                "a restored place is a better one", .rank,
                "return join(c, r.driver, v, r.place_zone, 'restored', keeps and r.place or nil)",
                "return join(c, r.driver, v, r.place_zone, 'restored', '0.5')"
            ),
            (
                "an accepting driver stays in its queue", .queueMembership,
                "redis.call('ZREM', c.p .. 'queue:' .. zone, driver)\n    if not v.offer",
                "if reason ~= 'accepted' then redis.call('ZREM', c.p .. 'queue:' .. zone, driver) end\n    if not v.offer"
            ),
            (
                "a moving driver stands in two queues", .queueMembership,
                "leave(c, driver, v, 'moved', 'available')", ""
            ),
            (
                "an expired offer is accepted", .oneDriverPerRide,
                "if not is_open_to(r, driver) then return no_offer(c, ride, r, driver) end\n\n", "\n\n"
            ),
            ("an offer stays with its driver", .offer, "clear_vehicle(c, driver, 'offer')", ""),
            (
                "a passenger's ride is never closed", .state,
                "redis.call('HDEL', c.p .. 'passenger:' .. r.passenger, 'ride')", ""
            ),
            ("a passenger may request twice", .oneRequestPerPassenger, "    if open then\n", "    if false then\n"),
            (
                "the alerts are not latched", .alert,
                "set_ride(c, ride, 'notified', rung, 'arrived_at', c.now_text)",
                "set_ride(c, ride, 'arrived_at', c.now_text)"
            ),
            (
                "a ride ends without having begun", .outcome,
                "if r.state == 'accepted' then\n            return refuse('not_available', 'The passenger is not aboard yet: send ride.aboard, ride.noshow or ride.cancel.')\n        end\n        if r.state ~= 'aboard' then",
                "if r.state ~= 'aboard' and r.state ~= 'accepted' then"
            ),
            (
                "a freed driver keeps its ride", .busyWithOneRide,
                "'lost_until', 'lost_why', 'ride')", "'lost_until', 'lost_why')"
            ),
        ] as [(String, Violation.Rule, String, String)])
    func aBrokenFunctionIsFoundOut(_ what: String, _ rule: Violation.Rule, _ right: String, _ wrong: String)
        async throws
    {
        let found = try await FunctionWalk.brokenRules(what, rule, right, wrong, steps: 3_000)
        #expect(found.contains(rule), "\(what): found \(found)")
    }
}
