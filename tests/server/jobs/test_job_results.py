"""Documents wait in files until they are fetched; those of servers that were killed are removed."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.server.jobs.job_results import JobResults
from kaicep.server.problem import ProblemError
from kaicep.server.sparql import Document

TABLE = Document("text/csv", b"n\r\n1\r\n")


def test_a_document_is_kept_until_it_is_dropped(tmp_path: Path) -> None:
    results = JobResults(tmp_path / "jobs")
    assert results.find("a") is None
    results.drop("a")
    assert results.keep("a", TABLE) == {"media_type": "text/csv", "bytes": 6}
    results.keep("b", TABLE)
    file = results.find("a")
    assert file is not None
    assert file.read_bytes() == TABLE.content
    results.drop("a")
    assert results.find("a") is None
    results.close()
    assert list((tmp_path / "jobs").iterdir()) == []


def test_what_a_server_has_left_that_was_killed_is_removed(tmp_path: Path) -> None:
    for server in ("nobody", "1"):  # no process, and one that runs
        (tmp_path / server).mkdir()
    results = JobResults(tmp_path)
    results.keep("a", TABLE)
    assert not (tmp_path / "nobody").exists()
    assert (tmp_path / "1").exists()


def test_where_there_is_no_room_the_job_says_so(tmp_path: Path) -> None:
    (tmp_path / "jobs").write_text("a file")
    with pytest.raises(ProblemError, match="the result cannot be kept") as full:
        JobResults(tmp_path / "jobs").keep("a", TABLE)
    assert full.value.status == 503
