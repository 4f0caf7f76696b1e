"""Messages that no decent client would send: each is answered as the contract says, and the connection lives."""

import json

import pytest

ID = 77
HUGE = "9" * 400


def text(**fields):
    return json.dumps({"id": ID, **fields})


def position(**change):
    fields = {"lat": 45.01, "lon": 9.01, "at": 1_700_000_000_000} | change
    return text(cmd="position", **{key: value for key, value in fields.items() if value is not ...})


#: name: text
NOT_JSON = {
    "nothing": "",
    "a space": " ",
    "an open brace": "{",
    "a closing brace": "}",
    "an open string": '{"cmd":"position',
    "an array": '[{"cmd":"hello"}]',
    "null": "null",
    "a number": "42",
    "a string": '"hello"',
    "true": "true",
    "a key alone": '{"cmd"}',
    "no value": '{"cmd":}',
    "no colon": '{"cmd" "hello"}',
    "a comma too many": '{"id":77,"cmd":"driver.unavailable",}',
    "a comma first": '{,"cmd":"driver.unavailable"}',
    "no comma": '{"id":77 "cmd":"driver.unavailable"}',
    "single quotes": "{'cmd':'driver.unavailable'}",
    "a bare key": '{cmd:"driver.unavailable"}',
    "a comment": '{"cmd":"driver.unavailable"/* now */}',
    "two objects": '{"cmd":"driver.unavailable"}{"cmd":"driver.unavailable"}',
    "garbage after": '{"cmd":"driver.unavailable"} x',
    "a byte order mark": '\ufeff{"cmd":"driver.unavailable"}',
    "NaN": '{"cmd":"position","lat":NaN,"lon":9,"at":1}',
    "Infinity": '{"cmd":"position","lat":Infinity,"lon":9,"at":1}',
    "a leading zero": '{"cmd":"position","lat":045,"lon":9,"at":1}',
    "a plus": '{"cmd":"position","lat":+45,"lon":9,"at":1}',
    "hexadecimal": '{"cmd":"position","lat":0x2d,"lon":9,"at":1}',
    "a bare point": '{"cmd":"position","lat":.5,"lon":9,"at":1}',
    "an ending point": '{"cmd":"position","lat":45.,"lon":9,"at":1}',
    "an open exponent": '{"cmd":"position","lat":45e,"lon":9,"at":1}',
    "a raw newline in a string": '{"cmd":"driver\n.unavailable"}',
    "a raw NUL in a string": '{"cmd":"driver\x00.unavailable"}',
    "NUL bytes": "\x00\x00\x00",
    "NUL after the object": '{"cmd":"driver.unavailable"}\x00',
    "an unknown escape": r'{"cmd":"\x64river"}',
    "a short escape": r'{"cmd":"\u00"}',
    "an escape that is not hexadecimal": r'{"cmd":"\uZZZZ"}',
    "a lone high surrogate": r'{"cmd":"\ud800"}',
    "a lone low surrogate": r'{"cmd":"\udc00"}',
    "surrogates in the wrong order": r'{"cmd":"\udc00\ud800"}',
    "a lone surrogate in a field that is ignored": r'{"cmd":"driver.unavailable","x":"\ud83d"}',
    "True": '{"cmd":True}',
    "40 levels": '{"cmd":"driver.unavailable","x":' + "[" * 40 + "]" * 40 + "}",
    "10,000 levels": '{"cmd":"driver.unavailable","x":' + "[" * 10_000 + "]" * 10_000 + "}",
    "30,000 open braces": '{"a":' * 10_000,
    "a number beyond all": '{"cmd":"driver.unavailable","x":' + HUGE + "}",
    "brackets that do not match": '{"cmd":"driver.unavailable","x":[}',
}

