"""The archive is asked as it is now; what takes too long is ended, and others are answered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from kaicep.config import Settings
from kaicep.server.problem import ProblemError
from kaicep.server.sparql.archive_dataset import ArchiveDataset
from kaicep.server.sparql.sparql_answer import SparqlQuestion
from kaicep.server.sparql.sparql_update import SparqlUpdate
from support.archives import STREAM, archived_project, opened, readings
from support.receivers import eventually

COUNT = SparqlQuestion(
    "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }",
    "http://here/",
    {"e": "http://e/"},
    union=True,
    results=("text/csv",),
)
ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("archive")
    archived_project(folder)
    return Settings.parse(
        {"prefixes": {"e": "http://e/"}, "server": {"workers": 1, "query_timeout": "2s"}}, root=folder
    )


@pytest.fixture(scope="module")
def dataset(settings: Settings) -> Iterator[ArchiveDataset]:
    dataset = ArchiveDataset(settings)
    dataset.start()
    yield dataset
    dataset.close()


def test_events_are_counted_also_new_ones(settings: Settings, dataset: ArchiveDataset) -> None:
    assert dataset.query(COUNT).content == b"n\r\n150\r\n"
    with opened(settings.root) as archive:
        archive.append(5, {STREAM: readings(10, first=150)})
        archive.flush()
    dataset._copy.close()  # as a second later
    assert dataset.query(COUNT).content == b"n\r\n160\r\n"


def test_what_never_ends_is_ended(dataset: ArchiveDataset) -> None:
    with pytest.raises(ProblemError, match="no answer within 2 s"):
        dataset.query(replace(COUNT, text=ENDLESS))
    assert dataset.query(replace(COUNT, text="ASK {}")).content == b"true"


def test_copies_that_nobody_uses_are_gone(settings: Settings, dataset: ArchiveDataset) -> None:
    dataset.query(COUNT)
    dataset.tidy()
    assert any((settings.root / "var" / "archive" / "snapshots").iterdir())
    dataset._copy.close_idle(-1)
    folder = settings.root / "var" / "archive" / "snapshots"
    assert eventually(lambda: not any(folder.iterdir()))  # one that was being made goes when it is made


def test_it_takes_no_updates(dataset: ArchiveDataset) -> None:
    with pytest.raises(ProblemError, match="the archive takes no updates") as refused:
        dataset.update(SparqlUpdate("CLEAR ALL", "http://here/", {}))
    assert refused.value.status == 403


def test_before_the_first_event_there_is_nothing_to_ask(tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match="run the project first") as refused:
        ArchiveDataset(Settings.parse({}, root=tmp_path)).query(COUNT)
    assert refused.value.status == 503
