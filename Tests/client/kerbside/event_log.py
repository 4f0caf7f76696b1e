"""The event log of a hub that a script has started, as Redis has it."""

import json
import subprocess


def city_of(program, data):
    """The id of its city. Its settings are in the environment, as for `kerbside serve`."""
    printed = subprocess.run([program, "print-config", "--data", data], check=True, capture_output=True, text=True).stdout
    return printed.split("\ncity:\n")[1].split('  id: "')[1].split('"')[0]


def whole(row):
    """What an entry tells, and what is recorded besides, in one."""
    return json.loads(row["data"]) | json.loads(row.get("recorded", "{}"))


def entries(data, city, facts=lambda row: json.loads(row["data"])):
    """(seq, type, hub ms, its facts) of all that it holds. None while Redis is away."""
    command = ["redis-cli", "-s", f"{data}/redis.sock", "--json", "XRANGE", f"{{{city}}}:events", "-", "+"]
    try:
        rows = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        found = [(seq, dict(zip(fields[::2], fields[1::2], strict=True))) for seq, fields in rows]
    except (subprocess.CalledProcessError, ValueError):
        return None
    return [(seq, row["type"], int(row["time"]), facts(row)) for seq, row in found]
