"""The hub of Tests/client, and how patient it is, are used here, too."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "client"))
