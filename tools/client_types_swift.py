"""The types of the messages for the Swift library, made of the JSON Schemas of the contract:
Sources/clients/swift/KerbsideClient/Messages. Used by tools/generate."""

import json
import re
import textwrap

from client_types import ROOT, SCHEMAS, pascal, settle

TARGET = ROOT / "Sources/clients/swift/KerbsideClient/Messages"
WIDTH = 120
HEAD = """// The messages of the contract, made of config/contract/schemas by tools/generate. Don't change it by hand.
// swift-format-ignore-file
"""
PRIMITIVES = {"string": "String", "integer": "Int", "number": "Double", "boolean": "Bool"}
#: What can't be the name of a field, or of a type in another, as it stands.
WORDS = {"as", "break", "case", "class", "continue", "default", "do", "else", "enum", "for", "func", "if", "import", "in", "init",
         "is", "let", "operator", "private", "protocol", "public", "repeat", "return", "self", "static", "struct", "switch",
         "throw", "true", "false", "var", "where", "while"}
TYPES = {"Type": "TypeName", "Self": "SelfName", "Protocol": "ProtocolName", "String": "StringValue", "Reply": "ReplyValue"}
#: The client sends them by itself, and has its own ways for the app to say so.
OF_CONNECTION = ("hello", "position", "offer.seen", "subscribe", "unsubscribe", "watch", "unwatch")


def camel(name):
    """expires_at → expiresAt"""
    first, *others = name.split("_")
    return first + "".join(one[:1].upper() + one[1:] for one in others)


def word_name(value):
    """no_show → noShow, ride.near → rideNear, 100_50 → _100_50"""
    first, *others = re.split(r"[^a-zA-Z0-9]+", value)
    if first[:1].isdigit():
        return "_" + "_".join([first, *others])
    return shown(first + "".join(one[:1].upper() + one[1:] for one in others))


def shown(name):
    return f"`{name}`" if name in WORDS else name


def own(field):
    """A field in its type; an argument or another field may be called alike."""
    name = camel(field)
    return f"self.{name}" if name in WORDS or name in ("json", "fields") else name


def absolute(schema, file):
    """The schema with references that name their file."""
    if isinstance(schema, list):
        return [absolute(one, file) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        word: file + one if word == "$ref" and one.startswith("#") else absolute(one, file) for word, one in schema.items()
    }


SCHEMAS = {file: absolute(schemas, file) for file, schemas in SCHEMAS.items()}


def single(name):
    """Arrivals → Arrival"""
    if name.endswith("ies"):
        return name.removesuffix("ies") + "y"
    return name.removesuffix("s") if name.endswith("s") else f"{name}Item"


def comment(schema, indent):
    """The description, if there is one."""
    mark = f"{indent}/// "
    text = schema.get("description", "") if isinstance(schema, dict) else ""
    return textwrap.wrap(text, WIDTH, initial_indent=mark, subsequent_indent=mark, break_on_hyphens=False)


def resolved(schema):
    """What a reference stands for."""
    while "$ref" in schema:
        file, _, name = schema["$ref"].partition("#/$defs/")
        schema = SCHEMAS[file][name]
    return schema


def merged(schemas):
    """One object that has what any of these has; what not all have may be missing."""
    fields, required = {}, None
    for schema in map(resolved, schemas):
        names = set(schema.get("required", []))
        required = names if required is None else required & names
        for name, one in schema.get("properties", {}).items():
            fields[name] = one if name not in fields else either(fields[name], one)
    return {"type": "object", "properties": fields, "required": sorted(required)}


def either(one, other):
    if one == other:
        return one
    words = [part.get("enum", [part["const"]] if "const" in part else None) for part in map(resolved, (one, other))]
    if None not in words:
        return {"enum": list(dict.fromkeys([*words[0], *words[1]]))}
    return {"anyOf": [one, other]}


