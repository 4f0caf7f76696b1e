"""The types of the messages for the Python library, made of the JSON Schemas of the contract:
Sources/clients/python/kerbside/messages.py. Used by tools/generate."""

import json
import keyword
import sys
import textwrap

from client_types import ROOT, SCHEMAS, pascal, settle

# Which commands are the app's own, and which of them have a key, the library knows.
sys.path.insert(0, str(ROOT / "Sources/clients/python"))
from kerbside.decisions import OF_CONNECTION, is_question

TARGET = ROOT / "Sources/clients/python/kerbside/messages.py"
WIDTH = 120
HEAD = '''"""The messages of the contract, made of config/contract/schemas by tools/generate. Don't change it by hand.

`…Fields` are those of a command, but for `id` and `key`; `…Reply` is its `ok`; `…Data` the `data` of what comes on a
channel: of one's own, or of the one that its name begins with (`Office…`, `Line…`, `City…`, `Catalog…`).
"""

from __future__ import annotations

from asyncio import Future
from collections.abc import Callable
from typing import Any, Literal, NotRequired, Protocol, TypedDict, overload

from .actions import StateChange
from .options import Message, Outcome'''
PRIMITIVES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
#: What the client itself tells, beside the messages of one's own channel.
TOLD = {
    "state": "StateChange", "gap": "str", "outcome": "Outcome", "refused": "HubError", "vehicles": "list[str]",
    "fault": "BaseException", "*": "Message",
}


class Types:
    """Python of schemas: the classes and names that they need, each below those that it is made of."""

    def __init__(self):
        #: name → its text.
        self.named = {}

    def of(self, schema, file, name):
        """The type that a schema of this file describes; an object without a name of its own gets this one."""
        if schema is True:
            return "Any"
        if "$ref" in schema:
            other, _, definition = schema["$ref"].partition("#/$defs/")
            return self.reference(other or file, definition)
        if "allOf" in schema:
            [part] = schema["allOf"]
            return self.of(part, file, name)
        if "const" in schema or "enum" in schema:
            values = schema["enum"] if "enum" in schema else [schema["const"]]
            return f"Literal[{', '.join(json.dumps(one) if isinstance(one, str) else repr(one) for one in values)}]"
        for word in ("anyOf", "oneOf"):
            # Beside properties it only says which of them go together.
            if word in schema and "properties" not in schema:
                return self.either(schema[word], file, name)
        if "if" in schema and "type" not in schema:
            return self.either([schema["then"], schema["else"]], file, name)
        kind = schema.get("type")
        if isinstance(kind, list):
            return " | ".join(PRIMITIVES[one] for one in kind)
        if kind == "array":
            # The rows of feeds are of several types, by their places.
            items = True if "prefixItems" in schema else schema.get("items", True)
            return f"list[{self.of(items, file, single(name))}]"
        return self.object(schema, file, name) if kind == "object" else PRIMITIVES.get(kind, "Any")

    def either(self, schemas, file, name):
        texts = [self.of(one, file, f"{name}{number}") for number, one in enumerate(schemas, 1)]
        # An empty list is one of anything.
        return " | ".join(dict.fromkeys(text for text in texts if text != "list[Any]" or len(set(texts)) == 1))

    def reference(self, file, definition):
        schema = SCHEMAS[file][definition]
        if schema.get("type") in PRIMITIVES and "enum" not in schema:
            return self.of(schema, file, "")
        prefix = "" if file == "common.json" else pascal(file.removesuffix(".json").removesuffix("s").replace("-", "."))
        name = prefix + pascal(definition)
        if name not in self.named:
            self.alias(name, schema, self.of(schema, file, name))
        return name

    def alias(self, name, schema, text):
        """The name for a type, which may be its class already."""
        if text != name:
            self.add(name, "\n".join([*comment(schema, ""), wrapped(f"{name} = {text}", "")]))
        return name

    def add(self, name, text):
        if self.named.setdefault(name, text) != text:
            raise ValueError(f"two types would be {name}")

    def object(self, schema, file, name, without=()):
        fields = {field: one for field, one in schema.get("properties", {}).items() if field not in without}
        others = schema.get("additionalProperties")
        if not fields and name not in NAMED_WHEN_EMPTY:
            return f"dict[str, {self.of(others, file, name) if isinstance(others, dict) else 'Any'}]"
        if any(map(keyword.iskeyword, fields)):
            return self.by_words(schema, file, name, fields)
        lines = [f"class {name}(TypedDict):", *docstring(schema, "    ")]
        if len(lines) > 1 and fields:
            lines.append("")
        for field, one in fields.items():
            text = self.of(one, file, name + pascal(field))
            text = text if field in schema.get("required", []) else f"NotRequired[{text}]"
            lines += [wrapped(f"{field}: {text}", "    "), *docstring(one, "    ")]
        self.add(name, "\n".join(lines if len(lines) > 1 else [*lines, "    pass"]))
        return name

    def by_words(self, schema, file, name, fields):
        """An object that has a word of Python as the name of a field."""
        lines = [*comment(schema, ""), f"{name} = TypedDict(", f'    "{name}",', "    {"]
        for field, one in fields.items():
            text = self.of(one, file, name + pascal(field))
            text = text if field in schema.get("required", []) else f"NotRequired[{text}]"
            lines += [*comment(one, " " * 8), wrapped(f'"{field}": {text},', " " * 8)]
        self.add(name, "\n".join([*lines, "    },", ")"]))
        return name


