"""The contract is sound: it resolves, is complete, and its examples are what it says."""

import json
import re

import pytest
import yaml
from jsonschema import Draft202012Validator

from kerbside import contract
from kerbside.contract import DOCUMENT, SCHEMAS

CONNECTION = DOCUMENT["channels"]["connection"]
MESSAGES = DOCUMENT["components"]["messages"]

#: The names that are fixed, of the scope that exists so far.
DRIVER_EVENTS = """queue.joined queue.left offer.made offer.withdrawn ride.assigned ride.confirm_aboard
    ride.pickup_moved seat.pickup_moved
    ride.cancelled seat.requested seat.withdrawn seat.assigned seat.waiting seat.confirm_aboard seat.aboard seat.ended
    seat.cancelled seats.changed notify.changed notice tour.ended
    stop.requested stop.unanswered stop.withdrawn stop.list
    advice.wait reliability.warned reliability.paused
    payment.changed
    sos.acknowledged sos.closed""".split()
PASSENGER_EVENTS = """ride.searching ride.accepted ride.failed ride.near ride.arrived ride.aboard ride.ended
    ride.cancelled ride.driver_lost ride.driver_back seat.pending seat.confirmed seat.declined seat.near seat.arrived
    seat.aboard seat.ended seat.cancelled seat.driver_lost seat.driver_back route.changed notify.changed
    notice seat.searching seat.failed
    reservation.made reservation.reminder reservation.searching reservation.waiting reservation.assigned
    reservation.failed reservation.cancelled reliability.warned reliability.paused payment.changed
    stop.pending stop.accepted stop.declined stop.expired stop.reminder stop.near stop.arrived
    stop.completed stop.noshow stop.cancelled
    sos.acknowledged sos.closed""".split()
LINE_EVENTS = ["schedule.changed"]
OFFICE_EVENTS = """sos.raised sos.updated sos.acknowledged sos.closed caller.told report.sent
    papers.ending""".split()
STATES = "queue.rank ride.eta seat.eta stop.eta seat.stops positions bus tour".split()
CITY_EVENTS = sorted(yaml.safe_load((contract.DIRECTORY / "events.yaml").read_text())["events"])
COMMANDS = """hello position driver.available driver.unavailable offer.seen offer.accept offer.decline ride.aboard
    ride.end ride.noshow ride.request ride.cancel ride.search ride.share ride.unshare subscribe unsubscribe watch unwatch
    seats.set route.set publish
    seat.book seat.request seat.accept seat.decline seat.cancel seat.aboard seat.end vehicle.get notify.set
    push.subscribe push.unsubscribe broadcast
    tour.start tour.end stop.next stop.previous
    line.eta stop.request stop.cancel stop.accept stop.decline stop.complete stop.noshow
    office.queue office.driver office.ride office.remove office.put office.offer
    office.reassign office.cancel office.end office.block office.unblock office.session_end office.audit records.list
    sos sos.cancel sos.list sos.acknowledge sos.close report.send report.list report.close
    drivers.set drivers.get drivers.list drivers.remove vehicles.set vehicles.get vehicles.list vehicles.remove
    reservation.make reservation.list reservation.cancel
    advice.get reliability.get reliability.of reliability.reset
    fare.estimate payment.report receipt.get trip.rate ratings.get trips.list""".split()


def target(reference, document=DOCUMENT, file="asyncapi.yaml"):
    """What a `$ref` points to."""
    path, _, pointer = reference.partition("#")
    if path:
        document = SCHEMAS[path.removeprefix("./schemas/")]
    for part in pointer.strip("/").split("/"):
        assert part in document, f"{reference} in {file} leads nowhere at {part}"
        document = document[part]
    return document


def references(node):
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for key, value in node.items():
            if key != "examples":
                yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def payload_place(message):
    """(file, definition) of a message's payload."""
    return re.fullmatch(r"\./schemas/([\w.-]+)#/\$defs/(.+)", message["payload"]["$ref"]).groups()


def test_every_reference_of_the_document_resolves():
    found = list(references(DOCUMENT))
    assert len(found) > 150
    for reference in found:
        target(reference)


@pytest.mark.parametrize("file", SCHEMAS)
def test_schemas_are_2020_12_and_their_references_resolve(file):
    schema = SCHEMAS[file]
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"].endswith("/" + file)
    Draft202012Validator.check_schema(schema)
    for reference in references(schema):
        target(reference, schema, file)


@pytest.mark.parametrize("file", SCHEMAS)
def test_schemas_keep_to_what_draft_07_tools_read_alike(file):
    """Nothing beside a `$ref`, which draft 07 would ignore; no keyword that it does not know, but decision 68's."""

    def walk(node):
        if isinstance(node, dict):
            if "$ref" in node and isinstance(node["$ref"], str):
                assert set(node) == {"$ref"}, node
            assert not set(node) & {"unevaluatedProperties", "dependentRequired", "dependentSchemas", "$dynamicRef"}
            for value in node.values():
                walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)

    walk(SCHEMAS[file])


def test_document_has_the_shape_of_asyncapi_3():
    assert re.fullmatch(r"3\.\d+\.\d+", DOCUMENT["asyncapi"])
    assert set(DOCUMENT) == {
        "asyncapi",
        "info",
        "defaultContentType",
        "servers",
        "channels",
        "operations",
        "components",
    }
    assert {"title", "version"} <= set(DOCUMENT["info"])
    for server in DOCUMENT["servers"].values():
        assert {"host", "protocol"} <= set(server) and server["protocol"] in ("ws", "wss")
    assert list(DOCUMENT["channels"]) == ["connection"], "one connection is one channel"
    assert CONNECTION["address"] == "/v1/connect"
    assert set(CONNECTION["bindings"]["ws"]) <= {"method", "query", "headers", "bindingVersion"}
    for name in [*MESSAGES, *DOCUMENT["operations"], *CONNECTION["messages"]]:
        assert re.fullmatch(r"[a-zA-Z0-9.\-_]+", name)


