"""What an archiver has kept comes to tasks as it comes to a driver: before what comes live, once, in the same rows.

Rows are compared with what says where they come from. Events are kept while no engine runs, while one does, or both;
batches that take them are interrupted and delivered again.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kaicep import Project
from kaicep.errors import KaicepError
from kaicep.pipeline.catalog import Catalog
from kaicep.pipeline.durability.journal.batch_journal import BatchJournal
from kaicep.pipeline.sinks.json_lines_sink import JsonLinesSink
from support.buckets import ObjectStorage
from support.cases import KINDS
from support.hosted_documents import Batches, HostedDocuments, keyed_document
from support.hostings import BothHostings
from support.keyed import STREAMS, keyed_batches
from support.queries import FAMILIES
from support.sampling import some_of
from support.tuples import few_batches

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
ENDS = ((JsonLinesSink, "flush"), (BatchJournal, "take"))


class _EndedError(Exception):
    """The process ends here."""


def check(rng: Random, base: Catalog, text: str, cut: Batches) -> int:
    """Answer a document in both ways; how many rows there are."""
    with TemporaryDirectory() as folder:
        both = BothHostings(Path(folder), base, text, rng, shards=rng.choice((1, 2, 3)))
        take(both, rng, cut)
        return both.rows


def take(both: BothHostings, rng: Random, cut: Batches) -> None:
    """Take batches, some of which an archiver keeps."""
    for batch in cut:
        chance = rng.random()
        if chance < 0.6:
            both.keep(batch)
        if chance < 0.3:  # no engine runs
            continue
        both.note(batch)
        if rng.random() < 0.3:
            end_each(both, rng)
        both.answer()
    both.take({})
    both.end()


def end_each(both: BothHostings, rng: Random) -> None:
    """Let a process of each end in the middle of the batch that is noted."""
    of, name = rng.choice(ENDS)
    for engine in both.engines:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(of, name, _ended)
            with pytest.raises((_EndedError, KaicepError)):
                engine.deliver(engine.next)
        engine.stop()
        engine.start()
        engine.flow.begin(engine.generation)


def _ended(*_args: Any, **_options: Any) -> None:
    raise _EndedError


HOSTED = HostedDocuments(check, few_batches)


@pytest.mark.parametrize("seed", some_of(range(4), 1))
def test_kept_events_are_taken_by_tasks(seed: int) -> None:
    assert HOSTED.keyed(seed)


def test_where_no_folder_is_shared_they_are_handed_on(tmp_path: Path, object_storage: ObjectStorage) -> None:
    options, rng = object_storage.options, Random(4)
    table = {"endpoint": options.endpoint, "region": options.region, "allow_http": options.allow_http}
    base = Project.parse({"streams": STREAMS, "s3": table})
    both = BothHostings(tmp_path, base, keyed_document(rng), rng, shards=2, shared=str(object_storage.folder("parts")))
    take(both, rng, keyed_batches(rng))
    assert both.rows


@pytest.mark.long
@pytest.mark.parametrize("family", [*FAMILIES, *KINDS])
@settings(max_examples=5, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_kept_events_in_the_long_run(family: str, data: st.DataObject) -> None:
    HOSTED.drawn(data, family)


@pytest.mark.long
def test_kept_events_of_keyed_queries_in_the_long_run() -> None:
    assert sum(HOSTED.keyed(seed) for seed in range(4, 60)) > 1_000
