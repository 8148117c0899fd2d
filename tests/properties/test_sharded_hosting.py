"""A data flow in shards has, batch by batch, what one in one place has: rows and their order, calls, what counts.

However records are split into files, whatever the number of shards, and where the driver begins anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kaicep.pipeline.catalog import Catalog
from kaicep.pipeline.sharding.query_unit import units_of
from support import context_families, rule_queries
from support.cases import KINDS
from support.hosted_documents import KEYED, HostedDocuments
from support.keyed import keyed_batches
from support.keyed_contexts import keyed_contexts
from support.queries import FAMILIES
from support.sampling import some_of
from support.sharded import SideBySide, plan_of
from support.tuples import batches

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


def check(rng: Random, catalog: Catalog, text: str, cut: Sequence[Mapping[str, Sequence[Mapping[str, Any]]]]) -> int:
    """Answer a document in both ways; how many rows there are."""
    with TemporaryDirectory() as folder:
        both = SideBySide(plan_of(catalog, text, rng.choice((1, 2, 3))), Path(folder), rng)
        for batch in cut:
            both.take(batch)
        both.take({}, ends=True)
        return both.rows


HOSTED = HostedDocuments(check, batches)


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=1, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_rows_are_those_of_one_place(family: str, data: st.DataObject) -> None:
    HOSTED.drawn(data, family)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=1, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_rows_of_patterns_are_those_of_one_place(kind: str, data: st.DataObject) -> None:
    HOSTED.drawn(data, kind)


def in_shards(seed: int) -> int:
    """A document whose contexts are cut, beside patterns that repeat events."""
    rng = Random(seed)
    text = keyed_contexts(rng)
    assert all(unit.key is not None for unit in units_of(plan_of(KEYED, text, 3).registrations)), text
    return check(rng, KEYED, text, keyed_batches(rng))


@pytest.mark.parametrize("seed", some_of(range(3), 1))
def test_rows_of_keyed_queries_are_those_of_one_place(seed: int) -> None:
    assert HOSTED.keyed(seed)


def test_rows_that_end_with_one_event_are_in_order() -> None:
    """It ends matches of two keys, one as `?a` and one as `?b`: that which began first comes first."""
    text = "SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, P) WHERE { JOIN (?a.car = ?b.seg) WINDOW (?a, ?b, 3s) }"
    for car, seg in permutations(range(4), 2):
        places = (("y", 3, seg, 8), ("x", 4, 9, car), ("e", 5, car, seg))
        rows = [{"id": i, "t": f"2024-01-01T00:00:0{t}Z", "v": 1, "car": c, "seg": s} for i, t, c, s in places]
        assert check(Random(car), KEYED, text, [{"P": rows}]) == 2


@pytest.mark.parametrize("family", some_of(context_families.FAMILIES, 1))
def test_rows_in_contexts_are_those_of_one_place(family: str) -> None:
    assert HOSTED.in_contexts(family, 0) + HOSTED.in_contexts(family, 1)


@pytest.mark.parametrize("seed", some_of(range(4), 1))
def test_rows_of_contexts_that_are_cut_are_those_of_one_place(seed: int) -> None:
    assert in_shards(seed)


@pytest.mark.parametrize("family", some_of(rule_queries.FAMILIES, 1))
def test_what_rules_do_is_what_they_do_in_one_place(family: str) -> None:
    assert sum(HOSTED.with_rules(family, seed) for seed in range(2))


@pytest.mark.long
@pytest.mark.parametrize("family", [*FAMILIES, *KINDS])
@settings(max_examples=300, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_rows_are_those_of_one_place_in_the_long_run(family: str, data: st.DataObject) -> None:
    HOSTED.drawn(data, family)


@pytest.mark.long
def test_keyed_queries_contexts_and_rules_in_the_long_run() -> None:
    assert sum(HOSTED.keyed(seed) for seed in range(3, 300)) > 30_000
    assert sum(HOSTED.in_contexts(family, seed) for family in context_families.FAMILIES for seed in range(2, 30))
    assert sum(in_shards(seed) for seed in range(4, 400)) > 30_000
    assert sum(HOSTED.with_rules(family, seed) for family in rule_queries.FAMILIES for seed in range(2, 60))
