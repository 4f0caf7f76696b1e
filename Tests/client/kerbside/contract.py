"""The written contract, as a judge of real messages."""

import json
import pathlib

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry, Resource

DIRECTORY = pathlib.Path(__file__).parents[3] / "config" / "contract"
DOCUMENT = yaml.safe_load((DIRECTORY / "asyncapi.yaml").read_text())
SCHEMAS = {path.name: json.loads(path.read_text()) for path in sorted((DIRECTORY / "schemas").glob("*.json"))}

#: Close code → {meaning, reconnect}.
CLOSE_CODES = {int(code): row for code, row in DOCUMENT["channels"]["connection"]["x-close-codes"].items()}
#: Error code → {title, retry, meaning}.
ERROR_CODES = DOCUMENT["components"]["x-error-codes"]
#: Channels of vehicles, by what stands before the colon.
FEEDS = ("near", "zone", "vehicle", "city")
COMMANDS = sorted(SCHEMAS["commands.json"]["$defs"])


class Breach(AssertionError):
    """A message that the contract does not allow."""


def closed(schema):
    """The schema with every object closed: a field that is not written down is a breach."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and "required" in schema:
        result.setdefault("additionalProperties", False)
    return result


def _registry(schemas):
    return Registry().with_resources((schema["$id"], Resource.from_contents(schema)) for schema in schemas.values())


_CLOSED = {name: closed(schema) for name, schema in SCHEMAS.items()}
_REGISTRIES = {True: _registry(_CLOSED), False: _registry(SCHEMAS)}
_validators = {}


def validator(file, definition, strict=True):
    """The validator of `$defs/definition` of a schema file."""
    key = (file, definition, strict)
    if key not in _validators:
        if definition not in SCHEMAS[file]["$defs"]:
            raise Breach(f"{definition!r} is not in {file} of the contract")
        reference = {"$ref": f"{SCHEMAS[file]['$id']}#/$defs/{definition}"}
        _validators[key] = Draft202012Validator(reference, registry=_REGISTRIES[strict])
    return _validators[key]


def _check(file, definition, message, strict=True):
    error = best_match(validator(file, definition, strict).iter_errors(message))
    if error is not None:
        where = error.json_path
        raise Breach(f"{definition} of {file}: {where}: {error.message}\nin {json.dumps(message)[:2000]}")


def check_list(name, page):
    """Raises Breach unless `/v1/<list>` may answer this."""
    _check("catalog.json", name, page)


def check_figures(page, name="stats"):
    """Raises Breach unless `/v1/stats`, or `/v1/stats/taxis`, may answer this."""
    _check("figures.json", name, page)


def check_problem(page):
    """Raises Breach unless a request over HTTP may be refused with this."""
    _check("figures.json", "problem", page)


def check_command(message):
    """Raises Breach unless a well-formed client may send this."""
    _check("commands.json", message.get("cmd"), message, strict=False)


def check_error(message):
    _check("errors.json", "reply", message)
    error = message["error"]
    row = ERROR_CODES[error["code"]]
    # Where it says when the command will be taken, it may be sent again, whatever the code.
    if (error["title"], error["retry"]) != (row["title"], row["retry"] or "retry_after_ms" in error):
        raise Breach(f"title or retry of {error['code']} differ from x-error-codes, {row}: {message}")


def check_reply(command, message):
    """Raises Breach unless this may answer that command."""
    if "error" in message:
        check_error(message)
    else:
        _check("replies.json", command, message)


def check_logged(seq, kind, time, data):
    """Raises Breach unless the catalogue has an event of the log, with what is personal."""
    _check("city-events.json", kind, {"ch": "events:>", "seq": seq, "type": kind, "time": time, "data": data})


def check_push(message):
    """Raises Breach unless the hub may send this unasked."""
    kind, family = message.get("type"), str(message.get("ch", "")).partition(":")[0]
    if family == "bus_driver":
        family = "driver"
    if kind == "gap":
        _check("snapshots.json", "gap", message)
    elif kind == "snapshot":
        _check("snapshots.json", "feed" if family in FEEDS else family, message)
    elif family == "events":
        _check("city-events.json", kind, message)
    elif "seq" in message and family in ("driver", "passenger", "line", "office"):
        _check(f"{family}-events.json", kind, message)
    elif family == "topic":
        _check("topic-events.json", "event", message)
    elif family == "catalog":
        _check("catalog.json", kind, message)
    elif "error" in message:
        check_error(message)
    else:
        _check("states.json", kind, message)
