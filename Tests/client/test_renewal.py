"""A connection lives on with a new token."""

import asyncio
import time

import pytest

from kerbside.driver import Driver
from kerbside.names import fresh
from test_office import BinaryDriver

PEOPLE = pytest.mark.parametrize("person", [Driver, BinaryDriver], ids=["json", "protobuf"])


def ends_in(hub, client, seconds, **claims):
    return hub.token(client.role, client.subject, exp=int(time.time()) + seconds, **claims)


@PEOPLE
async def test_a_second_hello_renews_the_token_and_changes_nothing_else(hub, person):
    driver = person(hub, fresh("T"), hub.block().a.centre)
    driver.token = ends_in(hub, driver, 3)
    await driver.go_available()
    before = driver.hello_reply["session"]
    seen = len(driver.events)
    reply = await driver.call("hello", token=ends_in(hub, driver, 3600))
    assert (reply["session"], reply["subject"], reply["role"]) == (before, driver.subject, "driver")
    assert reply["channels"] == [driver.channel] and reply["seq"] == {driver.channel: driver.last_seq}
    # Longer than the first token would have had it.
    await asyncio.sleep(4)
    await driver.barrier()
    assert driver.closed is None and len(driver.events) == seen, "neither told anew nor taken out of the queue"


@PEOPLE
async def test_the_connection_ends_with_the_new_token_though_the_old_one_would_last(hub, person):
    driver = person(hub, fresh("T"))
    await driver.connect()
    await driver.call("hello", token=ends_in(hub, driver, 2))
    assert (await driver.wait_closed())[0] == 4410


@PEOPLE
@pytest.mark.parametrize(
    ("role", "claims", "code"),
    [
        ("driver", {"sub": "somebody-else"}, "forbidden"),
        ("passenger", {}, "forbidden"),
        ("driver", {"kind": "minibus", "seats": 8}, "forbidden"),
        ("driver", {"city": "elsewhere"}, "forbidden"),
        ("driver", {"exp": 1}, "unauthenticated"),
    ],
    ids=["subject", "role", "vehicle", "city", "old"],
)
async def test_a_token_of_another_is_refused_and_the_first_one_counts_on(hub, person, role, claims, code):
    driver = person(hub, fresh("T"))
    await driver.connect()
    await driver.refused("hello", code, token=hub.token(role, driver.subject, **claims))
    await driver.barrier()
    await driver.call("hello", token=ends_in(hub, driver, 600))


@PEOPLE
async def test_what_a_renewal_needs_is_said(hub, person):
    driver = person(hub, fresh("T"))
    await driver.connect()
    await driver.refused("hello", "bad_message", "token")
    await driver.refused("hello", "bad_message", "resume", token=driver.token, resume={driver.channel: "0-1"})
    await driver.refused("hello", "unauthenticated", token=driver.token[:-4] + "AAAA")
    await driver.barrier()


async def test_a_scope_that_is_read_by_is_not_given_up(hub, cast):
    """What was allowed by it would be read on."""
    service = await cast.operator(hub, "service")
    await service.call("hello", token=hub.token("service", service.subject, scope="events:personal"))
    await service.refused("hello", "forbidden", "token", token=hub.token("service", service.subject))
    await service.call("hello", token=hub.token("service", service.subject, scope="events:personal payments"))


async def test_a_renewed_token_can_be_revoked(hub, cast):
    office, driver = await cast.operator(hub), cast.driver(hub)
    await driver.connect()
    await driver.call("hello", token=ends_in(hub, driver, 600))
    await office.call("office.session_end", role="driver", subject=driver.subject, reason="Lost phone.", revoke=True)
    assert (await driver.wait_closed())[0] == 4401
