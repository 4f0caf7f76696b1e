"""What is listed in the code of each library, held against the contract and the rules."""

import json
import pathlib
import re
import subprocess
import sys

import pytest
import yaml

from app import LIBRARIES

ROOT = pathlib.Path(__file__).parents[2]
SOURCES = ROOT / "Sources/clients"
COMMANDS = sorted(json.loads((ROOT / "config/contract/schemas/commands.json").read_text())["$defs"])
#: library → where it has the close codes, each at the beginning of a line.
CODES = {"javascript": "javascript/decisions.js", "python": "python/kerbside/decisions.py",
         "swift": "swift/KerbsideClient/Decisions.swift"}
#: library → a program that says which commands are questions.
QUESTIONS = {
    "javascript": ["node", "-e", (
        f"import({json.dumps(str(SOURCES / 'javascript/decisions.js'))}).then(({{ isQuestion, OF_CONNECTION }}) => console.log("
        f"JSON.stringify({json.dumps(COMMANDS)}.filter((one) => isQuestion(one) && !OF_CONNECTION.includes(one)))))"
    )],
    "python": [sys.executable, "-c", (
        f"import json, sys; sys.path.insert(0, {str(SOURCES / 'python')!r}); from kerbside.decisions import *;"
        f"print(json.dumps([one for one in {COMMANDS!r} if is_question(one) and one not in OF_CONNECTION]))"
    )],
    "swift": [*LIBRARIES["swift"], "questions", *COMMANDS],
}  # fmt: skip
pytestmark = pytest.mark.parametrize("library", LIBRARIES)


def test_it_knows_each_close_code_of_the_contract(library):
    codes = yaml.safe_load((ROOT / "config/contract/asyncapi.yaml").read_text())["channels"]["connection"]["x-close-codes"]
    known = re.findall(r"^ +(\d{4}): ", (SOURCES / CODES[library]).read_text(), re.MULTILINE)
    assert set(codes) <= set(known)
    table = (SOURCES / "behaviour.md").read_text().split("**C1**")[1].split("**C2**")[0]
    assert set(known) <= set(re.findall(r"\b\d{4}\b", table))


def test_each_command_is_an_act_a_question_or_of_its_connection(library):
    """The list of questions goes by names: a new command is an act unless it is named like a question."""
    result = subprocess.run(QUESTIONS[library], capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(result.stdout) == [
        "advice.get", "drivers.get", "drivers.list", "fare.estimate", "line.eta", "office.audit", "office.driver", "office.queue",
        "office.ride", "ratings.get", "receipt.get", "records.list", "reliability.get", "reliability.of", "report.list",
        "reservation.list",
        "sos.list", "trips.list", "vehicle.get", "vehicles.get", "vehicles.list",
    ]
