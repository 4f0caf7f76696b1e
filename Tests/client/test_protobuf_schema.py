"""kerbside.proto has all that the JSON contract has, and no message more: each command, reply, event and state with each field."""

import pytest

from kerbside import contract
from kerbside.protobuf import schema

SCHEMAS = contract.SCHEMAS
#: Name → (the file of its schema, its name there).
EVENTS = {
    name: (file, name)
    for file in ("driver-events.json", "passenger-events.json", "line-events.json", "office-events.json")
    for name in SCHEMAS[file]["$defs"]
}
STATES = {
    message["name"]: ("states.json", message["name"])
    for key, message in contract.DOCUMENT["components"]["messages"].items()
    if key.startswith("state.") and message["name"] != "positions"  # Rows of vehicles have messages of their own.
}


def resolved(node, file):
    """(schema, its file) behind references."""
    while "$ref" in node:
        path, _, pointer = node["$ref"].partition("#")
        file = path.removeprefix("./") or file
        node = SCHEMAS[file]
        for part in pointer.strip("/").split("/"):
            node = node[part]
    return node, file


def parts(node, file):
    """All schemas that hold of the same value."""
    node, file = resolved(node, file)
    yield node, file
    for word in ("allOf", "anyOf", "oneOf"):
        for part in node.get(word, []):
            yield from parts(part, file)


def properties(node, file):
    """name → [(schema, its file)] of an object, however it is put together."""
    found = {}
    for part, where in parts(node, file):
        for name, one in part.get("properties", {}).items():
            found.setdefault(name, []).append((one, where))
    return found


def items(node, file):
    """[(schema, its file)] of a list's members."""
    return [(part["items"], where) for part, where in parts(node, file) if isinstance(part.get("items"), dict)]


def unlike(wants, message, path="", seen=()):
    """What the schemas have and the message of Protocol Buffers lacks, at whatever depth.

    wants: [(schema, its file)] of one object; seen: fields that lead here, as an object may hold others of its kind."""
    found = []
    names = {}
    for node, file in wants:
        for name, more in properties(node, file).items():
            names.setdefault(name, []).extend(more)
    for name, more in names.items():
        field = message.fields_by_name.get(name)
        if field is None:
            found.append(f"{path}{name} is no field of {message.name}")
            continue
        inner = [*more, *(one for schema_and_file in more for one in items(*schema_and_file))]
        has_more = any(properties(*one) for one in inner)
        if field.message_type is None:
            if has_more and field.type != field.TYPE_BYTES:
                found.append(f"{path}{name} is an object, and no message in {message.name}")
        elif not field.message_type.GetOptions().map_entry and (message.name, name) not in seen:
            found += unlike(inner, field.message_type, f"{path}{name}.", (*seen, (message.name, name)))
    return found


def data_of(file, name):
    """The schema of a pushed message's data."""
    return properties({"$ref": f"{file}#/$defs/{name}"}, file)["data"]


def messages(kind, oneof):
    """name with dots → the message, of the alternatives of a oneof but for JSON."""
    fields = schema().DESCRIPTOR.message_types_by_name[kind].oneofs_by_name[oneof].fields
    return {field.name: field.message_type for field in fields if field.name != "json"}


@pytest.mark.parametrize(("kind", "known"), [("Event", EVENTS), ("State", STATES)], ids=["events", "states"])
def test_each_of_people_lines_and_the_office_has_its_message_with_all_its_fields(kind, known):
    its, found = messages(kind, "data"), []
    assert {*its} - {"catalog_changed"} == {name.replace(".", "_") for name in known}
    for name, (file, key) in known.items():
        found += unlike(data_of(file, key), its[name.replace(".", "_")], f"{name}: ")
    assert found == []


def test_a_change_of_the_catalog_has_its_message_with_all_its_fields():
    its = messages("Event", "data")
    assert "catalog_changed" in its, "of topics and of events:… alone the data is JSON"
    assert unlike(data_of("catalog.json", "catalog.changed"), its["catalog_changed"]) == []


def test_each_reply_has_its_message_with_all_its_fields():
    its = messages("Reply", "ok")
    assert set(its) == {name.replace(".", "_") for name in contract.COMMANDS}
    found = []
    for name in contract.COMMANDS:
        wants = properties({"$ref": f"replies.json#/$defs/{name}"}, "replies.json")["ok"]
        found += unlike(wants, its[name.replace(".", "_")], f"{name}: ")
    assert found == []


def test_each_field_of_a_command_can_be_said():
    message = schema().DESCRIPTOR.message_types_by_name["ClientMessage"]
    found = []
    for name in contract.COMMANDS:
        wants = [({"$ref": f"commands.json#/$defs/{name}"}, "commands.json")]
        found += unlike(wants, message, f"{name}: ")
    assert found == []


def test_snapshots_have_their_messages_with_all_their_fields():
    found = []
    for name, message in messages("Snapshot", "data").items():
        found += unlike(data_of("snapshots.json", name), message, f"{name}: ")
    assert found == []


def test_an_error_has_all_its_fields():
    [wants] = properties({"$ref": "errors.json#/$defs/reply"}, "errors.json")["error"]
    message = schema().DESCRIPTOR.message_types_by_name["Error"]
    assert unlike([wants], message) == []
