"""R1: a request that cannot be served is refused at once, with the reason."""

import pytest

from conftest import IN_JSON

pytestmark = pytest.mark.usefixtures("encoding")


async def rider_in_a_served_zone(hub, cast):
    here = hub.block()
    await cast.queue(hub, here.a.stand, 1)
    return await cast.rider(hub), here.a.centre.fields | {"passengers": 1}


@pytest.mark.parametrize(
    "change, code, field",
    [
        ({"lat": None}, "bad_message", "lat"),
        ({"lon": None}, "bad_message", "lon"),
        ({"passengers": None}, "bad_message", "passengers"),
        ({"passengers": 0}, "bad_message", "passengers"),
        ({"passengers": 4}, "too_many_passengers", None),
        ({"passengers": 99}, "too_many_passengers", None),
        ({"lat": 91}, "bad_message", "lat"),
        ({"lon": -180.5}, "bad_message", "lon"),
        ({"lat": -45.0, "lon": -120.0}, "outside_zones", None),
        ({"destination": {"lat": 45.1}}, "bad_message", None),
        ({"destination": {"lat": 45.1, "lon": 200}}, "bad_message", None),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
async def test_refused_at_once(hub, cast, change, code, field):
    passenger, fields = await rider_in_a_served_zone(hub, cast)
    fields = {key: value for key, value in (fields | change).items() if value is not None}
    error = await passenger.refused("ride.request", code, field, **fields)
    assert error["detail"]
    await passenger.nothing_more()


@IN_JSON
@pytest.mark.parametrize("change", [{"passengers": -1}, {"destination": "home"}], ids=str)
async def test_what_protocol_buffers_can_not_say_is_refused_at_once(hub, cast, change):
    passenger, fields = await rider_in_a_served_zone(hub, cast)
    error = await passenger.refused("ride.request", "bad_message", *change, **fields | change)
    assert error["detail"]
    await passenger.nothing_more()


async def test_outside_every_zone(hub, cast):
    here = hub.block()
    await cast.queue(hub, here.a.stand, 1)
    passenger = await cast.rider(hub)
    error = await passenger.refused("ride.request", "outside_zones", **here.outside.fields, passengers=1)
    assert error["retry"] is False


async def test_an_empty_zone_is_told_to_try_later(hub, cast):
    here = hub.block()
    passenger = await cast.rider(hub)
    error = await passenger.refused("ride.request", "zone_empty", **here.c.centre.fields, passengers=1)
    assert error["retry"] is True
    await passenger.nothing_more()
    await cast.queue(hub, here.c.stand, 1)
    await passenger.request(here.c.centre)


async def test_one_open_request_per_passenger(hub, cast):
    passenger, fields = await rider_in_a_served_zone(hub, cast)
    reply = await passenger.call("ride.request", **fields)
    error = await passenger.refused("ride.request", "already_requested", **fields)
    assert reply["ride"] in error["detail"]
    await passenger.call("ride.cancel")
    await passenger.call("ride.request", **fields)


@pytest.mark.parametrize("passengers", [1, 2, 3])
async def test_up_to_three_passengers(hub, cast, passengers):
    passenger, fields = await rider_in_a_served_zone(hub, cast)
    await passenger.call("ride.request", **fields | {"passengers": passengers})


async def test_a_cancel_without_a_request(hub, cast):
    passenger = await cast.rider(hub)
    await passenger.refused("ride.cancel", "not_found")
    await passenger.refused("ride.cancel", "not_found", ride="r_unheard-of")


async def test_anothers_request_cannot_be_cancelled(hub, cast):
    passenger, fields = await rider_in_a_served_zone(hub, cast)
    ride = (await passenger.call("ride.request", **fields))["ride"]
    thief = await cast.rider(hub)
    await thief.refused("ride.cancel", "not_found", ride=ride)
    await passenger.call("ride.cancel", ride=ride)
