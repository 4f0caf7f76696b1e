"""What the schemas can't say of commands over HTTP: text for people is one line that shows something, its limit counts bytes.
And what was answered, for test_openapi.py, in the file that ANSWERS names."""

import atexit
import collections
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
#: (operation, status) → how often.
ANSWERS = collections.Counter()


@schemathesis.hook
def filter_body(context, body):
    return not isinstance(body, dict) or can_be_read(body)


def can_be_read(fields):
    """Whether its texts are, and those of the persons in it."""
    texts = [(fields[field], limit) for field, limit in PROSE.items() if isinstance(fields.get(field), str)]
    return all(
        text.isprintable() and (text.strip() or not text) and len(text.encode()) <= limit for text, limit in texts
    ) and all(can_be_read(one) for one in fields.values() if isinstance(one, dict))


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
        ANSWERS[case.operation.label, response.status_code] += 1


@atexit.register
def write_answers():
    rows = [(label, status, count) for (label, status), count in ANSWERS.items()]
    pathlib.Path(os.environ["ANSWERS"]).write_text(json.dumps(rows))
