"""What the schemas can't say of commands over HTTP: text for people is one line that shows something, its limit counts bytes.
Who asks, and for whom. And what was answered, for test_openapi.py, in the file that ANSWERS names."""

import atexit
import collections
import itertools
import json
import os
import pathlib

import schemathesis

#: Limits in bytes.
PROSE = {
    "name": 80, "number": 32, "address": 200, "reason": 200, "note": 200, "text": 500, "zone": 64, "phone": 32, "company": 80,
    "comment": 500, "licence": 40, "plate": 16, "registration": 40, "model": 80, "colour": 32,
}
#: One of the passenger's commands, and one of the operator's.
KEYED = ("notify.set", "broadcast")
#: (operation, status, whether something that there is was asked about) → how often.
ANSWERS = collections.Counter()
#: Of kerbside/existing.py: its ids, and on whose behalf an operator asks; null for others.
EXISTING, CALLER = set(json.loads(os.environ["EXISTING"])), json.loads(os.environ["CALLER"])
#: Of those who ask in turn.
TOKENS = json.loads(os.environ["TOKENS"])


@schemathesis.hook
def filter_body(context, body):
    """Its texts can be read, and it is not on behalf of somebody where nothing is done for others: that is refused."""
    is_for_others = isinstance(body, dict) and "on_behalf_of" in body
    return not isinstance(body, dict) or (can_be_read(body) and (not is_for_others or takes_caller(context.operation)))


def can_be_read(fields):
    """Whether its texts are, and those of the persons in it."""
    texts = [(fields[field], limit) for field, limit in PROSE.items() if isinstance(fields.get(field), str)]
    return all(
        text.isprintable() and (text.strip() or not text) and len(text.encode()) <= limit for text, limit in texts
    ) and all(can_be_read(one) for one in fields.values() if isinstance(one, dict))


@schemathesis.hook
def map_body(context, body):
    """An operator asks for somebody who telephones in every other one that does not say for whom."""
    is_plain = isinstance(body, dict) and "on_behalf_of" not in body and len(json.dumps(body)) % 2
    return body | {"on_behalf_of": CALLER} if CALLER and is_plain and takes_caller(context.operation) else body


def takes_caller(operation):
    return "with `on_behalf_of`" in operation.definition.raw.get("description", "")


if TOKENS:

    @schemathesis.auth(refresh_interval=None)
    class Turns:
        """Those who ask. An operator may not do so much in a minute."""

        turns = itertools.cycle(TOKENS)

        def get(self, case, context):
            return next(self.turns)

        def set(self, case, data, context):
            case.headers = case.headers or {}
            case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """The same few keys are tried with each command that has one, and would be refused from the second on."""
    for path, methods in raw_schema["paths"].items():
        if "post" in methods and path.rpartition("/")[2] not in KEYED:
            methods["post"]["parameters"] = []


@schemathesis.hook
def after_call(context, case, response):
    """Counts what is answered to what the schemas allow; not what a check sends with another method, or without the token."""
    if case.meta.generation.mode.is_positive and case.method == case.operation.method.upper():
        ANSWERS[case.operation.label, response.status_code, names_something(case)] += 1


def names_something(case):
    """Whether one of the ids in it is of what there is."""
    asked = [part for part in (case.body, case.path_parameters, case.query) if isinstance(part, dict)]
    return any(isinstance(value, str) and value in EXISTING for part in asked for value in part.values())


@atexit.register
def write_answers():
    rows = [(*answer, count) for answer, count in ANSWERS.items()]
    pathlib.Path(os.environ["ANSWERS"]).write_text(json.dumps(rows))