#: Commands without fields take none, and not any.
NAMED_WHEN_EMPTY = {f"{pascal(name)}Fields" for name in SCHEMAS["commands.json"]}


def single(name):
    """Arrivals → Arrival"""
    if name.endswith("ies"):
        return name.removesuffix("ies") + "y"
    return name.removesuffix("s") if name.endswith("s") else f"{name}Item"


def docstring(schema, indent):
    """The description, if there is one."""
    if "description" not in schema:
        return []
    mark = 'r"""' if "\\" in schema["description"] else '"""'
    lines = textwrap.wrap(mark + schema["description"] + '"""', WIDTH - len(indent), break_on_hyphens=False)
    return [indent + line for line in lines]


def comment(schema, indent):
    """The description where there can be no docstring."""
    mark = f"{indent}#: "
    return textwrap.wrap(schema.get("description", ""), WIDTH, initial_indent=mark, subsequent_indent=mark)


def wrapped(line, indent):
    """A long line in several: what is between its brackets by itself."""
    start, bracket, rest = line.partition("[")
    if len(indent + line) <= WIDTH or not bracket:
        return indent + line
    inner, end, tail = rest.rpartition("]")
    more = indent + "    "
    body = textwrap.wrap(inner, WIDTH, initial_indent=more, subsequent_indent=more, break_on_hyphens=False)
    return "\n".join([f"{indent}{start}[", *body, f"{indent}{end}{tail}"])


def told(types, prefix, *files, names=None):
    """type → name of its `data`. The same type in two files is either."""
    found = {}
    for file in files:
        for name, schema in SCHEMAS[file].items():
            if "data" in schema.get("properties", {}) and (names is None or name in names):
                found.setdefault(name, []).append((file, schema))
    rows = {}
    for name, places in found.items():
        whole, texts = f"{prefix}{pascal(name).removeprefix(prefix)}Data", {}
        for file, schema in places:
            one = whole if len(places) == 1 else pascal(file.partition("-")[0]) + whole
            about = {word: schema[word] for word in ("description",) if word in schema}
            texts[types.of(about | schema["properties"]["data"], file, one)] = None
        rows[name] = types.alias(whole, {}, " | ".join(texts))
    return rows


def commands(types):
    """command → its fields, and its reply."""
    rows = {}
    for name, schema in SCHEMAS["commands.json"].items():
        without = ("cmd", "id", "key", *(("channel",) if name == "subscribe" else ()))
        fields = types.object(schema, "commands.json", f"{pascal(name)}Fields", without)
        reply = SCHEMAS["replies.json"][name]
        text = types.of(reply["properties"]["ok"], "replies.json", f"{pascal(name)}Reply")
        is_free = not set(schema.get("required", [])) - {"cmd", "id", "key"}
        rows[name] = fields, types.alias(f"{pascal(name)}Reply", reply, text), is_free
    return rows


def own(types):
    """What comes on one's own channel: events, states, the snapshot."""
    of_feeds = {"positions", "bus"}
    rows = told(types, "", "driver-events.json", "passenger-events.json")
    rows |= told(types, "", "states.json", names=set(SCHEMAS["states.json"]) - of_feeds)
    snapshots = [snapshot(types, role) for role in ("driver", "passenger")]
    return rows | {"snapshot": types.alias("SnapshotData", {}, " | ".join(snapshots))}


def snapshot(types, whose):
    name = f"{pascal(whose)}SnapshotData"
    data = SCHEMAS["snapshots.json"][whose]["properties"]["data"]
    return types.alias(name, {}, types.of(data, "snapshots.json", name))


def method(arguments, result):
    """One of the ways to call it, on one line if it goes there."""
    line = f"    def __call__({arguments}) -> {result}: ..."
    return [line] if len(line) <= WIDTH else ["    def __call__(", f"        {arguments}", f"    ) -> {result}: ..."]


def overloads(head, rows):
    lines = head
    for row in rows:
        lines += ["    @overload", *row, ""]
    return "\n".join(lines).rstrip()


def call(rows):
    shown = []
    for name, (fields, reply, is_free) in rows.items():
        if name in OF_CONNECTION:
            continue
        key = "" if is_question(name) else ", *, key: str | None = None"
        free = " = ..." if is_free else ""
        shown.append(method(f'self, cmd: Literal["{name}"], fields: {fields}{free}{key}', f"Future[{reply}]"))
    about = '    """Sends a command; see `Kerbside.call`."""'
    return overloads(["class Call(Protocol):", about, ""], shown)


def on(rows):
    shown = []
    for name, text in (TOLD | rows).items():
        shown.append(method(f'self, type_: Literal["{name}"], handler: Callable[[{text}], object], /', "Ends"))
    about = '    """Has a handler called; see `Kerbside.on`."""'
    return overloads(["Ends = Callable[[], None]", "", "", "class On(Protocol):", about, ""], shown)


def document():
    """The text of messages.py."""
    types = Types()
    types.alias("HubError", {}, types.of(SCHEMAS["errors.json"]["error"], "errors.json", "HubError"))
    sent, heard = commands(types), own(types)
    told(types, "Office", "office-events.json")
    told(types, "Line", "line-events.json")
    told(types, "Line", "states.json", names={"bus"})
    snapshot(types, "line")
    told(types, "City", "city-events.json")
    told(types, "Catalog", "catalog.json", names={"catalog.changed"})
    return HEAD + "\n\n" + "\n\n\n".join([*types.named.values(), call(sent), on(heard)]) + "\n"


def main(is_check):
    """Writes it, or says whether it is what its sources say."""
    return settle(TARGET, document(), is_check)
