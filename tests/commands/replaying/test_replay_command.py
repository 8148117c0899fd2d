"""`kaicep replay`, as it is typed: files of each format to a real broker and a real server."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from kaicep.cli import app
from kaicep.config import Settings
from support.brokers import free_port, listener, mosquitto
from support.receivers import eventually
from support.servers import serving
from typer.testing import CliRunner

ROWS = [{"room": f"B{n % 2}", "at": f"2026-01-01T00:00:{n:02d}Z", "value": n + 0.5} for n in range(6)]


def files(folder: Path) -> dict[str, Path]:
    frame = pl.DataFrame(ROWS)
    found = {kind: folder / f"rows.{kind}" for kind in ("csv", "jsonl", "parquet")}
    frame.write_csv(found["csv"])
    frame.write_ndjson(found["jsonl"])
    frame.write_parquet(found["parquet"])
    return found


def run(*words: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["replay", *map(str, words)])
    return result.exit_code, result.output


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_each_format_goes_to_a_broker(tmp_path: Path, kind: str) -> None:
    file = files(tmp_path)[kind]
    with mosquitto(tmp_path, free_port()) as broker, listener(broker, "#") as found:
        code, said = run(file, "--speed", "100x", "--to", f"mqtt://{broker}/b/{{room}}", "--time", "at")
        assert eventually(lambda: len(found) == len(ROWS))
    assert (code, said) == (0, "6 events sent, the last one of 2026-01-01T00:00:05+00:00\n")
    assert [(topic, row["value"], row["at"]) for topic, row in found] == [
        (f"b/{row['room']}", row["value"], row["at"]) for row in ROWS
    ]


def test_so_many_events_a_second(tmp_path: Path) -> None:
    """Five seconds of readings, 30 a second: the sixth one is due after 5/30 of a second."""
    with mosquitto(tmp_path, free_port()) as broker, listener(broker, "#") as found:
        began = time.monotonic()
        code, said = run(files(tmp_path)["csv"], "--rate", "30/s", "--to", f"mqtt://{broker}/b", "--time", "at")
        assert 5 / 30 - 0.05 <= time.monotonic() - began < 4
        assert eventually(lambda: len(found) == len(ROWS))
    assert (code, said) == (0, "6 events sent, the last one of 2026-01-01T00:00:05+00:00\n")


def test_a_project_says_how_files_are_read(tmp_path: Path) -> None:
    """A wide table with its own time format, to a server."""
    (tmp_path / "wide.csv").write_text("when;a;b\n01.02.2026 10:00;1,5;2,5\n")
    (tmp_path / "kaicep.toml").write_text(
        """[streams.air]
event_type = "<urn:R>"
time = { attribute = "when", format = "%d.%m.%Y %H:%M" }
source = { format = "csv", sep = ";", decimal = ",", path = "csv/", unpivot = { name = "point", value = "value" } }
[streams.air.attributes]
point = {}
value = { datatype = "xsd:double" }
"""
    )
    inbox = {"format": "json", "path": "in", "cleanSource": "delete"}
    stream = {"event_type": "<urn:R>", "time": {"attribute": "when"}, "source": inbox}
    with serving(Settings.parse({"streams": {"air": stream}}, root=tmp_path)) as url:
        to = f"{url}/streams/air/events"
        code, said = run(tmp_path / "wide.csv", "-p", tmp_path, "--speed", "max", "--to", to)
    assert (code, said.partition(",")[0]) == (0, "2 events sent")
    (file,) = (tmp_path / "in").iterdir()
    assert [json.loads(line) for line in file.read_text().splitlines()] == [
        {"when": "01.02.2026 10:00", "point": "a", "value": 1.5},
        {"when": "01.02.2026 10:00", "point": "b", "value": 2.5},
    ]


def test_what_is_a_text_stays_as_it_is_written(tmp_path: Path) -> None:
    """Rooms and serial numbers that look like numbers, in topics and where the project says that they are texts."""
    (tmp_path / "rooms.csv").write_text("at,room,serial,value\n2026-01-01,1.10,12E3,20.50\n2026-01-01,1.1,7,21\n")
    (tmp_path / "kaicep.toml").write_text(
        """[streams.air]
