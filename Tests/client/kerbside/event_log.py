"""The event log of a hub that a script has started, as Redis has it."""

import json
import subprocess


def city_of(program, data):
    """The id of its city. Its settings are in the environment, as for `kerbside serve`."""
    printed = subprocess.run([program, "print-config", "--data", data], check=True, capture_output=True, text=True).stdout
    return printed.split("\ncity:\n")[1].split('  id: "')[1].split('"')[0]


def entries(data, city):
    """(seq, type, hub ms, data) of all that it holds. None while Redis is away."""
    command = ["redis-cli", "-s", f"{data}/redis.sock", "--json", "XRANGE", f"{{{city}}}:events", "-", "+"]
    try:
        rows = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        found = [(seq, dict(zip(fields[::2], fields[1::2], strict=True))) for seq, fields in rows]
    except (subprocess.CalledProcessError, ValueError):
        return None
    return [(seq, row["type"], int(row["time"]), json.loads(row["data"])) for seq, row in found]
