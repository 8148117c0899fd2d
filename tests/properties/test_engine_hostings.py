"""An engine whose batches tasks read and answer gives what one gives whose driver does, batch by batch, and keeps it.

Rows, their order, types, identities, calls, watermarks, what queries wait for, the log, the dead letters, the counts,
the rows in a file: however batches are split into files, and wherever processes end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import obstore
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kaicep import Project
from kaicep.errors import KaicepError, PipelineError
from kaicep.pipeline.catalog import Catalog
from kaicep.storage import is_transient
from kaicep.storage.shared import bucket_client
from support import context_families, rule_queries
from support.buckets import ObjectStorage
from support.cases import KINDS
from support.hosted_documents import KEYED, HostedDocuments, keyed_document
from support.hostings import BothHostings
from support.keyed import STREAMS, keyed_batches
from support.queries import FAMILIES
from support.sampling import some_of
from support.tuples import few_batches

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


def check(rng: Random, base: Catalog, text: str, cut: Sequence[Mapping[str, Sequence[Mapping[str, Any]]]]) -> int:
    """Answer a document in both ways; how many rows there are."""
    with TemporaryDirectory() as folder:
        both = BothHostings(Path(folder), base, text, rng, shards=rng.choice((1, 2, 3)))
        for batch in cut:
            both.take(batch)
        both.end()
        return both.rows


HOSTED = HostedDocuments(check, few_batches)


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=1, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_rows_are_those_of_the_driver(family: str, data: st.DataObject) -> None:
    HOSTED.drawn(data, family)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=1, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_rows_of_patterns_are_those_of_the_driver(kind: str, data: st.DataObject) -> None:
    HOSTED.drawn(data, kind)


@pytest.mark.parametrize("seed", some_of(range(4), 1))
def test_rows_of_keyed_queries_are_those_of_the_driver(seed: int) -> None:
    assert HOSTED.keyed(seed)


@pytest.mark.parametrize(
    "rate", some_of(["ALL EVERY 3 matches", "LAST EVERY 2 matches", "ALL EVERY 10s", "FIRST EVERY 3 matches"], 2)
)
def test_rows_of_output_come_in_its_order(rate: str) -> None:
    rng = Random(rate)
    text = f"SELECT ?e.seg, ?e.speed FROM (?e, P) GROUP BY ?e.seg OUTPUT {rate}"
    assert check(rng, KEYED, text, keyed_batches(rng))


@pytest.mark.parametrize("seed", some_of(range(2), 1))
def test_what_tasks_share_may_be_in_a_bucket(
    tmp_path: Path, object_storage: ObjectStorage, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Candidates and states; the log stays in its folder. While the bucket is away the streams wait."""
    monkeypatch.setattr(bucket_client, "PATIENCE_S", 0.2)
    options, rng = object_storage.options, Random(seed)
    table = {"endpoint": options.endpoint, "region": options.region, "allow_http": options.allow_http}
    base = Project.parse({"streams": STREAMS, "s3": table})
    text = keyed_document(rng)
    parts = object_storage.folder("parts")
    both = BothHostings(tmp_path, base, text, rng, shards=2, shared=str(parts))
    for number, batch in enumerate(keyed_batches(rng)):
        both.note(batch)
        if number == 2:
            object_storage.stop()
            with pytest.raises(PipelineError, match="does not answer") as away:
                both.engines[1].deliver(both.engines[1].next)
            assert is_transient(away.value)
            object_storage.start()
            both.restart()
        both.answer()
    written = [one["path"] for some in obstore.list(parts.store, parts.prefix) for one in some]
    assert any("-shard-" in name for name in written)
    both.end()
    assert both.rows


def test_logs_may_be_in_a_bucket(
    tmp_path: Path, object_storage: ObjectStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of tasks, which write its segments; of a driver as well. While the bucket is away, the streams wait."""
    monkeypatch.setattr(bucket_client, "PATIENCE_S", 0.2)
    options, rng = object_storage.options, Random(1)
    table = {"endpoint": options.endpoint, "region": options.region, "allow_http": options.allow_http}
    base = Project.parse({"streams": STREAMS, "s3": table})
    folder = object_storage.folder("kept")
    logs = (f"{folder}/driver", f"{folder}/tasks")
    both = BothHostings(tmp_path, base, keyed_document(rng), rng, logs, shards=2)
    for number, batch in enumerate(keyed_batches(rng)):
        both.note(batch)
        if number == 2:
            object_storage.stop()
            with pytest.raises((KaicepError, OSError)) as away:  # Spark's tasks tell the second as the first
                both.engines[1].deliver(both.engines[1].next)
            assert is_transient(away.value)
            object_storage.start()
            both.restart()
        both.answer()
    written = [one["path"] for some in obstore.list(folder.store, folder.prefix) for one in some]
    assert any(name.endswith(".parquet") for name in written)
    assert not [name for name in written if "/.tmp-" in name]
    both.end()
    assert both.rows


@pytest.mark.parametrize("family", some_of(context_families.FAMILIES, 1))
def test_rows_in_contexts_are_those_of_the_driver(family: str) -> None:
    HOSTED.in_contexts(family, 1)


@pytest.mark.parametrize("family", some_of(rule_queries.FAMILIES, 1))
def test_what_rules_do_is_what_they_do_on_the_driver(family: str) -> None:
    HOSTED.with_rules(family, 1)


@pytest.mark.long
@pytest.mark.parametrize("family", [*FAMILIES, *KINDS])
@settings(max_examples=40, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_rows_are_those_of_the_driver_in_the_long_run(family: str, data: st.DataObject) -> None:
    HOSTED.drawn(data, family)


@pytest.mark.long
def test_keyed_queries_contexts_and_rules_in_the_long_run() -> None:
    assert sum(HOSTED.keyed(seed) for seed in range(4, 60)) > 3_000
    assert sum(HOSTED.in_contexts(family, seed) for family in context_families.FAMILIES for seed in range(1, 8))
    assert sum(HOSTED.with_rules(family, seed) for family in rule_queries.FAMILIES for seed in range(8))
