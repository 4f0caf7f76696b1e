"""What is made of config/contract/events.yaml, the catalogue of the city's events: the JSON Schema of each, its message in
asyncapi.yaml, the hub's table of them, and the article Events.md. And what differs between the catalogue and the Redis functions
that log events. Used by tools/generate."""

import json
import pathlib
import re
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONTRACT = ROOT / "config/contract"
SCHEMA = CONTRACT / "schemas/city-events.json"
TABLE = ROOT / "Sources/Domain/Events/EventCatalogue+Table.swift"
ARTICLE = ROOT / "Sources/kerbside/Documentation.docc/Events.md"
COMMON = json.loads((CONTRACT / "schemas/common.json").read_text())["$defs"]
SOURCE = yaml.safe_load((CONTRACT / "events.yaml").read_text())
#: An example of each schema of common.json that fields have.
EXAMPLES = {
    "auditFacts": {"state": "unavailable"}, "auditId": "1795210210000-0", "capabilities": ["wheelchair"], "date": "2027-11-20",
    "paper": "licence", "photo": "https://fleet.example/ada.jpg", "signCode": "FgXC8b9d16ojtV5FuxP837",
    "bookingId": "b_4fGh", "catalogId": "B7", "count": 2,
    "delay": 140, "lat": 45.464211, "lon": 9.191383, "noticeId": "n_3xK9", "reportCategory": "driving", "reportId": "p_7",
    "reservationId": "v_3kQ9", "receiptNumber": "2026-000123", "route": "R7", "stars": 5,
    "requestId": "s_7Hq2", "rideId": "r_8Qz4", "role": "driver", "sosId": "s_9fQ2", "subject": "T345", "time": 1795210200000,
    "tourId": "t_4kQ", "word": "driver", "zone": "14",
}


def fields(event):
    """(name, definition, whether it may be missing) of an event's fields."""
    for one in event["fields"].split():
        name, _, kind = one.partition("=")
        yield name.rstrip("?"), SOURCE["fields"][kind or name.rstrip("?")], name.endswith("?")


def field_schema(field):
    """The JSON Schema of a field, with what is said of it."""
    schema = field["schema"]
    result = {"$ref": f"common.json#/$defs/{schema}"} if isinstance(schema, str) else dict(schema)
    said = {}
    if "about" in field:
        said["description"] = field["about"]
    if "personal" in field:
        said["x-personal"] = True
    if "filter" in field:
        said["x-filter"] = field["filter"]
    # Tools of draft 07 pass over what stands beside a $ref.
    return said | {"allOf": [result]} if said and isinstance(schema, str) else said | result


def schema(name, event):
    """What is sent of an event. What is personal may always be missing."""
    data = {
        "type": "object",
        "required": [field for field, what, is_optional in fields(event) if not is_optional and "personal" not in what],
        "properties": {field: field_schema(what) for field, what, _ in fields(event)},
    }
    return {
        "description": event["summary"],
        "x-since": event.get("since", 1),
        "type": "object",
        "required": ["ch", "seq", "type", "time", "data"],
        "properties": {
            "ch": {"$ref": "common.json#/$defs/eventsChannel"},
            "seq": {"$ref": "common.json#/$defs/seq"},
            "type": {"const": name},
            "time": {"$ref": "common.json#/$defs/time"},
            "data": data,
        },
    }


def schemas():
    """The text of city-events.json."""
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://kerbside.example/contract/v1/city-events.json",
        "title": "Events of the city",
        "description": "What operators and services are sent on `events:<pattern>`, made by tools/generate of events.yaml. "
        "`x-since` is the version of the catalogue that has the event first; fields marked `x-personal` are left out for whose "
        "token lacks the scope `events:personal`; by those marked `x-filter` a channel may choose.",
        "x-version": SOURCE["version"],
        "$defs": {name: schema(name, event) for name, event in SOURCE["events"].items()},
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def example_value(what):
    kind = what["schema"]
    if isinstance(kind, str):
        return EXAMPLES[kind]
    kind = kind["type"]
    return {"string": "driver:T345", "number": 480, "integer": 2, "object": {"buses": 1795210210000}}.get(kind, 3)