def test_operations_say_who_sends_what():
    seen = set()
    for name, operation in DOCUMENT["operations"].items():
        assert operation["action"] in ("send", "receive"), name
        assert set(operation) <= {"action", "summary", "channel", "messages", "reply"}, name
        assert operation["channel"] == {"$ref": "#/channels/connection"}
        used = [m["$ref"] for m in operation["messages"]]
        if operation["action"] == "receive":
            reply = operation["reply"]
            assert reply["channel"] == operation["channel"]
            used += [m["$ref"] for m in reply["messages"]]
            command = operation["messages"][0]["$ref"].rsplit("/cmd.")[1]
            assert used[1:] == [f"#/channels/connection/messages/ok.{command}", "#/channels/connection/messages/error"]
        else:
            assert "reply" not in operation, name
        assert all(reference.startswith("#/channels/connection/messages/") for reference in used)
        seen.update(reference.rsplit("/", 1)[1] for reference in used)
    assert seen == set(CONNECTION["messages"]) == set(MESSAGES), "every message is sent or received by an operation"


def test_all_names_of_the_contract_are_there_and_no_others():
    assert sorted(SCHEMAS["commands.json"]["$defs"]) == sorted(COMMANDS)
    assert sorted(SCHEMAS["replies.json"]["$defs"]) == sorted(COMMANDS)
    assert sorted(SCHEMAS["driver-events.json"]["$defs"]) == sorted(DRIVER_EVENTS)
    assert sorted(SCHEMAS["passenger-events.json"]["$defs"]) == sorted(PASSENGER_EVENTS)
    assert sorted(SCHEMAS["line-events.json"]["$defs"]) == sorted(LINE_EVENTS)
    assert sorted(SCHEMAS["office-events.json"]["$defs"]) == sorted(OFFICE_EVENTS)
    assert sorted(SCHEMAS["city-events.json"]["$defs"]) == CITY_EVENTS
    assert set(STATES) < set(SCHEMAS["states.json"]["$defs"])
    expected = [f"{kind}.{name}" for kind in ("cmd", "ok") for name in COMMANDS]
    expected += [f"driver.{name}" for name in DRIVER_EVENTS] + [f"passenger.{name}" for name in PASSENGER_EVENTS]
    expected += [f"state.{name}" for name in STATES] + ["error", "gap", "topic.event", "catalog.changed"]
    expected += [f"line.{name}" for name in LINE_EVENTS] + [f"office.{name}" for name in OFFICE_EVENTS]
    expected += [f"city.{name}" for name in CITY_EVENTS]
    expected += ["snapshot.driver", "snapshot.passenger", "snapshot.feed", "snapshot.line"]
    assert sorted(MESSAGES) == sorted(expected)


@pytest.mark.parametrize("name", MESSAGES)
def test_examples_are_what_their_schema_says(name):
    message = MESSAGES[name]
    assert message["summary"] and message["contentType"] == "application/json"
    file, definition = payload_place(message)
    examples = [example["payload"] for example in message["examples"]]
    assert examples, f"{name} has no example"
    for example in examples:
        error = next(contract.validator(file, definition).iter_errors(example), None)
        assert error is None, f"{name}: {error.json_path}: {error.message}"
        json.dumps(example, allow_nan=False)


@pytest.mark.parametrize("name", MESSAGES)
def test_a_schema_refuses_an_example_that_lacks_a_required_field(name):
    message = MESSAGES[name]
    file, definition = payload_place(message)
    example = message["examples"][0]["payload"]
    for field in SCHEMAS[file]["$defs"][definition]["required"]:
        broken = {key: value for key, value in example.items() if key != field}
        assert list(contract.validator(file, definition).iter_errors(broken)), f"{name} without {field} passes"
    unknown = {**example, "unheard_of": 1}
    assert list(contract.validator(file, definition).iter_errors(unknown)), "closed for the tests"
    assert not list(contract.validator(file, definition, strict=False).iter_errors(unknown)), "open for clients"


def test_the_judge_finds_the_schema_of_each_example():
    for name, message in MESSAGES.items():
        for example in message["examples"]:
            payload = example["payload"]
            if name.startswith("cmd."):
                contract.check_command(payload)
            elif name.startswith("ok."):
                contract.check_reply(name.removeprefix("ok."), payload)
            else:
                contract.check_push(payload)
    with pytest.raises(contract.Breach):
        contract.check_push({"ch": "driver:T1", "seq": "1", "type": "ride.near", "time": 1, "data": {}})


def test_error_codes_are_one_closed_list():
    assert list(contract.ERROR_CODES) == SCHEMAS["errors.json"]["$defs"]["code"]["enum"]
    for code, row in contract.ERROR_CODES.items():
        assert set(row) == {"title", "retry", "status", "meaning"} and isinstance(row["retry"], bool), code
    for code in ("zone_empty", "unavailable", "rate_limited"):
        assert contract.ERROR_CODES[code]["retry"], f"{code} tells to try again later"


def test_close_codes_have_a_rule_for_coming_back():
    assert set(contract.CLOSE_CODES) >= {1002, 1003, 1007, 1008, 1009, 1012, 1013, 4401, 4403, 4408, 4410, 4420, 4429}
    for code, row in contract.CLOSE_CODES.items():
        assert set(row) == {"meaning", "reconnect"} and all(isinstance(text, str) for text in row.values()), code