class Types:
    """Swift of schemas. `lines` of types that an object needs stand in it; what is shared is in `parts`."""

    def __init__(self, sent=frozenset()):
        #: name → its lines.
        self.parts = {}
        #: Parts of what apps send, as far as they are known: they have to be made.
        self.sent = set(sent)

    def of(self, schema, name, inner, is_sent):
        """The type that a schema describes, and whether it may be null; an object without a name of its own gets this one, and
        is added to the inner ones."""
        if schema is True:
            return "JSON", False
        if "$ref" in schema:
            return self.reference(schema["$ref"], is_sent)
        if "allOf" in schema:
            [part] = schema["allOf"]
            return self.of(part, name, inner, is_sent)
        if "enum" in schema:
            return self.word(schema["enum"], name, inner)
        if "const" in schema:
            return ("Bool" if isinstance(schema["const"], bool) else "String"), False
        for word in ("anyOf", "oneOf"):
            # Beside properties it only says which of them go together.
            if word in schema and "properties" not in schema:
                return self.either(schema[word], name, inner, is_sent)
        kind = schema.get("type")
        if isinstance(kind, list):
            others = [one for one in kind if one != "null"]
            return (PRIMITIVES[others[0]] if len(others) == 1 else "JSON"), "null" in kind
        if kind == "array":
            if "prefixItems" in schema:
                return "[JSON]", False
            text, can_be_null = self.of(schema.get("items", True), single(name), inner, is_sent)
            return f"[{text}{'?' if can_be_null else ''}]", False
        if kind == "object":
            return self.object(schema, name, inner, is_sent), False
        return PRIMITIVES.get(kind, "JSON"), kind is None and schema == {}

    def either(self, schemas, name, inner, is_sent):
        others = [one for one in schemas if one.get("type") != "null"]
        can_be_null = len(others) < len(schemas)
        # An empty list is one of anything.
        others = [one for one in others if one.get("maxItems") != 0] or others
        if len(others) == 1:
            return self.of(others[0], name, inner, is_sent)[0], can_be_null
        if all(resolved(one).get("type") == "object" for one in others):
            return self.object(merged(others), name, inner, is_sent), can_be_null
        texts = {self.of(one, name, {}, is_sent)[0] for one in others}
        return (texts.pop() if len(texts) == 1 else "JSON"), can_be_null

    def reference(self, reference, is_sent):
        file, _, definition = reference.partition("#/$defs/")
        schema = SCHEMAS[file][definition]
        prefix = "" if file == "common.json" else pascal(file.removesuffix(".json").removesuffix("s").replace("-", "."))
        name = prefix + pascal(definition)
        name = TYPES.get(name, name)
        if is_sent:
            self.sent.add(name)
        if name not in self.parts:
            inner = {}
            text, can_be_null = self.of(schema, name, inner, name in self.sent)
            if text != name:
                for one in inner:
                    text = re.sub(rf"\b{one}\b", f"Parts.{one}", text)
                self.parts.update(inner)
                return text, can_be_null
            self.parts.update(inner)
        return f"Parts.{name}", False

    def word(self, values, name, inner):
        if not all(isinstance(one, str) for one in values if one is not None):
            return "JSON", None in values
        lines = [f"public struct {name}: Word {{", "    public let rawValue: String",
                 "    public init(rawValue: String) { self.rawValue = rawValue }"]
        for one in values:
            if one is not None:
                lines.append(f"    public static var {word_name(one)}: Self {{ Self(rawValue: {json.dumps(one)}) }}")
        self.add(inner, name, [*lines, "}"])
        return name, None in values

    @staticmethod
    def add(inner, name, lines):
        if inner.setdefault(name, lines) != lines:
            raise ValueError(f"two types would be {name}")

    def object(self, schema, name, inner, is_sent):
        if not schema.get("properties"):
            others = schema.get("additionalProperties")
            if not isinstance(others, dict):
                return "[String: JSON]"
            text, can_be_null = self.of(others, single(name), inner, is_sent)
            return f"[String: {text}{'?' if can_be_null else ''}]"
        self.add(inner, name, self.struct(schema, name, "Part" if is_sent else "Readable, Sendable", is_sent))
        return name

    def struct(self, schema, name, protocols, is_sent, without=(), extra=(), is_told=True):
        """The lines of a struct."""
        fields, nested, lines = [], {}, []
        for field, one in schema.get("properties", {}).items():
            if field in without:
                continue
            about = pascal(field)
            text, can_be_null = self.of(one, TYPES.get(about, about), nested, is_sent)
            is_free = field not in schema.get("required", [])
            if can_be_null and is_sent:
                text = f"OrNull<{text}>"
            mark = "?" if is_free or (can_be_null and not is_sent) else ""
            lines += comment(one, "    ")
            lines.append(f"    public var {shown(camel(field))}: {text}{mark}")
            fields.append((field, text, mark))
        body = [*extra, *lines]
        if is_told:
            body += ["", "    public init(_ json: JSON) throws {"]
            for field, _, mark in fields:
                body.append(f'        {own(field)} = try json.{"maybe" if mark else "field"}("{field}")')
            body.append("    }")
        if is_sent:
            body += self.making(fields)
        for lines in nested.values():
            body += ["", *(f"    {line}" if line else "" for line in lines)]
        return [*comment(schema, ""), f"public struct {name}: {protocols} {{", *body, "}"]

    @staticmethod
    def making(fields):
        """How it is made, and written."""
        order = sorted(fields, key=lambda field: bool(field[2]))
        arguments = ", ".join(f"{camel(name)}: {text}{mark}{' = nil' if mark else ''}" for name, text, mark in order)
        lines = ["", f"    public init({arguments}) {{"]
        lines += [f"        self.{camel(name)} = {shown(camel(name))}" for name, _, _ in fields]
        if not fields:
            return ["", "    public init() {}", "    public var fields: [String: JSON] { [:] }"]
        lines += ["    }", "", "    public var fields: [String: JSON] {", "        var fields: [String: JSON] = [:]"]
        lines += [f'        fields["{name}"] = {own(name)}{mark}.json' for name, _, mark in fields]
        return [*lines, "        return fields", "    }"]

    def told(self, name, type_, schema):
        """The lines of an event."""
        data = schema["properties"]["data"]
        about = {word: schema[word] for word in ("description",) if word in schema}
        for word in ("anyOf", "oneOf"):
            if word in data and "properties" not in data:
                data = merged(data[word])
        data = resolved(data)
        extra = [f'    public static let type = "{type_}"']
        if data.get("type") == "object" and data.get("properties"):
            return self.struct(data | about, name, "Event", False, extra=extra)
        inner = {}
        text, _ = self.of(data, "Value", inner, False)
        lines = [*comment(about, ""), f"public struct {name}: Event {{", *extra, f"    public let data: {text}", "",
                 "    public init(_ json: JSON) throws {", f"        data = try {text}(json)", "    }"]
        for one in inner.values():
            lines += ["", *(f"    {line}" for line in one)]
        return [*lines, "}"]