#: name: (text, code, field); the reply carries the id.
REFUSED = {
    "no cmd": (text(), "bad_message", "cmd"),
    "cmd null": (text(cmd=None), "bad_message", "cmd"),
    "cmd a number": (text(cmd=1), "bad_message", "cmd"),
    "cmd an object": (text(cmd={}), "bad_message", "cmd"),
    "cmd empty": (text(cmd=""), "unknown_command", None),
    "cmd unknown": (text(cmd="driver.fly"), "unknown_command", None),
    "cmd in capitals": (text(cmd="DRIVER.AVAILABLE"), "unknown_command", None),
    "cmd with a space": (text(cmd="position "), "unknown_command", None),
    "cmd with NUL": (text(cmd="position\x00"), "unknown_command", None),
    "cmd very long": (text(cmd="x" * 60_000), "unknown_command", None),
    "cmd of another alphabet": (text(cmd="роsition"), "unknown_command", None),  # noqa: RUF001 - it is
    "cmd of the prototype": (text(cmd="__proto__"), "unknown_command", None),
    "key empty": (text(cmd="driver.available", key=""), "bad_message", "key"),
    "key too long": (text(cmd="driver.available", key="k" * 65), "bad_message", "key"),
    "key with a space": (text(cmd="driver.available", key="a b"), "bad_message", "key"),
    "key with a line break": (text(cmd="driver.available", key="a\nb"), "bad_message", "key"),
    "key a number": (text(cmd="driver.available", key=5), "bad_message", "key"),
    "ride missing": (text(cmd="offer.accept"), "bad_message", "ride"),
    "ride null": (text(cmd="offer.accept", ride=None), "bad_message", "ride"),
    "ride a number": (text(cmd="offer.accept", ride=17), "bad_message", "ride"),
    "ride empty": (text(cmd="offer.accept", ride=""), "bad_message", "ride"),
    "ride too long": (text(cmd="offer.accept", ride="r" * 65), "bad_message", "ride"),
    "ride with a line break": (text(cmd="offer.accept", ride="r\r\nDEL x"), "bad_message", "ride"),
    "ride with a wildcard": (text(cmd="offer.accept", ride="*"), "bad_message", "ride"),
    "ride of another alphabet": (text(cmd="offer.accept", ride="rïde"), "bad_message", "ride"),
    "ride an array": (text(cmd="ride.end", ride=["r1"]), "bad_message", "ride"),
    "passengers 0": (text(cmd="ride.aboard", passengers=0), "bad_message", "passengers"),
    "passengers 100": (text(cmd="ride.aboard", passengers=100), "bad_message", "passengers"),
    "passengers 1.5": (text(cmd="ride.aboard", passengers=1.5), "bad_message", "passengers"),
    "passengers a string": (text(cmd="ride.aboard", passengers="2"), "bad_message", "passengers"),
    "passengers true": (text(cmd="ride.aboard", passengers=True), "bad_message", "passengers"),
    "lat missing": (position(lat=...), "bad_message", "lat"),
    "lat a string": (position(lat="45.01"), "bad_message", "lat"),
    "lat null": (position(lat=None), "bad_message", "lat"),
    "lat beyond the pole": (position(lat=90.0001), "bad_message", "lat"),
    "lat -91": (position(lat=-91), "bad_message", "lat"),
    "lat 1e308": (position(lat=1e308), "bad_message", "lat"),
    "lat 1e999": (position().replace("45.01", "1e999"), "bad_message", None),
    "lat of 400 digits": (position().replace("45.01", HUGE), "bad_message", None),
    "lon 180.1": (position(lon=180.1), "bad_message", "lon"),
    "lon missing": (position(lon=...), "bad_message", "lon"),
    "lon an array": (position(lon=[9.01]), "bad_message", "lon"),
    "at missing": (position(at=...), "bad_message", "at"),
    "at a string": (position(at="2026-01-01T00:00:00Z"), "bad_message", "at"),
    "at negative": (position(at=-1), "bad_message", "at"),
    "at with a fraction": (position(at=1.5), "bad_message", "at"),
    "at beyond 2^53": (position(at=1 << 60), "bad_message", "at"),
    "at in seconds": (position(at=1_795_210_199), "bad_message", "at"),
    "at in the far future": (position(at=9_000_000_000_000), "clock_skew", None),
    "heading -1": (position(heading=-1), "bad_message", "heading"),
    "heading 361": (position(heading=361), "bad_message", "heading"),
    "heading north": (position(heading="N"), "bad_message", "heading"),
    "speed -1": (position(speed=-1), "bad_message", "speed"),
    "speed of light": (position(speed=299_792_458), "bad_message", "speed"),
    "accuracy -1": (position(accuracy=-1), "bad_message", "accuracy"),
    "accuracy of a planet": (position(accuracy=12_742_000), "bad_message", "accuracy"),
    "channel missing": (text(cmd="subscribe"), "bad_message", "channel"),
    "channel a number": (text(cmd="subscribe", channel=1), "bad_message", "channel"),
    "channel empty": (text(cmd="subscribe", channel=""), "bad_message", "channel"),
    "channel very long": (text(cmd="subscribe", channel="vehicle:" + "x" * 500), "bad_message", "channel"),
    "channel with a line break": (text(cmd="subscribe", channel="vehicle:a\nb"), "bad_message", "channel"),
    "channel of everybody": (text(cmd="subscribe", channel="driver:*"), "forbidden", None),
    "hello a second time": (text(cmd="hello"), "bad_message", "token"),
    "a token that is none for a second hello": (text(cmd="hello", token="x"), "unauthenticated", None),
    "resume an array": (text(cmd="hello", token="x", resume=[]), "bad_message", "resume"),
    "resume of 17": (
        text(cmd="hello", token="x", resume={f"driver:{n}": "1-1" for n in range(17)}),
        "bad_message",
        "resume",
    ),
}

#: Ids that no reply can carry.
BAD_IDS = {
    "negative": "-1",
    "a fraction": "1.5",
    "a string": '"1"',
    "true": "true",
    "an object": "{}",
    "an array": "[1]",
    "2^53": "9007199254740992",
    "1e400": "1e400",
    "400 digits": HUGE,
}

