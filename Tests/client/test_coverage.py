"""COVERAGE.md names every requirement of the scope, and only tests that exist."""

import ast
import pathlib
import re

HERE = pathlib.Path(__file__).parent
SCOPE = {
    "CH": range(1, 6),
    "Q": range(1, 11),
    "R": range(1, 16),
    "V": range(1, 4),
    "I": range(1, 7),
    "M": range(1, 20),
    "B": range(1, 21),
    "N": (1, 2, 5, 6),
    "U": (7, 11),
    "X": (2, 3),
}
CHECKLIST = [*range(1, 50), *range(51, 61), 62, 65, 66]


def rows():
    found = re.findall(r"^\| ([A-Z]+\d+) \| (.+) \|$", (HERE / "COVERAGE.md").read_text(), re.MULTILINE)
    assert len(found) == len(dict(found)), "an id stands twice"
    return dict(found)


def existing():
    """Names as in the table."""
    return {
        f"{file.stem.removeprefix('test_')}::{node.name.removeprefix('test_')}"
        for file in HERE.glob("test_*.py")
        for node in ast.parse(file.read_text()).body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_")
    }


def test_every_id_of_the_scope_stands_in_the_table():
    expected = {f"{kind}{n}" for kind, numbers in SCOPE.items() for n in numbers} | {f"C{n}" for n in CHECKLIST}
    assert set(rows()) == expected


def test_every_test_of_the_table_exists():
    named = {name for row in rows().values() for name in re.findall(r"\w+::\w+", row)}
    assert named <= existing(), f"no such tests: {sorted(named - existing())}"


def test_every_id_has_a_test_or_says_where_it_has():
    for name, row in rows().items():
        assert "::" in row or row.startswith("*elsewhere*: "), f"{name} is not covered: {row}"


def test_test_names_are_unique_within_their_file():
    for file in HERE.glob("test_*.py"):
        names = re.findall(r"^(?:async )?def (test_\w+)", file.read_text(), re.MULTILINE)
        assert len(names) == len(set(names)), f"a test of {file.name} hides another"
