"""What a question about a line costs who asks it: as much as the hub looks through for the answer (C60)."""

import asyncio
import itertools

import pytest

from conftest import running
from kerbside import bus as buses
from kerbside.stops import MINUTE, rider

#: Of the line with many patterns, each of which costs a quarter.
PATTERNS = 120
#: What one may spend at once, nearly all of it on the patterns of two questions; one comes back each second.
BURST = 60


def load(hub):
    """`few` is a line of one pattern, `many` one of many."""
    (hub.few, hub.many), text = buses.community(2)
    first, *middle, last = hub.many.stops = [f"{hub.many.id}-{index}" for index in range(12)]
    for index, stop in enumerate(hub.many.stops):
        text["stops"][stop] = {"name": stop, **hub.many.at(index * 300).fields}
    [run] = text["lines"][hub.many.id]["runs"]
    # Each calls at other stops, from the first to the last of them.
    called = [stops for count in range(len(middle) + 1) for stops in itertools.combinations(middle, count)]
    text["lines"][hub.many.id]["runs"] = [
        run | {"stops": [{stop: f"{6 + index // 60}:{index % 60:02}"} for index, stop in enumerate((first, *stops, last))]}
        for stops in called[:PATTERNS]
    ]
    buses.load(hub, text)


@pytest.fixture(scope="module")
def hub():
    for hub in running(server__workers=1, server__commands_per_second=1, server__commands_burst=BURST):
        load(hub)
        yield hub


def eta(line, citizen):
    return "line.eta", {"line": line.id, **line.at(1500).fields}


def request(line, citizen):
    return "stop.request", {"line": line.id, "name": "Ada", **line.at(1500, north=900).fields}


def there_and_back(line, citizen):
    back = {**line.at(1500, north=900).fields, "at": citizen.now(60)}
    return "stop.request", {"line": line.id, "name": "Ada", **line.at(1500, north=900).fields, "back": back}


@pytest.mark.parametrize(
    ("question", "code", "served"), [(eta, None, 1), (request, "off_route", 2), (there_and_back, "off_route", 1)])
async def test_c60_the_patterns_of_a_line_are_paid_by_who_has_them_looked_through(hub, question, code, served):
    """Also where the answer is that the place is not on the line, which the hub knows no sooner."""
    reader, other = await rider(hub, hub.many), await rider(hub, hub.few)

    async def told(citizen, line):
        command, fields = question(line, citizen)
        return (await citizen.ask(command, **fields)).get("error", {"code": None})

    answers = [await told(reader, hub.many)]
    while answers[-1]["code"] == code:
        answers.append(await told(reader, hub.many))
    assert len(answers) == served + 1, answers
    refused = answers[-1]
    # It owes for more than the question that is refused: with nothing left that alone would be a wait of 5 s.
    assert refused["code"] == "rate_limited" and 5_000 < refused["retry_after_ms"] < MINUTE, refused
    # Of a line with one pattern it is three times as many, and others are not held up.
    assert [(await told(other, hub.few))["code"] for _ in range(3 * served)] == [code] * (3 * served)
    for citizen in (reader, other):
        await citizen.close()


async def test_c60_who_waits_as_told_is_answered(new_hub):
    """What a question costs in all is known once the line was looked up: the second wait is for all of it."""
    hub = new_hub(server__workers=1, server__commands_per_second=20, server__commands_burst=BURST).start()
    load(hub)
    reader = await rider(hub, hub.many)
    command, fields = eta(hub.many, reader)
    while "error" not in (reply := await reader.ask(command, **fields)):
        pass
    for _ in range(2):
        assert reply["error"]["code"] == "rate_limited", reply
        await asyncio.sleep(reply["error"]["retry_after_ms"] / 1000)
        reply = await reader.ask(command, **fields)
        if "ok" in reply:
            return
    pytest.fail(f"waited twice as told, and refused again: {reply}")
