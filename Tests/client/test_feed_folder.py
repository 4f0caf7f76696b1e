"""A feed that is a folder, as an archiver has unpacked it."""

import os

import pytest

from kerbside.catalog import command
from kerbside.gtfs import FILES
from kerbside.hub import run


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


@pytest.mark.parametrize("name", ["vehicle_positions.csv", "feed.zip"])
def test_a_replay_waits_for_no_pipe_in_its_folder(tmp_path, name):
    (tmp_path / "vehicle_positions-2.csv").write_text("vehicle_id,trip_id,timestamp,latitude,longitude\n")
    os.mkfifo(tmp_path / name)
    feed = [] if name == "feed.zip" else ["--gtfs", unpacked(tmp_path / "feed")]
    done = run("replay", "--buses", tmp_path, *feed)
    assert done.returncode == 1 and "isn't a file" in done.stderr, done
