"""What figures cost who asks for them: as much as the hub reads for the answer, whatever it is (C60)."""

import asyncio
import datetime

import pytest

from conftest import running
from kerbside import bus as buses, figures

#: What a service may spend at once, and in a second.
RATE = 1000
#: A ride that was asked for, taken and ended.
RIDE = "1 1 1 0 0 0 9000 1 60000 1"
TODAY = datetime.datetime.now(datetime.UTC).date()


@pytest.fixture(scope="module")
def hub():
    for hub in running(server__workers=1, server__service_commands_per_second=RATE):
        hub.lines, text = buses.community(2)
        buses.load(hub, text)
        yield hub


def days(count):
    """The last ones, without today, which may be over before the test is."""
    return [str(TODAY - datetime.timedelta(days=ago)) for ago in range(count, 0, -1)]


def span(dates):
    return {"from_": dates[0], "to": dates[-1]}


def too_many_taxis(hub):
    """Rows of one day that nobody is told, as there are too many."""
    [day] = days(1)
    hub.redis.hset(hub.key(f"taxis:{day}"), mapping={f"{hour}|{zone}": RIDE for hour in range(24) for zone in range(900)})
    return "/v1/stats/taxis", span([day]), 400


def asked_in_vain(hub):
    """Pairs of cells of which nobody is told, as one person asked for each. Yesterday is read from 1:00 on only."""
    dates = days(4)[:-1]
    for date in dates:
        pairs = {f"45.{4000 + pair},9.1000 45.5000,9.{2000 + pair}": "0123456789" for pair in range(5000)}
        hub.redis.hset(hub.key(f"vain:{date}"), mapping=pairs)
    return "/v1/stats/seats", span(dates), 200


def too_many_lines(hub):
    """One row more than are told, on two days that no other test looks at."""
    dates = [str(TODAY - datetime.timedelta(days=ago)) for ago in (101, 100)]
    for date, count in zip(dates, (25_000, 25_001), strict=True):
        hub.redis.hset(hub.key(f"figures:{date}"), mapping={f"x{line}|passengers": 1 for line in range(count)})
    return "/v1/stats.csv", span(dates), 400


@pytest.mark.parametrize("fill", [too_many_taxis, asked_in_vain])
async def test_c60_what_is_read_for_figures_is_paid_though_nothing_is_told(hub, fill):
    path, query, status = fill(hub)
    token = hub.token("service", fill.__name__)
    assert figures.ask(hub, path, token=token, **query).status == status
    refused = figures.ask(hub, path, token=token, **query)
    assert refused.status == 429 and refused.json["code"] == "rate_limited", refused.text
    wait = refused.json["retry_after_ms"]
    assert 300 < wait <= 30_000
    assert int(refused.headers["retry-after"]) >= wait // 1000
    # Others are not held up; and who waits as told is answered.
    assert figures.ask(hub, token=hub.token("service", f"other-{fill.__name__}")).status == 200
    await asyncio.sleep(wait / 1000 + 0.1)
    assert figures.ask(hub, path, token=token, **query).status == status


async def test_c60_who_asks_twice_at_once_has_paid_for_one_before_the_next_begins(hub):
    path, query, _ = too_many_taxis(hub)
    token = hub.token("service", "twice")
    asked = [asyncio.to_thread(figures.ask, hub, path, token=token, **query) for _ in range(2)]
    assert sorted(answer.status for answer in await asyncio.gather(*asked)) == [400, 429]


async def test_c60_a_line_is_read_without_all_others(hub):
    """Nor does one that nobody knows cost more; one that the catalog has no more keeps its figures."""
    dates, [known, _] = days(60), hub.lines
    names = ("tours_started", "passengers", "delay_s", "stops_late", "refused:no_driver")
    for date in dates:
        lines = [known.id, "gone|by", *(f"other{line}" for line in range(200))]
        hub.redis.hset(hub.key(f"figures:{date}"), mapping={f"{line}|{name}": 7 for line in lines for name in names})

    def ask(line):
        """The answer, and what Redis sent for it, bytes: the least of two times, as other things are under way."""
        sent = []
        for _ in range(2):
            before = hub.redis.info("stats")["total_net_output_bytes"]
            answer = figures.ask(hub, token=hub.token("service", "reader"), line=line, **span(dates))
            sent.append(hub.redis.info("stats")["total_net_output_bytes"] - before)
        return answer, min(sent)

    hashes = [hub.redis.hgetall(hub.key(f"figures:{date}")) for date in dates]
    all_of_it = sum(len(f"{name}{value}") for day in hashes for name, value in day.items())
    for line in (known.id, "gone|by"):
        answer, sent = ask(line)
        assert [(day["date"], day["line"]) for day in answer.json["days"]] == [(date, line) for date in dates]
        day = answer.json["days"][0]
        assert (day["passengers"], day["requests"]["refused"]) == (7, {"no_driver": 7})
        assert day["punctuality"]["mean_delay_s"] == 1
        assert sent < all_of_it / 4, (sent, all_of_it)
    answer, sent = ask("nowhere")
    assert answer.status == 404 and "nowhere" in answer.json["detail"] and sent < all_of_it / 4, (sent, all_of_it)


async def test_c60_so_many_rows_of_lines_are_told_and_not_one_more(hub):
    path, query, status = too_many_lines(hub)
    refused = figures.ask(hub, path, token=hub.token("service", "one-too-many"), **query)
    assert refused.status == status and "more than 50000 rows" in refused.json["detail"]
    # Fewer days, or one line, as it says; and as many as there may be.
    assert figures.ask(hub, token=hub.token("service", "one-line"), line="x7", **query).status == 200
    hub.redis.hdel(hub.key(f"figures:{query['to']}"), "x25000|passengers")
    table = figures.ask(hub, path, token=hub.token("service", "as-many"), **query)
    assert table.status == 200 and table.text.count("\r\n") == 1 + 50_000


async def test_c60_who_owes_for_figures_waits_with_the_next_reading_and_with_nothing_else(hub, cast):
    path, query, status = too_many_lines(hub)
    operator, passenger = await cast.operator(hub), await cast.rider(hub)

    def read():
        return figures.ask(hub, path, token=operator.token, **query).status

    assert [read(), read()] == [status, 429]
    error = await operator.refused("records.list", "rate_limited", of="rides")
    assert "figures and records" in error["detail"] and error["retry_after_ms"] > 0
    sos = (await passenger.call("sos"))["sos"]
    assert (await operator.call("sos.acknowledge", sos=sos))["state"] == "acknowledged"
    await operator.call("office.queue", zone=hub.block().a.id)
    await operator.call("sos.close", sos=sos, note="A mistake.")
    assert read() == 429, "it was not paid meanwhile"
