"""Commands on an archive: asked, compacted, verified, copied and put back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.archives import PROJECT, STREAM, opened, readings
from support.command_line import call

COUNT = "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }"


@pytest.fixture
def archived(tmp_path: Path) -> Path:
    """A project whose archive has 90 events in three batches, the last of which its store lacks."""
    (tmp_path / "kaicep.toml").write_text(PROJECT)
    with opened(tmp_path) as archive:
        for batch in range(3):
            archive.append(batch, {STREAM: readings(30, first=30 * batch)})
        archive.flush()
    return tmp_path


def test_sparql_prints_rows_graphs_and_truth(archived: Path) -> None:
    assert json.loads(call("sparql", COUNT, "-p", archived).stdout) == {"n": 90}
    assert call("sparql", "ASK { ?e a e:AirflowReport }", "-p", archived).stdout == "true\n"
    graph = call("sparql", "CONSTRUCT { ?e a ?t } { ?e a ?t } LIMIT 1", "-p", archived).stdout
    assert graph.endswith(" a e:AirflowReport .\n")


def test_sparql_asks_about_a_time_and_says_where_the_archive_begins(archived: Path) -> None:
    asked = call("sparql", COUNT, "-p", archived, "--start", "2012-05-07")
    assert json.loads(asked.stdout) == {"n": 90}
    assert asked.stderr.startswith("the archive's first event is of 2012-05-07T09:00:00Z")
    refused = call("sparql", COUNT, "-p", archived, "--start", "soon")
    assert refused.exit_code == 1
    assert "TIME" in refused.stderr


def test_compact_and_verify_say_what_there_is(archived: Path) -> None:
    assert call("compact", archived).stdout == "2 segments became 1\n"
    found = call("verify", archived)
    assert (found.exit_code, found.stderr) == (0, "")
    assert found.stdout.splitlines()[0] == f"{STREAM}: 90 events"


def test_verify_tells_a_damaged_log(archived: Path) -> None:
    segment = next((archived / "var/archive/log" / STREAM).iterdir())
    segment.write_bytes(segment.read_bytes()[:100])
    found = call("verify", archived)
    assert found.exit_code == 1
    assert segment.name in found.stderr


def test_a_backup_is_put_back(archived: Path) -> None:
    copy, other = archived / "copy", archived / "other"
    assert call("backup", archived, copy).stdout == f"90 events in {copy}\n"
    other.mkdir()
    (other / "kaicep.toml").write_text(PROJECT)
    assert call("restore", copy, other).stdout == f"90 events in {other / 'var/archive'}\n"
    refused = call("restore", copy, other)
    assert refused.exit_code == 1
    assert refused.stdout == ""
