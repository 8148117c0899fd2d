"""Buffer and cache: what is evaluated, and how it is counted (paper §4.2)."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyoxigraph as ox
import pytest
from kaicep.language.nodes import XSD
from kaicep.ontology import KnowledgeBase
from kaicep.semfilter.plan import KeyColumn, ResidualQuery
from kaicep.semfilter.runtime import FilterOptions, Key, SubqueryStatistics
from kaicep.semfilter.runtime.compiled_filter import CompiledFilter
from kaicep.semfilter.runtime.evaluate import Solution
from kaicep.semfilter.runtime.verdict_cache import VerdictCache

RESIDUAL = ResidualQuery(
    "e", "?e <urn:n> 1 .", (), (), (KeyColumn("n", None, XSD + "integer", ("urn:n",)),), False, (), None
)
KNOWLEDGE = KnowledgeBase.empty()


class Recorded(CompiledFilter):
    """Notes which keys it evaluates."""

    def __init__(self, options: FilterOptions) -> None:
        super().__init__(RESIDUAL, KNOWLEDGE, options)
        self.asked: list[list[object]] = []

    def evaluate(self, keys: Sequence[Key]) -> list[list[Solution]]:
        self.asked.append([None if value is None else value[1] for (value,) in keys])
        return super().evaluate(keys)


def cache_of(buffer: bool, cache_size: int) -> tuple[Recorded, VerdictCache, SubqueryStatistics]:
    options = FilterOptions(buffer=buffer, cache_size=cache_size)
    compiled, statistics = Recorded(options), SubqueryStatistics()
    return compiled, VerdictCache(compiled, options, statistics), statistics


def batch(*values: int) -> pa.Table:
    return pa.table({"n": pa.array(values, pa.int64())})


@pytest.mark.parametrize(
    ("buffer", "cache_size", "asked", "counts"),
    [
        (False, 0, [[1, 2, 1], [2, 1]], (5, 0, 5)),
        (True, 0, [[1, 2, 1], [2, 1]], (5, 0, 5)),
        (False, 9, [[1], [2]], (5, 3, 2)),
        (True, 9, [[1, 2]], (4, 2, 2)),
    ],
)
def test_what_is_evaluated_and_counted(
    buffer: bool, cache_size: int, asked: list[list[object]], counts: tuple[int, int, int]
) -> None:
    """Two batches; keys, hits and misses are those of the table in the module."""
    compiled, cache, statistics = cache_of(buffer, cache_size)
    for values in ((1, 2, 1), (2, 1)):
        codes, verdicts = cache.verdicts(batch(*values))
        assert verdicts.holds[codes].tolist() == [value == 1 for value in values]
    assert compiled.asked == asked
    assert (statistics.keys, statistics.hits, statistics.misses) == counts


def test_the_least_recently_used_leave_first() -> None:
    compiled, cache, _ = cache_of(buffer=True, cache_size=2)
    for values in ((1, 2), (1, 3), (1, 2)):
        cache.verdicts(batch(*values))
    assert compiled.asked == [[1, 2], [3], [2]]


def test_what_was_learnt_is_not_evaluated() -> None:
    compiled, cache, statistics = cache_of(buffer=True, cache_size=9)
    cache.learn({((False, 5),): [()]})
    codes, verdicts = cache.verdicts(batch(5, 5))
    assert verdicts.holds[codes].tolist() == [True, True]
    assert (compiled.asked, statistics.hits) == ([], 1)
    assert cache.known() == {((False, 5),): [()]}


def test_without_a_cache_nothing_is_known() -> None:
    _, cache, _ = cache_of(buffer=True, cache_size=0)
    cache.learn({((False, 5),): [(ox.Literal(1),)]})
    assert cache.known() == {}
