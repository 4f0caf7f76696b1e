"""What the schemas can't say of commands over HTTP: text for people is one line that shows something, its limit counts bytes."""

import schemathesis

#: Limits in bytes.
PROSE = {
    "name": 80, "number": 32, "address": 200, "reason": 200, "note": 200, "text": 500, "zone": 64, "phone": 32, "company": 80,
    "licence": 40, "plate": 16, "registration": 40, "model": 80, "colour": 32,
}
#: One of the passenger's commands, and one of the operator's.
KEYED = ("notify.set", "broadcast")


@schemathesis.hook
def filter_body(context, body):
    if not isinstance(body, dict):
        return True
    texts = [(body[field], limit) for field, limit in PROSE.items() if isinstance(body.get(field), str)]
    return all(text.isprintable() and (text.strip() or not text) and len(text.encode()) <= limit for text, limit in texts)


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """The same few keys are tried with each command that has one, and would be refused from the second on."""
    for path, methods in raw_schema["paths"].items():
        if "post" in methods and path.rpartition("/")[2] not in KEYED:
            methods["post"]["parameters"] = []
