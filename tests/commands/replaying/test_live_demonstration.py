"""The live demonstration, as somebody runs it: stopped and started; each match is there once."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest
from kaicep import PipelineError
from kaicep.commands.replaying import run_live_demo
from kaicep.examples import control_room
from support.command_line import kaicep, wait_for, write_project
from support.servers import ask


@contextmanager
def live(folder: Path) -> Iterator[str]:
    """The demonstration at 600 times its pace, and its address; ended by Ctrl-C."""
    words = kaicep("demo", "--live", "--folder", folder, "--speed", "600x", "--port", "0")
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.search(r"http://\S+", said)
        assert found is not None, said
        try:
            yield found[0]
        finally:
            process.send_signal(signal.SIGINT)
            process.stderr.read()
            assert process.wait() == 0


def posted(folder: Path) -> str:
    file = folder / "var" / "posted.txt"
    return file.read_text() if file.exists() else ""


def matches(folder: Path) -> list[dict[str, object]]:
    file = folder / "matches.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def raised(url: str) -> bool:
    """Whether there is the alarm of that night, whatever became of it; a server that is busy is asked again."""
    answer = ask(f"{url}/alarms")
    return answer.status == 200 and any(one["raised"] > "2021-12-15T17" for one in answer.json)


def hours(rows: list[dict[str, object]]) -> Counter[tuple[object, object]]:
    """Of how many rows each room has how many of each hour."""
    return Counter((row["room"], row["_time"]) for row in rows if row["_query"] == "lightingPerHour")


@pytest.mark.spark
@pytest.mark.slow
def test_it_is_stopped_and_started_without_losing_or_repeating_a_match(tmp_path: Path) -> None:
    """Of each room there is a sum for each hour, once."""
    control_room.prepare(tmp_path)
    *earlier, _ = sorted((tmp_path / "var" / "inbox" / "reading").iterdir())
    for file in earlier:  # a day of the past is enough here
        file.unlink()
    with live(tmp_path):
        wait_for(lambda: posted(tmp_path) > "2021-12-16T01:10")
    first = posted(tmp_path)
    with live(tmp_path) as url:
        wait_for(lambda: posted(tmp_path) > "2021-12-16T02:10")
        wait_for(lambda: raised(url))
    assert first < posted(tmp_path)
    assert len({one["_id"] for one in matches(tmp_path)}) == len(matches(tmp_path))
    found = hours(matches(tmp_path))
    rooms = {room for room, _ in found}
    ends = sorted({str(end) for _, end in found})
    assert len(rooms) == 3
    assert set(found.values()) == {1}
    assert len(found) == len(rooms) * len(ends)
    every = pl.Series(ends).str.to_datetime(time_zone="UTC").diff().drop_nulls()
    assert every.n_unique() == 1, "no hour is missing"


def test_a_folder_of_another_project_is_left_alone(tmp_path: Path) -> None:
    write_project(tmp_path)
    with pytest.raises(PipelineError, match="holds another project"):
        run_live_demo(tmp_path, "60x", 0)
    assert not (tmp_path / "var").exists()
