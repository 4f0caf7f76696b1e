"""Friends follow a ride by a link: what they see, for how long, and that nobody else does."""

import json

import pytest

from conftest import running
from kerbside.names import fresh
from kerbside.ride_page import registered

#: All that a friend may ever be told.
FIELDS = {"state", "plate", "model", "colour", "position", "eta_s", "time"}


@pytest.fixture(scope="module")
def hub():
    yield from running()


def followed(hub, link):
    return hub.http("/v1/follow", headers={"Authorization": f"Bearer {link.removeprefix('/follow/#')}"})


def seen(hub, link):
    answer = followed(hub, link)
    assert answer.status == 200 and answer.headers["Cache-Control"] == "no-store", answer.text
    told = json.loads(answer.text)
    assert told.keys() <= FIELDS
    return told


async def test_a_friend_sees_the_car_until_the_ride_is_over(hub, cast):
    here = hub.block()
    driver = cast.driver(hub, here.a.stand)
    await registered(hub, cast, driver)
    await driver.go_available()
    rider = await cast.rider(hub)
    ride = await rider.request(here.a.centre, destination=here.b.centre.fields)
    shared = await rider.call("ride.share", key=fresh("k"))
    assert shared["ride"] == ride
    link = shared["link"]
    assert seen(hub, link).keys() == {"state", "time"} and seen(hub, link)["state"] == "searching"
    await driver.accept(ride)
    told = seen(hub, link)
    assert (told["state"], told["plate"]) == ("accepted", "AB 123 CD") and driver.subject not in json.dumps(told)
    assert (told["model"], told["colour"]) == ("Skoda Octavia", "white") and told["eta_s"] > 0
    await driver.drive(here.a.centre)
    await rider.until("ride.arrived")
    await driver.known()
    told = seen(hub, link)
    assert told["state"] == "arrived" and "eta_s" not in told
    assert told["position"]["lat"] == pytest.approx(here.a.centre.lat, abs=1e-4)
    await driver.call("ride.aboard")
    told = seen(hub, link)
    assert told["state"] == "aboard" and told["eta_s"] > 0
    await driver.call("ride.end")
    assert seen(hub, link).keys() == {"state", "time"} and seen(hub, link)["state"] == "over"
    # Neither who rides, nor where to, nor who drives; and the secret stands nowhere.
    assert link.removeprefix("/follow/#") not in hub.log
    assert not [row for _, row in hub.redis.xrange(hub.key("events")) if link[-22:] in row["data"]]


async def test_links_are_few_and_taken_back_at_once(hub, cast):
    here = hub.block()
    await cast.queue(hub, here.a.stand, 1)
    rider = await cast.rider(hub)
    await rider.request(here.a.centre)
    key = fresh("k")
    links = [(await rider.call("ride.share", key=key))["link"]]
    # Sent again it is the same one.
    assert (await rider.call("ride.share", key=key))["link"] == links[0]
    links += [(await rider.call("ride.share"))["link"] for _ in range(2)]
    assert len(set(links)) == 3 and all(seen(hub, link)["state"] in ("searching", "accepted") for link in links)
    await rider.refused("ride.share", "not_available")
    await rider.call("ride.unshare")
    assert {followed(hub, link).status for link in links} == {404}
    assert seen(hub, (await rider.call("ride.share"))["link"])


async def test_only_the_passenger_of_the_ride_shares_it(hub, cast):
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    rider, other = await cast.rider(hub), await cast.rider(hub)
    ride = await rider.request(here.a.centre)
    await other.refused("ride.share", "not_found", ride=ride)
    await other.refused("ride.unshare", "not_found", ride=ride)
    await other.refused("ride.share", "not_found")
    await driver.refused("ride.share", "forbidden", ride=ride)


def test_a_secret_that_is_none_shows_nothing(hub):
    assert hub.http("/v1/follow").status == 401
    for secret in ("x", "A" * 22, "A" * 23, hub.token("passenger", "p1"), "..%2f"):
        answer = hub.http("/v1/follow", headers={"Authorization": f"Bearer {secret}"})
        assert answer.status == 404 and json.loads(answer.text)["code"] == "not_found", secret
    # Nothing of it is taken from an address.
    assert hub.http(f"/v1/follow/{'A' * 22}").status == 404 and hub.http(f"/v1/follow?token={'A' * 22}").status == 401


async def test_who_guesses_is_held_up_and_no_friend_of_that_network(new_hub, cast):
    hub = new_hub(server__workers=1).start()
    here = hub.block()
    [driver] = await cast.queue(hub, here.a.stand, 1)
    rider = await cast.rider(hub)
    await driver.accept(await rider.request(here.a.centre))
    answers = [
        hub.http("/v1/follow", headers={"Authorization": f"Bearer {number:022d}"}) for number in range(300)]
    assert {answer.status for answer in answers} == {404, 429}
    [late] = [answer for answer in answers if answer.status == 429][:1]
    assert int(late.headers["Retry-After"]) >= 1
    link = (await rider.call("ride.share"))["link"]
    assert seen(hub, link)["state"] == "accepted"
    # Neither its beginning nor its end makes a guess a link.
    for guess in (link[:-1] + ("0" if link[-1] != "0" else "1"), link[:-22] + "A" * 14 + link[-8:]):
        # One more may have become free meanwhile.
        assert {followed(hub, guess).status for _ in range(20)} in ({429}, {404, 429})
