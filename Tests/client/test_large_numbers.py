"""Numbers that a sum has no room for: a worker that adds them up would end, and with it all its connections."""

import json
import time

import pytest

from kerbside.names import fresh


async def test_c60_a_date_that_is_none_is_as_good_as_none_given(hub, cast):
    rider = await cast.rider(hub)
    workers = hub.workers()
    for day in (2**63 - 1, 2**62, 99):
        for path in ("/v1/changes", "/v1/lines"):
            date = f"X {day} Nov 1 0:0:0 GMT"
            assert hub.http(path, headers={"If-Modified-Since": date}).status == 200, (path, date)
    assert hub.workers() == workers and rider.closed is None


@pytest.mark.parametrize("passengers", [2**53 - 1, 10_000_000])
async def test_c60_nobody_reckons_a_fare_for_more_than_can_ride(new_hub, cast, passengers):
    hub = new_hub(fares__flag_fall=3, fares__per_km=2, fares__extra_passenger=10_000).start()
    here, rider = hub.block(), await cast.rider(hub)
    workers, way = hub.workers(), {"destination": here.b.centre.fields, "passengers": passengers}
    later = int(time.time() * 1000) + 3 * 3600 * 1000
    for command, fields in (
        ("ride.request", here.a.centre.fields | way | {"key": fresh("k")}),
        ("reservation.make", way | {"pickup": here.a.centre.fields, "at": later, "key": fresh("k")}),
        ("fare.estimate", way | {"pickup": here.a.centre.fields}),
    ):
        reply = await rider.ask(command, **fields)
        assert "passengers" in json.dumps(reply["error"]), (command, reply)
    assert hub.workers() == workers and rider.closed is None
