"""Queries wait, are parked and come back at random batches, over kills: their rows are those of who never waited."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from operator import itemgetter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kaicep import Project
from support import context_families, rule_queries
from support.cases import KINDS, Case, cases, difference, pattern_cases
from support.dataflows import answered_with_calls, cut_anywhere
from support.demotions import answer_with_demotions
from support.engines import project_of
from support.lost_states import stretched
from support.queries import FAMILIES
from support.quick_archives import quick_archives
from support.sampling import some_of
from support.tuples import Batch, batches

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
ACTIONS = {name: {"python": "somebody:takes"} for name in "xyz"}
RULES = Project.parse({**rule_queries.CONTENT, "actions": ACTIONS})


@pytest.fixture(autouse=True, scope="module")
def _quickly() -> Iterator[None]:
    with quick_archives():
        yield


def unchanged(project: Project, text: str, cut: Sequence[Batch], rng: Random, *, parks: bool = False) -> int:
    """Rows and calls are those of an engine without demotions; how often queries have waited, or were parked."""
    with TemporaryDirectory(prefix="kaicep-") as folder:
        found = answer_with_demotions(project, text, cut, rng, Path(folder), parks=parks)
    expected, calls = answered_with_calls(project, text, cut, set())
    different = difference(found.rows, expected, 0)
    assert different is None, (text, different, found.said)
    assert [row["_id"] for row in found.rows] == [row["_id"] for row in expected], (text, found.said)
    order = itemgetter("_time", "rule", "_id")
    assert sorted(found.calls, key=order) == sorted(calls, key=order), (text, found.said)
    return found.parked if parks else found.waited


def drawn(data: st.DataObject, family: str) -> None:
    case: Case = data.draw(cases(family) if family in FAMILIES else pattern_cases(family))
    case = stretched(case, data.draw(st.sampled_from((1, 2))), timedelta(seconds=30))
    cut = data.draw(batches(case.streams), label="batches")
    unchanged(project_of(case.campus.seed), case.text, cut, data.draw(st.randoms(use_true_random=False)))


def in_contexts(family: str, seed: int, *, parks: bool = False) -> int:
    one, rng = context_families.case(family, seed), Random(seed)
    cut = cut_anywhere(one.streams, rng)
    return unchanged(context_families.contexts_project(one.lateness), one.text, cut, rng, parks=parks)


def with_rules(family: str, seed: int, *, parks: bool = False) -> int:
    rng = Random(f"demoted {family} {seed}")
    text, rows = rule_queries.rules(family, rng), rule_queries.events(rng)
    return unchanged(RULES, text, cut_anywhere(rows, rng), rng, parks=parks)


@settings(max_examples=3, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_queries_that_waited_have_the_rows_of_those_that_did_not(data: st.DataObject) -> None:
    drawn(data, data.draw(st.sampled_from((*FAMILIES, *KINDS))))


def test_so_have_queries_in_contexts() -> None:
    assert sum(in_contexts(family, 3) for family in [*context_families.FAMILIES][::5])


def test_rules_that_waited_call_what_they_would_have_called() -> None:
    assert sum(with_rules(family, 1) for family in [*rule_queries.FAMILIES][::3])


def test_queries_that_were_parked_have_the_rows_of_those_that_were_not() -> None:
    """In contexts, and of rules what they call."""
    assert sum(in_contexts(family, 2, parks=True) for family in [*context_families.FAMILIES][::6])
    assert sum(with_rules(family, 2, parks=True) for family in [*rule_queries.FAMILIES][::4])


@pytest.mark.parametrize(
    ("family", "seed"), some_of([("calls", 30000), ("declared", 30018), ("unions", 30037), ("chains", 30054)], 2)
)
def test_who_comes_back_brings_what_it_reads_and_calls_nothing_twice(family: str, seed: int) -> None:
    """A rule came back without the query that it reads, and called again what it had called before a restart."""
    assert with_rules(family, seed)


@pytest.mark.long
@pytest.mark.parametrize("family", [*FAMILIES, *KINDS])
@settings(max_examples=300, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_queries_that_waited_have_their_rows_in_the_long_run(family: str, data: st.DataObject) -> None:
    drawn(data, family)


@pytest.mark.long
@pytest.mark.parametrize("family", context_families.FAMILIES)
def test_so_have_queries_in_contexts_in_the_long_run(family: str) -> None:
    assert sum(in_contexts(family, seed) for seed in range(100))


@pytest.mark.long
def test_queries_that_were_parked_have_their_rows_in_the_long_run() -> None:
    assert sum(in_contexts(family, seed, parks=True) for family in context_families.FAMILIES for seed in range(20))
    assert sum(with_rules(family, seed, parks=True) for family in rule_queries.FAMILIES for seed in range(20))


@pytest.mark.long
@pytest.mark.parametrize("family", rule_queries.FAMILIES)
def test_rules_that_waited_call_what_they_would_have_called_in_the_long_run(family: str) -> None:
    assert sum(with_rules(family, seed) for seed in range(100))
