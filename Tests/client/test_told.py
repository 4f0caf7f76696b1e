"""What the hub's sources tell on a channel is what the contract says that it carries: each event and state of it, and no other.

Read are the Redis functions, which tell all events, and for states what workers send. That a running hub sends nothing else is
held by every client of these tests (kerbside/contract.py)."""

import importlib.util
import re
from collections import defaultdict

import pytest

from kerbside import contract
from kerbside.hub import ROOT

HUB = ROOT / "Sources" / "Hub"
SOURCES = {path.name: path.read_text() for path in sorted(HUB.rglob("*.lua"))}
SWIFT = "\n".join(path.read_text() for path in sorted(HUB.rglob("*.swift")))
PEOPLE = ("driver", "bus_driver", "passenger")

#: Of functions that tell on behalf of others: their name → (where its type stands, what stands before it, whose channel it is).
FOR_OTHERS = {
    "stops.tell_citizen": (1, "", "passenger"), "stops.tell_driver": (2, "", "bus_driver"),
    "tell_passenger": (3, "reservation.", "passenger"),
}  # fmt: skip
#: Channels that are not written where something is told: (file, as they are called there) → whose they are.
WHOSE = {
    ("broadcast.lua", "notice.role .. ':' .. some[i]"): PEOPLE,
    ("notify.lua", "channel"): PEOPLE,
    ("office.lua", "channel"): PEOPLE,
    ("papers.lua", "channel"): ("driver", "bus_driver"),
    ("pickup.lua", "channel"): ("driver", "passenger"),
    ("reliability.lua", "role .. ':' .. subject"): ("driver", "passenger"),
    ("sos.lua", "f.role .. ':' .. f.subject"): PEOPLE,
    ("topic.lua", "given.channel"): ("topic",),
}  # fmt: skip
#: What workers alone are pushed: about connections, revocations, queues, and vehicles for feeds.
FOR_WORKERS = {"again", "changed", "ended", "name_taken", "record", "replaced", "speaker"}

#: Kind of channel → the events that the contract has of it.
CONTRACT = {
    kind: set(contract.SCHEMAS[f"{kind}-events.json"]["$defs"]) for kind in ("driver", "passenger", "line", "office")
} | {"catalog": {"catalog.changed"}}
#: Both drivers' channels are one to the contract.
KINDS = {kind: kind for kind in (*CONTRACT, "topic")} | {"bus_driver": "driver"}


def catalogue_tool():
    """tools/event_catalogue.py, which reads the calls of Lua, too."""
    spec = importlib.util.spec_from_file_location("event_catalogue", ROOT / "tools" / "event_catalogue.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOOL = catalogue_tool()


def calls(name):
    """(file, where, arguments) of all calls of a function."""
    for file, text in SOURCES.items():
        for match in re.finditer(rf"(?<![\w.]){re.escape(name)}\(", text):
            line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
            if "function " not in line or not re.search(r"function\s*$", line):
                yield file, match.start(), TOOL.split(text[match.end() : TOOL.closing(text, match.end() - 1)])


def types(file, at, text, before=""):
    """The types that an argument may be."""
    if re.fullmatch(r"\w+", text):
        # A name: what it was given last.
        given = re.findall(rf"local {text} = (.*)", SOURCES[file][:at])
        assert given, f"{file}: what is {text}?"
        text = given[-1]
    if ".." in text:
        form = re.sub(r"'([^']*)'|[^']+", lambda part: re.escape(part[1]) if part[1] else "[a-z_]+", text)
        return {name for names in CONTRACT.values() for name in names if re.fullmatch(form, name)}
    found = re.findall(r"'([^']*)'", text)
    assert found, f"{file}: {text} names no type"
    return {before + name for name in found}


def whose(file, text):
    """The kinds of channels that an argument may be."""
    if written := re.match(r"'(\w+):' \.\. |'(\w+)'$", text):
        return [written[1] or written[2]]
    return WHOSE[file, text]


def told():
    """kind of channel → type → where it is told."""
    found = defaultdict(lambda: defaultdict(list))
    for name in ("tell", "tell_json"):
        for file, at, arguments in calls(name):
            if file == "core.lua" and "'office'" not in arguments[1]:
                continue  # What `tell` is made of.
            channel, kind = arguments[1:3]
            if any(f"function {other}(" in SOURCES[file][at - 1500 : at].rpartition("\nend")[2] for other in FOR_OTHERS):
                continue  # Its callers say what.
            for one in whose(file, channel):
                names = {"event"} if one == "topic" else types(file, at, kind)
                for told_type in names:
                    found[KINDS[one]][told_type].append(file)
    for name, (place, before, one) in FOR_OTHERS.items():
        for file, at, arguments in calls(name):
            if arguments[place] == "one.type":
                continue  # What was put off till then.
            for told_type in types(file, at, arguments[place], before):
                found[KINDS[one]][told_type].append(file)
    return found


TOLD = told()


def test_all_kinds_of_channels_are_looked_at():
    assert set(TOLD) == {*CONTRACT, "topic"}
    # Of the schemas of events that there are, those of the city's log are held against the functions by tools/check.
    files = {file.removesuffix("-events.json") for file in contract.SCHEMAS if file.endswith("-events.json")}
    assert files == {*CONTRACT, "topic", "city"} - {"catalog"}


@pytest.mark.parametrize("kind", CONTRACT)
def test_each_event_of_a_channel_is_told_and_no_other(kind):
    assert set(TOLD[kind]) == CONTRACT[kind], {name: files for name, files in TOLD[kind].items() if name not in CONTRACT[kind]}


def test_what_is_not_written_where_it_is_told_is_still_there():
    used = {(file, arguments[1]) for name in ("tell", "tell_json") for file, _, arguments in calls(name)}
    assert set(WHOSE) <= used


def test_each_state_is_sent_and_no_other():
    states = set()
    for _, _, arguments in calls("push"):
        if len(arguments) == 6 and arguments[2] == "''":
            states |= set(re.findall(r"'([^']*)'", arguments[3]))
    assert states >= FOR_WORKERS
    states -= FOR_WORKERS
    states |= set(re.findall(r'Encode\.state\([^)]*type: "([\w.]+)"', SWIFT)) | set(re.findall(r'\beta: "([\w.]+)"', SWIFT))
    # A feed's rows are written by hand, as they are many.
    board = (ROOT / "Sources/Domain/VehicleFeeds/FeedBoard+Message.swift").read_text()
    assert '"positions"' in board
    states.add("positions")
    named = {
        message["name"] for key, message in contract.DOCUMENT["components"]["messages"].items() if key.startswith("state.")
    }
    assert states == named


@pytest.mark.parametrize(("file", "table"), [("wishes.lua", "NOTIFIES"), ("waking.lua", "WAKES")])
def test_what_one_may_mute_and_what_wakes_are_events_of_people(file, table):
    text = SOURCES[file]
    begin = text.index("{", text.index(f"local {table} ="))
    names = {re.match(r"(?:\['([\w.]+)'\]|(\w+)) =", part) for part in TOOL.split(text[begin + 1 : TOOL.closing(text, begin)])}
    found = {match[1] or match[2] for match in names}
    assert len(found) > 10 and found <= CONTRACT["driver"] | CONTRACT["passenger"]
