"""The types of the messages for client libraries, made of the JSON Schemas of the contract:
Sources/clients/javascript/messages.d.ts. Used by tools/generate."""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMAS = {path.name: json.loads(path.read_text())["$defs"] for path in (ROOT / "config/contract/schemas").glob("*.json")}
TARGET = ROOT / "Sources/clients/javascript/messages.d.ts"
HEAD = """// The messages of the contract, made of config/contract/schemas by tools/generate. Don't change it by hand.
"""
PRIMITIVES = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def pascal(text):
    """driver.state → DriverState"""
    return "".join(word[:1].upper() + word[1:] for word in text.replace("_", ".").split("."))


class Types:
    """TypeScript of schemas, and the named types that they need."""

    def __init__(self):
        #: (file, definition) → its text; in the order in which they are first needed.
        self.named = {}

    def of(self, schema, file, depth=0):
        """The type that a schema of this file describes."""
        if schema is True:
            return "unknown"
        if "$ref" in schema:
            other, _, name = schema["$ref"].partition("#/$defs/")
            return self.reference(other or file, name, depth)
        if "allOf" in schema:
            return " & ".join(self.of(part, file, depth) for part in schema["allOf"])
        if "const" in schema:
            return json.dumps(schema["const"])
        if "enum" in schema:
            return " | ".join(map(json.dumps, schema["enum"]))
        for word in ("anyOf", "oneOf"):
            # Beside properties it only says which of them go together.
            if word in schema and "properties" not in schema:
                return " | ".join(dict.fromkeys(self.of(part, file, depth) for part in schema[word]))
        if "if" in schema and "type" not in schema:
            return " | ".join(self.of(schema[word], file, depth) for word in ("then", "else"))
        kind = schema.get("type")
        if isinstance(kind, list):
            return " | ".join(PRIMITIVES[one] for one in kind)
        if kind == "array":
            return self.array(schema, file, depth)
        return self.object(schema, file, depth) if kind == "object" else PRIMITIVES.get(kind, "unknown")

    def reference(self, file, name, depth):
        schema = SCHEMAS[file][name]
        text = self.of(schema, file, depth) if self.is_plain(schema) else None
        if text in PRIMITIVES.values():
            return text
        prefix = "" if file == "common.json" else pascal(file.removesuffix(".json").removesuffix("s").replace("-", "."))
        key = prefix + pascal(name)
        if key not in self.named:
            self.named[key] = None
            self.named[key] = self.described(schema, "") + f"export type {key} = {self.of(schema, file)};"
        return key

    @staticmethod
    def is_plain(schema):
        return schema.get("type") in PRIMITIVES and "enum" not in schema

    def array(self, schema, file, depth):
        if "prefixItems" in schema:
            least = schema.get("minItems", 0)
            parts = [self.of(part, file, depth) for part in schema["prefixItems"]]
            return "[" + ", ".join(part if n < least else f"({part})?" for n, part in enumerate(parts)) + "]"
        item = self.of(schema.get("items", True), file, depth)
        return f"({item})[]" if " " in item else f"{item}[]"

    def object(self, schema, file, depth, without=()):
        fields = {name: one for name, one in schema.get("properties", {}).items() if name not in without}
        if not fields:
            others = schema.get("additionalProperties")
            # `{}` would be anything but null.
            return f"Record<string, {self.of(others, file, depth)}>" if isinstance(others, dict) else "Record<string, unknown>"
        indent = "  " * (depth + 1)
        lines = ["{"]
        for name, one in fields.items():
            mark = "" if name in schema.get("required", []) else "?"
            shown = name if name.isidentifier() else json.dumps(name)
            lines.append(f"{self.described(one, indent)}{indent}{shown}{mark}: {self.of(one, file, depth + 1)};")
        return "\n".join([*lines, "  " * depth + "}"])

    @staticmethod
    def described(schema, indent):
        return f"{indent}/** {schema['description']} */\n" if "description" in schema else ""


def table(name, about, rows):
    """An interface with a member for each (key, type)."""
    members = [f"{described}  {json.dumps(key)}: {text};" for key, text, described in rows]
    return "\n".join([f"/** {about} */", f"export interface {name} {{", *members, "}"])


def commands(types):
    for name, schema in SCHEMAS["commands.json"].items():
        fields = types.object(schema, "commands.json", 1, without=("cmd", "id", "key"))
        has_fields = set(schema["properties"]) - {"cmd", "id", "key"}
        yield name, fields if has_fields else "Record<string, never>", types.described(schema, "  ")


def replies(types):
    for name, schema in SCHEMAS["replies.json"].items():
        yield name, types.of(schema["properties"]["ok"], "replies.json", 1), types.described(schema, "  ")


def told(types, *files, names=None):
    """What comes with `data`, by its type. The same type in two files is either."""
    found = {}
    for file in files:
        for name, schema in SCHEMAS[file].items():
            data = schema.get("properties", {}).get("data")
            if data is not None and (names is None or name in names):
                found.setdefault(name, []).append((types.of(data, file, 1), types.described(schema, "  ")))
    for name, texts in found.items():
        yield name, " | ".join(dict.fromkeys(text for text, _ in texts)), texts[0][1]


def own(types):
    """What comes on one's own channel: events, states, the snapshot."""
    roles = [SCHEMAS["snapshots.json"][role]["properties"]["data"] for role in ("driver", "passenger")]
    snapshots = [types.of(data, "snapshots.json", 1) for data in roles]
    yield from told(types, "driver-events.json", "passenger-events.json")
    of_feeds = {"positions", "bus"}
    yield from told(types, "states.json", names=set(SCHEMAS["states.json"]) - of_feeds)
    yield "snapshot", " | ".join(snapshots), "  /** All that is true of the channel now. */\n"


def document():
    """The text of messages.d.ts."""
    types = Types()
    tables = [
        table("Commands", "Fields of each command, but for `id` and `key`.", commands(types)),
        table("Replies", "The `ok` of each command.", replies(types)),
        table("OwnMessages", "`data` of what comes on one's own channel, by its type.", own(types)),
        table("OfficeEvents", "`data` of what comes on `office`.", told(types, "office-events.json")),
        table("LineMessages", "`data` of what comes on `line:…`.", [
            *told(types, "line-events.json"),
            *told(types, "states.json", names={"bus"}),
            ("snapshot", types.of(SCHEMAS["snapshots.json"]["line"]["properties"]["data"], "snapshots.json", 1), ""),
        ]),
        table("CityEvents", "`data` of what comes on `events:…`.", told(types, "city-events.json")),
        table("CatalogEvents", "`data` of what comes on `catalog`.", told(types, "catalog.json", names={"catalog.changed"})),
    ]
    error = f"export type HubError = {types.of(SCHEMAS['errors.json']['error'], 'errors.json')};"
    return "\n\n".join([HEAD.strip(), *tables, error, *filter(None, types.named.values())]) + "\n"


def settle(target, text, is_check):
    """Writes a file, or says whether it is what its sources say."""
    if not is_check:
        target.write_text(text)
    elif not target.exists() or target.read_text() != text:
        print(f"{target.relative_to(ROOT)} is not what its sources say: run tools/generate")
        return False
    return True


def main(is_check):
    """Writes it, or says whether it is what its sources say."""
    return settle(TARGET, document(), is_check)