#: Strange, and valid: the driver goes unavailable. name: text
FINE = {
    "fields that nobody knows": text(cmd="driver.unavailable", x=1, y={"z": [None, True, {"cmd": "hello"}]}),
    "white space": ' \t\r\n{ "id" : 77 , "cmd" : "driver.unavailable" } \n',
    "escaped names": r'{"\u0069d":77,"\u0063\u006d\u0064":"driver\u002eunavailable"}',
    "the last of two wins": '{"id":1,"cmd":"driver.fly","cmd":"driver.unavailable","id":77}',
    "30 levels": '{"id":77,"cmd":"driver.unavailable","x":' + "[" * 30 + "]" * 30 + "}",
    "a surrogate pair": r'{"id":77,"cmd":"driver.unavailable","x":"\ud83d\ude95"}',
    "a big number that is ignored": '{"id":77,"cmd":"driver.unavailable","x":' + "9" * 30 + ".5e-3}",
    "60 KB": text(cmd="driver.unavailable", x="x" * 60_000),
    "a key of 64": text(cmd="driver.unavailable", key="Az09_.:-" * 8),
}


@pytest.fixture
def calm(hub, cast):
    """A connected driver, and how to make sure that it still is."""

    class Calm:
        async def driver(self):
            driver = cast.driver(hub)
            await driver.connect()
            return driver

        async def answer(self, driver, message):
            """The one reply to a message that is sent as it is; the connection answers the next command."""
            del driver.pushed[:]
            future = driver.expect_reply(ID)
            await driver.send(message)
            await driver.barrier()
            errors = [m for m in driver.pushed if "error" in m]
            return [*errors, *([future.result()] if future.done() else [])]

    return Calm()


@pytest.mark.parametrize("name", NOT_JSON)
async def test_what_is_not_json_is_refused(calm, name):
    driver = await calm.driver()
    [reply] = await calm.answer(driver, NOT_JSON[name])
    assert reply["error"]["code"] == "bad_message"
    assert "id" not in reply or (reply["id"] == ID and NOT_JSON[name].startswith('{"id":77')), "read before it broke"


@pytest.mark.parametrize("name", REFUSED)
async def test_what_is_wrong_is_named(calm, name):
    message, code, field = REFUSED[name]
    driver = await calm.driver()
    [reply] = await calm.answer(driver, message)
    assert reply["error"]["code"] == code, reply
    if field is not None:
        assert (reply["id"], reply["error"]["field"]) == (ID, field)
    assert len(json.dumps(reply)) < 1000, "a refusal does not give back what was sent at length"


@pytest.mark.parametrize("name", BAD_IDS)
async def test_an_unusable_id_is_not_given_back(calm, name):
    driver = await calm.driver()
    [reply] = await calm.answer(driver, f'{{"id":{BAD_IDS[name]},"cmd":"driver.unavailable"}}')
    assert reply["error"]["code"] == "bad_message" and "id" not in reply
    assert reply["error"].get("field", "id") == "id"


@pytest.mark.parametrize("name", FINE)
async def test_what_is_only_strange_is_served(calm, name):
    driver = await calm.driver()
    assert await calm.answer(driver, FINE[name]) == [{"id": ID, "ok": {"state": "unavailable"}}]


@pytest.mark.parametrize("number", [0, 1, 9_007_199_254_740_991])
async def test_any_usable_id_is_given_back(calm, number):
    driver = await calm.driver()
    future = driver.expect_reply(number)
    await driver.send({"id": number, "cmd": "driver.unavailable"})
    await driver.wait(lambda: future.done() or None, "the reply")
    assert future.result()["id"] == number


async def test_a_command_without_an_id_is_answered_only_if_it_is_refused(calm):
    driver = await calm.driver()
    await driver.send({"cmd": "driver.unavailable"})
    await driver.send({"cmd": "position", "lat": 45.01, "lon": 9.01, "at": driver.clock})
    await driver.barrier()
    assert not [m for m in driver.pushed if "error" in m]
    await driver.send({"cmd": "offer.accept", "ride": "nobody-knows"})
    await driver.send({"cmd": "position", "lat": 95, "lon": 9.01, "at": driver.clock})
    await driver.barrier()
    assert sorted(m["error"]["code"] for m in driver.pushed if "error" in m) == ["bad_message", "not_found"]


async def test_the_null_island_is_no_position(calm):
    driver = await calm.driver()
    reply = await driver.ask("position", lat=0, lon=0, at=driver.clock)
    assert reply["error"]["code"] in ("bad_position", "bad_message")
    await driver.refused("driver.available", "no_position")


async def test_a_clock_that_is_ahead_is_told_by_how_much(calm):
    driver = await calm.driver()
    error = await driver.refused("position", "clock_skew", lat=45.01, lon=9.01, at=driver.clock + 3_730_000)
    assert any(digit.isdigit() for digit in error["detail"])
    await driver.call("position", lat=45.01, lon=9.01, at=driver.clock)


async def test_names_of_all_allowed_characters_are_only_names(hub, cast):
    here = hub.block()
    driver = type(cast.driver(hub))(hub, "T.x_.-.pos.queue.events", here.a.stand)
    passenger = type(cast.passenger(hub))(hub, "-_.ride.1")
    await driver.go_available()
    await passenger.connect()
    reply = await passenger.call("ride.request", **here.a.centre.fields, passengers=1, key="..:--__")
    await driver.accept(reply["ride"])
    await passenger.until("ride.accepted", taxi=driver.subject)
