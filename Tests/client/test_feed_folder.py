"""A feed that is a folder, as an archiver has unpacked it."""

import os

import pytest

from kerbside.catalog import command
from kerbside.gtfs import FILES


def unpacked(folder):
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


def test_a_folder_is_read_like_an_archive(city, tmp_path):
    assert "good; 2 lines" in command(city, "import", "gtfs", unpacked(tmp_path / "feed"), "--check")


@pytest.mark.parametrize("name", ["stops.txt", "shapes.txt"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_what_is_no_file_is_refused_and_not_waited_for(city, tmp_path, make, name):
    folder = unpacked(tmp_path / "feed")
    (folder / name).unlink(missing_ok=True)
    make(folder / name)
    said = command(city, "import", "gtfs", folder, "--check", fails=True)
    assert f"{folder / name} isn't a file" in said, said