event_type = "<urn:R>"
time = { attribute = "at" }
source = { format = "csv", path = "csv/" }
[streams.air.attributes]
room = { individual = "<{+}>" }
serial = { datatype = "xsd:string" }
value = { datatype = "xsd:double" }
"""
    )
    with mosquitto(tmp_path, free_port()) as broker, listener(broker, "#") as found:
        words = (tmp_path / "rooms.csv", "--speed", "max", "--to")
        run(*words, f"mqtt://{broker}/{{room}}", "--time", "at")
        run(*words, f"mqtt://{broker}/all", "-p", tmp_path)
        assert eventually(lambda: len(found) == 4)
    at = "2026-01-01"
    assert found == [
        ("1.10", {"at": at, "serial": 12000.0, "value": 20.5}),
        ("1.1", {"at": at, "serial": 7, "value": 21}),
        ("all", {"at": at, "room": "1.10", "serial": "12E3", "value": 20.5}),
        ("all", {"at": at, "room": "1.1", "serial": "7", "value": 21}),
    ]


def test_what_json_does_not_have_is_text(tmp_path: Path) -> None:
    """In lists and structures of Parquet, too; where it is no number, the receiver says so."""
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    rows = {"at": [moment], "times": [[moment]], "of": [{"last": moment, "n": None}], "value": [math.nan]}
    pl.DataFrame(rows).write_parquet(tmp_path / "rows.parquet")
    with mosquitto(tmp_path, free_port()) as broker, listener(broker, "#") as found:
        words = ("--speed", "max", "--time", "at", "--to", f"mqtt://{broker}/t")
        assert run(tmp_path / "rows.parquet", *words)[0] == 0
        assert eventually(lambda: len(found) == 1)
    text = moment.isoformat()
    assert found == [("t", {"at": text, "times": [text], "of": {"last": text, "n": None}, "value": "nan"})]


def test_what_is_no_record_is_told_and_not_sent(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"at": "2026-01-01T00:00:00Z", "room": "B1"}\noops\n')
    with mosquitto(tmp_path, free_port()) as broker:
        code, said = run(tmp_path / "a.jsonl", "--speed", "max", "--to", f"mqtt://{broker}/{{room}}", "--time", "at")
    assert code == 0
    assert "a.jsonl:2: no JSON" in said
    assert "1 events sent" in said


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (("--to", "mqtt://127.0.0.1:1/t"), 2, "name the column of time stamps"),
        (("--to", "ftp://x", "--time", "at"), 2, "is no place"),
        (("--to", "mqtt://127.0.0.1:1/t", "--time", "at", "--speed", "fast"), 2, "is no speed"),
        (("--to", "mqtt://127.0.0.1:1/t", "--time", "at", "--rate", "fast"), 2, "is no rate"),
        (("--to", "mqtt://127.0.0.1:1/t", "--time", "at", "--rate", "9", "--speed", "1x"), 2, "goes without --speed"),
        (("--to", "mqtt://127.0.0.1:1/t", "--time", "at"), 1, "the broker 127.0.0.1:1 cannot be reached"),
    ],
)
def test_what_cannot_be_done_is_told(tmp_path: Path, words: tuple[str, ...], code: int, why: str) -> None:
    found, said = run(files(tmp_path)["csv"], *words)
    assert found == code
    assert why in " ".join(said.replace("│", " ").split())


def test_columns_and_files_that_are_not_there(tmp_path: Path) -> None:
    with mosquitto(tmp_path, free_port()) as broker:
        to = ("--to", f"mqtt://{broker}/t")
        _, said = run(files(tmp_path)["csv"], *to, "--time", "when")
        assert "there is no column 'when'" in said
        assert "there are: room, at, value" in said
        _, said = run(tmp_path / "none.csv", *to, "--time", "at")
        assert "No such file or directory" in said


@pytest.mark.slow
def test_ctrl_c_ends_it_and_says_how_far_it_came(tmp_path: Path) -> None:
    with mosquitto(tmp_path, free_port()) as broker, listener(broker, "#") as found:
        words = ["replay", files(tmp_path)["csv"], "--speed", "0.01x", "--to", f"mqtt://{broker}/t", "--time", "at"]
        with subprocess.Popen(
            [sys.executable, "-m", "kaicep", *map(str, words)], stderr=subprocess.PIPE, text=True
        ) as process:
            assert eventually(lambda: len(found) == 1, 300)
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said == "1 events sent, the last one of 2026-01-01T00:00:00+00:00\n"