def messages():
    """What asyncapi.yaml says of the events, in the form of `sent` in messages.yaml."""
    return {
        "cityEvents": {
            "summary": "Events on events:<pattern>, in order, once, resumed by seq; for operators and services.",
            "schemas": "city-events.json",
            "kind": "city",
            "messages": {
                name: {
                    "summary": event["summary"],
                    "examples": [
                        {
                            "ch": f"events:{name.split('.')[0]}.>" if "." in name else f"events:{name}",
                            "seq": "1795210210000-0",
                            "type": name,
                            "time": 1795210210000,
                            "data": {field: example_value(what) for field, what, _ in fields(event)},
                        }
                    ],
                }
                for name, event in SOURCE["events"].items()
            },
        }
    }


def table():
    """The text of EventCatalogue+Table.swift."""
    lines = [
        "// Written by tools/generate from config/contract/events.yaml; not to be edited.",
        "",
        "extension EventCatalogue {",
        f"    public static let version = {SOURCE['version']}",
        "",
        "    /// Of each event its name and its fields, `!` behind those that are personal.",
        '    static let rows = """',
    ]
    for name, event in SOURCE["events"].items():
        marks = (field + ("!" if "personal" in what else "") for field, what, _ in fields(event))
        lines.append(f"        {name} {' '.join(marks)}")
    lines += ['        """', "", "    /// The fields that a channel may choose by, after the name of their filter."]
    lines.append('    static let filterRows = """')
    by_filter = {}
    for name, what in SOURCE["fields"].items():
        if "filter" in what:
            by_filter.setdefault(what["filter"], []).append(name)
    lines += [f"        {kind} {' '.join(names)}" for kind, names in sorted(by_filter.items())]
    return "\n".join([*lines, '        """', "}", ""])


def mark(field, what, is_optional):
    """A field as the article has it: in italics where it is personal, with a `?` where it may be missing."""
    text = f"`{field}`{'?' if is_optional else ''}"
    return f"*{text}*" if "personal" in what else text


def meaning(name, what):
    """(type, what it is) of a field."""
    schema = what["schema"]
    its = COMMON[schema] if isinstance(schema, str) else schema
    kind = ", ".join(f"`{word}`" for word in its["enum"]) if "enum" in its else its["type"]
    text = what.get("about") or its.get("description")
    if text is None:
        sys.exit(f"config/contract/events.yaml: the field {name} needs `about`")
    return kind, f"{text} The filter `{what['filter']}` looks at it." if "filter" in what else text


def article():
    """The text of Events.md."""
    lines = [
        "# Events of the city",
        "",
        "All that operators and services can follow: the names of events, their fields, and what is personal.",
        "",
        "## Overview",
        "",
        "Made by `tools/generate` of `config/contract/events.yaml`. <doc:BuildingAnApp#Follow-the-citys-events> says how to",
        f"follow them. This is version {SOURCE['version']} of the catalogue. A version adds events and fields; it never changes",
        "the meaning of one.",
        "",
        "## Names",
        "",
        "A field with `?` may be missing. One in *italics* is personal: it is left out, unless the token has the scope",
        "`events:personal`.",
        "",
        "| event | since | what has happened | fields |",
        "| --- | --- | --- | --- |",
    ]
    for name, event in SOURCE["events"].items():
        marks = ", ".join(mark(*field) for field in fields(event))
        lines.append(f"| `{name}` | {event.get('since', 1)} | {event['summary']} | {marks} |")
    lines += ["", "## Fields", "", "A field of the same name is the same in each event, unless a row names the event.", ""]
    lines += ["| field | type | what it is |", "| --- | --- | --- |"]
    used = {}
    for name, event in SOURCE["events"].items():
        for field, what, _ in fields(event):
            used.setdefault((field, id(what)), (what, []))[1].append(name)
    for (field, _), (what, events) in sorted(used.items(), key=lambda one: (one[0][0], one[1][1])):
        is_other = SOURCE["fields"].get(field) is not what
        where = f" (of {', '.join(f'`{name}`' for name in events)})" if is_other else ""
        kind, text = meaning(field, what)
        lines.append(f"| `{field}`{where} | {kind} | {text} |")
    return "\n".join(lines) + "\n"


