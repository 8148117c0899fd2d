"""A dataset keeps what updates say, if it takes any."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from kaicep.server.access import ClientIdentity, current_client
from kaicep.server.problem import ProblemError
from kaicep.server.sparql.sparql_answer import SparqlQuestion
from kaicep.server.sparql.sparql_update import SparqlUpdate
from kaicep.server.sparql.uploaded_dataset import UploadedDataset
from kaicep.server.sparql.watched_call import WatchedCall
from kaicep.settings import ServerSettings
from support.stores import add_in_stages, count, sleep

INSERT = SparqlUpdate("INSERT DATA { <urn:s> <urn:p> 1 }", "http://here/", {})
ASK = SparqlQuestion("ASK { <urn:s> <urn:p> 1 }", "http://here/", {}, results=("text/csv",))


def test_what_was_said_is_there_for_the_next_server(folder: Path) -> None:
    dataset = UploadedDataset(folder, ServerSettings(), updatable=True)
    assert dataset.query(ASK).content == b"false"
    dataset.update(INSERT)
    assert dataset.query(ASK).content == b"true"
    dataset.close()
    again = UploadedDataset(folder, ServerSettings(), updatable=False)
    assert again.query(ASK).content == b"true"
    with pytest.raises(ProblemError, match="this dataset takes no updates: let update be true") as refused:
        again.update(INSERT)
    assert refused.value.status == 403
    assert again.call(count) == 1
    again.close()


@pytest.fixture
def dataset(folder: Path) -> Iterator[UploadedDataset]:
    """That takes updates, and gives a question up after a while."""
    dataset = UploadedDataset(folder, ServerSettings(query_timeout=timedelta(seconds=20)), updatable=True)
    yield dataset
    dataset.close()


def test_what_one_client_asks_keeps_others_neither_from_answers_nor_from_changes(dataset: UploadedDataset) -> None:
    """Three questions that never end: one at work, and two that wait for it."""
    dataset.update(INSERT)
    assert dataset.query(ASK).content == b"true"
    given_up: list[int] = []

    def ask_for_ever() -> None:
        current_client.set(ClientIdentity("greedy", "read"))
        with pytest.raises(ProblemError) as refused:
            dataset.call(sleep, 600.0)
        given_up.append(refused.value.status)

    greedy = [threading.Thread(target=ask_for_ever) for _ in range(3)]
    for thread in greedy:
        thread.start()
    for number in range(2, 5):
        dataset.update(SparqlUpdate(f"INSERT DATA {{ <urn:s> <urn:p> {number} }}", "http://here/", {}))
        assert dataset.call(count) == number
    assert not given_up
    dataset.close()
    for thread in greedy:
        thread.join()
    assert given_up == [503, 503, 503]


def test_a_change_that_takes_too_long_names_its_own_limit(folder: Path) -> None:
    server = ServerSettings(upload_timeout=timedelta(seconds=1))
    dataset = UploadedDataset(folder, server, updatable=True)
    with pytest.raises(ProblemError, match="not done within 1 s: let it say less, or let upload_timeout be longer"):
        dataset.change(WatchedCall(), add_in_stages, 600.0)
    assert dataset.call(count) == 0
    dataset.close()


def test_copies_that_nobody_reads_are_gone(dataset: UploadedDataset, folder: Path) -> None:
    """Those of a server that was killed, and those before the last change."""
    copies = folder.with_name("store.copies")
    (copies / "of a server before").mkdir(parents=True)
    for number in range(3):
        dataset.update(SparqlUpdate(f"INSERT DATA {{ <urn:s> <urn:p> {number} }}", "http://here/", {}))
        assert dataset.call(count) == dataset.call(count) == number + 1
        assert len(list(copies.iterdir())) == 1
    dataset.close()
    assert not copies.exists()
