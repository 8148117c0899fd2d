"""SPARQL in a process of its own: the same answers, and none that is waited for too long."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from kaicep.archive import Archive, open_read_view
from kaicep.errors import ArchiveError
from support.archives import STREAM, opened, project, readings

ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f . ?g ?s ?h }"


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path) as archive:
        archive.append(0, {STREAM: readings(100)})
        archive.flush()
        yield archive


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?e ?f ?t { ?e e:flow ?f ; e:time ?t } ORDER BY ?t",
        "ASK { e:s0 e:in e:Room1 }",
        "CONSTRUCT { ?s e:in ?r } WHERE { ?s e:in ?r }",
    ],
)
def test_the_answer_is_the_same(archive: Archive, text: str) -> None:
    assert archive.query(text, timeout=120) == archive.query(text)


@pytest.mark.slow
def test_a_wrong_query_is_told_as_here(archive: Archive) -> None:
    said = []
    for timeout in (None, 120.0):
        with pytest.raises(ArchiveError) as error:
            archive.query("SELECT ?x { ?x", timeout=timeout)
        said.append(str(error.value))
    assert said[0] == said[1]


@pytest.mark.slow
def test_a_query_that_takes_too_long_is_given_up(archive: Archive, tmp_path: Path) -> None:
    with pytest.raises(ArchiveError) as error:
        archive.query(ENDLESS, timeout=0.3)
    assert str(error.value) == ("query: no answer within 0.3 s: ask for a shorter time range, or allow more time")
    with open_read_view(project(tmp_path)) as reader, pytest.raises(ArchiveError, match=r"no answer within 0\.3 s"):
        reader.query(ENDLESS, timeout=0.3)
    assert list((tmp_path / "var/archive/snapshots").iterdir()) == []


def test_another_thread_can_cancel_a_query(archive: Archive) -> None:
    cancelled = threading.Event()
    timer = threading.Timer(0.3, cancelled.set)
    timer.start()
    with pytest.raises(ArchiveError) as error:
        archive.query(ENDLESS, cancelled=cancelled)
    timer.join()
    assert str(error.value) == "query: the query was cancelled: ask again"
