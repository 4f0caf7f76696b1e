"""People who are reached by pushes, and what they have got."""

import time


async def leave(client):
    """The page is closed, and the hub has seen that."""
    await client.close()
    key = client.hub.key(f"links:{client.channel}")
    await client.hub.until("gone", lambda: client.hub.redis.zcard(key) == 0)


async def pushed(browser, count=1):
    """So many pushes, no more and no less: their events."""
    await browser.service_hub.until("the push", lambda: len(browser.got) >= count)
    return [browser.read(push) for push in browser.got]


async def subscribed(client, browser):
    browser.service_hub = client.hub
    return await client.call("push.subscribe", **browser.fields)


async def asking(hub, cast, browser, passenger=None):
    """A passenger who has asked for a taxi and has the page open, and the driver who is to answer."""
    zone = hub.block().a
    driver = cast.driver(hub, zone.stand)
    await driver.go_available()
    passenger = passenger or cast.passenger(hub)
    await passenger.connect()
    assert await subscribed(passenger, browser) == {"subscriptions": 1}
    ride = await passenger.request(zone.centre)
    return passenger, driver, ride, zone


async def asked(hub, cast, browser):
    """A passenger who has asked for a taxi and closed the page, and the driver who is to answer."""
    passenger, driver, ride, zone = await asking(hub, cast, browser)
    await leave(passenger)
    return passenger, driver, ride, zone


async def waiting(hub, count):
    """Waits until so many pushes wait to be sent. Their sender is a process of its own, whose figures come a moment later."""
    name = "kerbside_push_waiting"
    await hub.until("they are being sent", lambda: name in hub.http("/metrics").text and hub.metric(name) >= count)


def wake(client, count):
    """So many pushes at once for who has subscribed, good for ten minutes."""
    hub, ends = client.hub, int((time.time() + 600) * 1000)
    many = hub.redis.pipeline()
    for n in range(count):
        fields = {"channel": client.channel, "seq": f"{ends}-{n}", "type": "ride.near", "time": ends, "until": ends}
        many.xadd(hub.key("wakings"), fields | {"urgency": "high", "data": "{}"})
    many.execute()