def closing(text, start):
    """Where the brackets that open at `start` are closed."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in "({[") - (text[at] in ")}]")
        if depth == 0:
            return at
    return len(text)


def split(text):
    """Its parts between commas that stand in no brackets."""
    parts, depth, begin = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "({[") - (letter in ")}]")
        if letter == "," and depth == 0:
            parts.append(text[begin:at].strip())
            begin = at + 1
    return [part for part in [*parts, text[begin:].strip()] if part]


def logged():
    """(where, the names that the type may have, its fields or None where they are not written there) of each log(c, …)."""
    for path in sorted((ROOT / "Sources/Hub").rglob("*.lua")):
        text = path.read_text()
        for match in re.finditer(r"(?<![.\w])log\(", text):
            if text[: match.start()].endswith("function "):
                continue
            inside = split(text[match.end() : closing(text, match.end() - 1)])
            where = f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}"
            texts = re.findall(r"'([^']*)'", inside[1])
            if ".." in inside[1]:
                form = re.sub(r"'([^']*)'|[^']+", lambda part: re.escape(part[1]) if part[1] else "[a-z_]+", inside[1])
                names = [name for name in SOURCE["events"] if re.fullmatch(form, name)]
            else:
                names = texts
            given = None
            if inside[2].startswith("{"):
                given = {part.split("=")[0].strip() for part in split(inside[2][1:-1])}
            yield where, names or [inside[1]], given


def unlike_functions():
    """What the functions log and the catalogue does not have, and the other way round."""
    found, seen = [], {}
    for where, names, given in logged():
        known = [SOURCE["events"].get(name) for name in names]
        if None in known:
            found.append(f"{where}: no event of config/contract/events.yaml: {', '.join(names)}")
            continue
        for name in names:
            seen.setdefault(name, []).append(given)
        if given is None:
            continue
        allowed = {field for event in known for field, _, _ in fields(event)}
        found += [f"{where}: {names[0]} has no field {field} in config/contract/events.yaml" for field in sorted(given - allowed)]
        missing = {
            field
            for name, event in zip(names, known, strict=True)
            for field, _, is_optional in fields(event)
            if not is_optional and len(names) <= 2 and field not in given
        }
        found += [f"{where}: {names[0]} lacks {field}, which config/contract/events.yaml says it has" for field in sorted(missing)]
    for name, event in SOURCE["events"].items():
        if name not in seen:
            found.append(f"config/contract/events.yaml: no function logs {name}")
        elif None not in seen[name]:
            given = set().union(*seen[name])
            found += [
                f"config/contract/events.yaml: no function gives {name} a field {field}"
                for field, _, _ in fields(event)
                if field not in given
            ]
    used = {id(what) for event in SOURCE["events"].values() for _, what, _ in fields(event)}
    unused = [name for name, what in SOURCE["fields"].items() if id(what) not in used]
    return found + [f"config/contract/events.yaml: no event has the field {name}" for name in unused]


def main(is_check):
    """Writes what is made of the catalogue, or says what is not what it should be. Answers whether all is well."""
    found = unlike_functions()
    for target, text in ((SCHEMA, schemas()), (TABLE, table()), (ARTICLE, article())):
        if not is_check:
            target.write_text(text)
        elif not target.exists() or target.read_text() != text:
            found.append(f"{target.relative_to(ROOT)} is not what its sources say: run tools/generate")
    print("\n".join(found), end="\n" if found else "")
    return not found
