"""States of tasks that are lost, or that a driver has left, are made of the log: rows are those of one that had none.

So it is the other way round, and however often.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kaicep.pipeline.catalog import Catalog
from support import context_families, rule_queries
from support.cases import KINDS
from support.hosted_documents import Batches, HostedDocuments
from support.hostings import BothHostings
from support.queries import FAMILIES
from support.sampling import some_of
from support.tuples import few_batches

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


def check(rng: Random, base: Catalog, text: str, cut: Batches) -> int:
    """Answer a document in both ways, one of which loses its states, or is another one; how many rows there are."""
    with TemporaryDirectory() as folder:
        both = BothHostings(Path(folder), base, text, rng, shards=rng.choice((1, 2, 3)))
        for batch in cut:
            both.take(batch)
            chance = rng.random()
            if chance < 0.3:
                both.lose()
            elif chance < 0.6:
                both.swap()
        both.end()
        return both.rows


HOSTED = HostedDocuments(check, few_batches)


@pytest.mark.parametrize("family", [*FAMILIES, *KINDS][::5])
@settings(max_examples=1, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_states_are_made_again(family: str, data: st.DataObject) -> None:
    HOSTED.drawn(data, family)


@pytest.mark.parametrize("seed", some_of(range(2), 1))
def test_states_in_shards_are_made_again(seed: int) -> None:
    assert HOSTED.keyed(seed)


@pytest.mark.long
@pytest.mark.parametrize("family", [*context_families.FAMILIES][1::6])
def test_states_of_contexts_are_made_again(family: str) -> None:
    HOSTED.in_contexts(family, 1)


@pytest.mark.parametrize("family", some_of([*rule_queries.FAMILIES][::4], 1))
def test_states_of_rules_are_made_again(family: str) -> None:
    HOSTED.with_rules(family, 1)


@pytest.mark.long
@pytest.mark.parametrize("family", [*FAMILIES, *KINDS])
@settings(max_examples=20, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_states_are_made_again_in_the_long_run(family: str, data: st.DataObject) -> None:
    HOSTED.drawn(data, family)


@pytest.mark.long
def test_states_of_keyed_queries_contexts_and_rules_in_the_long_run() -> None:
    assert sum(HOSTED.keyed(seed) for seed in range(4, 60)) > 3_000
    assert sum(HOSTED.in_contexts(family, seed) for family in context_families.FAMILIES for seed in range(1, 8))
    assert sum(HOSTED.with_rules(family, seed) for family in rule_queries.FAMILIES for seed in range(8))