def commands(types):
    for name, schema in SCHEMAS["commands.json"].items():
        if name in OF_CONNECTION:
            continue
        title = pascal(name)
        inner = {}
        reply = SCHEMAS["replies.json"][name]["properties"]["ok"]
        text, _ = types.of(reply, "Reply", inner, False)
        extra = [f'    public static let name = "{name}"']
        if text != "Reply":
            extra.append(f"    public typealias Reply = {text}")
        without = ("cmd", "id", "key")
        lines = types.struct(schema, title, "Command", True, without=without, extra=extra, is_told=False)
        for one in inner.values():
            lines[-1:] = ["", *(f"    {line}" if line else "" for line in one), "}"]
        yield lines


def events(types, *places):
    """Of files (and, in them, names): one type for each place, as the same event may tell another reader something else."""
    found = {}
    for file, names in places:
        for name, schema in SCHEMAS[file].items():
            if "data" in schema.get("properties", {}) and (names is None or name in names):
                found.setdefault(name, []).append((file, schema))
    for name, rows in found.items():
        for file, schema in rows:
            prefix = pascal(file.partition("-")[0]) if len(rows) > 1 else ""
            yield types.told(prefix + pascal(name), name, schema)


def snapshot(types, whose):
    return types.told(f"{pascal(whose)}Snapshot", "snapshot", SCHEMAS["snapshots.json"][whose])


def family(name, about, rows):
    """An enum that only holds these types together."""
    lines = [f"/// {about}", f"public enum {name} {{"]
    for row in rows:
        lines += [*(f"    {line}" if line else "" for line in row), ""]
    return "\n".join([*lines[:-1], "}"])


def documents():
    """name of a file → its text."""
    types, texts = Types(), None
    # Until it is known of what apps send all that it is made of.
    while True:
        sent = set(types.sent)
        types = Types(sent)
        texts = files(types)
        if types.sent == sent:
            return texts


def files(types):
    of_feeds = {"positions", "bus"}
    own_states = set(SCHEMAS["states.json"]) - of_feeds
    own = [
        *events(types, ("driver-events.json", None), ("passenger-events.json", None), ("states.json", own_states)),
        snapshot(types, "driver"), snapshot(types, "passenger"),
    ]  # fmt: skip
    line = [*events(types, ("line-events.json", None), ("states.json", {"bus"})), snapshot(types, "line")]
    families = {
        "Commands": [family("Commands", "The commands, each with its fields and its `Reply`.", commands(types))],
        "Events": [
            family("Events", "What comes on one's own channel: events, states, the snapshot.", own),
            family("LineEvents", "What comes on `line:…`.", line),
            family("OfficeEvents", "What comes on `office`.", events(types, ("office-events.json", None))),
            family("CatalogEvents", "What comes on `catalog`.", events(types, ("catalog.json", {"catalog.changed"}))),
        ],
        "CityEvents": [family("CityEvents", "What comes on `events:…`.", events(types, ("city-events.json", None)))],
    }
    families["Parts"] = [family("Parts", "What several messages are made of.", types.parts.values())]
    return {f"{name}.swift": HEAD + "\n" + "\n\n".join(texts) + "\n" for name, texts in families.items()}


def main(is_check):
    """Writes them, or says whether they are what their sources say."""
    TARGET.mkdir(exist_ok=True)
    results = [settle(TARGET / name, text, is_check) for name, text in documents().items()]
    return all(results)
