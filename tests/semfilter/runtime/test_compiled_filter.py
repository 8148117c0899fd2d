"""Queries that ask for the same over the same knowledge share one compiled filter, and nothing else."""

from __future__ import annotations

import gc

import pyarrow as pa
from kaicep.annotator import Annotator
from kaicep.language.nodes import ValueType
from kaicep.ontology import KnowledgeBase
from kaicep.semfilter import SemanticFilter
from kaicep.semfilter.runtime import FilterOptions
from kaicep.semfilter.runtime.compiled_filter import CompiledFilter
from support.command_line import wait_for
from support.prefixes import turtle_head
from support.streams import reports
from support.subqueries import PREFIXES, source, subquery

CAMPUS = "ee:s1 bd:in bd:r1 . ee:s2 bd:in bd:r2 . bd:r1 a bd:Office ; bd:limit 5 . bd:r2 bd:limit 7 ."
SETTINGS = reports(
    sensor={"property": "evt:hasSource", "individual": "ee:{}"},
    flow={"property": "evt:flow", "datatype": "xsd:double"},
)
IN_OFFICE = "?e evt:hasSource ?s . ?s bd:in ?r . ?r a bd:Office"


def knowledge() -> KnowledgeBase:
    return KnowledgeBase.of_turtle(turtle_head(PREFIXES) + CAMPUS)


KNOWLEDGE = knowledge()
ANNOTATOR = Annotator("report", SETTINGS, KNOWLEDGE)


def events(*rows: tuple[str, float]) -> pa.Table:
    moments = [f"2012-05-07T00:00:{i:02}Z" for i in range(len(rows))]
    raw = pa.table({"at": moments, "sensor": [sensor for sensor, _ in rows], "flow": [flow for _, flow in rows]})
    return ANNOTATOR.annotate(raw).events


def filter_of(
    text: str, options: FilterOptions | None = None, over: KnowledgeBase = KNOWLEDGE, **bindings: ValueType
) -> SemanticFilter:
    asked = source(subquery(text, tuple(bindings)), bindings)
    return SemanticFilter(asked, Annotator("report", SETTINGS, over).shape, over, options or FilterOptions())


def compiled(tested: SemanticFilter) -> CompiledFilter:
    found = tested.subqueries[0].compiled
    assert found is not None
    return found


def test_equal_plans_over_equal_knowledge_share() -> None:
    assert compiled(filter_of(IN_OFFICE)) is compiled(filter_of("  " + IN_OFFICE))


def test_conditions_on_columns_belong_to_the_query() -> None:
    """Two limits, one residual query: the verdicts are the same, the answers are not."""
    low, high = (filter_of(f"{IN_OFFICE} . ?e evt:flow ?f . FILTER (?f > {limit})") for limit in (1, 8))
    assert compiled(low) is compiled(high)
    batch = events(("s1", 5.0), ("s1", 9.0), ("s2", 9.0))
    assert (low.select(batch)["_row"].to_pylist(), high.select(batch)["_row"].to_pylist()) == ([0, 1], [1])


def test_other_knowledge_other_bindings_and_other_options_share_nothing() -> None:
    one, other = filter_of(IN_OFFICE), knowledge()
    rest = [
        filter_of(IN_OFFICE, over=other),
        filter_of(IN_OFFICE, r=ValueType.IRI),
        filter_of(IN_OFFICE, FilterOptions(table_size=0)),
    ]
    assert len({id(compiled(each)) for each in (one, *rest)}) == 4


def test_statistics_and_caches_are_each_querys_own() -> None:
    """What one query has asked, the other has not: its misses are counted as if it were alone."""
    one, other = (filter_of(IN_OFFICE, FilterOptions(table_size=0)) for _ in range(2))
    batch = events(("s1", 1.0), ("s2", 1.0))
    for _ in range(2):
        assert one.select(batch)["_row"].to_pylist() == [0]
    assert (one.statistics[0].hits, one.statistics[0].misses, other.statistics[0].keys) == (2, 2, 0)
    assert other.select(batch)["_row"].to_pylist() == [0]
    assert (other.statistics[0].hits, other.statistics[0].misses) == (0, 2)
    assert one.subqueries[0].known() == other.subqueries[0].known()


def test_solutions_of_keys_and_of_all_individuals() -> None:
    found = compiled(filter_of(IN_OFFICE, r=ValueType.IRI))
    iris = {name: f"{PREFIXES['ee']}{name}" for name in ("s1", "s2")}
    solved, none = found.evaluate([((True, iris["s1"]),), ((True, iris["s2"]),)])
    assert [str(term) for (term,) in solved] == [f"<{PREFIXES['bd']}r1>"]
    assert none == []
    assert found.all_solutions() == {(iris["s1"],): solved}


def test_a_filter_goes_with_the_last_query_that_uses_it() -> None:
    over = knowledge()
    tested = filter_of(IN_OFFICE, over=over)
    assert len(CompiledFilter._shared[over]) == 1
    del tested
    wait_for(lambda: gc.collect() >= 0 and not CompiledFilter._shared[over])  # another thread may collect already
