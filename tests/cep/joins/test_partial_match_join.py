"""Partial matches as joins: those of automata, candidates that are of no use any more are forgotten."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import polars as pl
from kaicep import Project
from kaicep.cep import Limits, build_operator
from kaicep.cep.joins import PartialMatchJoin
from kaicep.cep.query_state import watch
from support.timer_queries import CONTENT

PROJECT = Project.parse(CONTENT)
BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
(QUERY,) = PROJECT.compile(
    "SELECT ?a.id FROM (?a, S), (?b, S), (?c, P) JOIN (?a.x < ?b.x) SEQ (?a, ?b, ?c) WINDOW (?a, ?b, ?c, 9s)"
)


def candidates(*rows: tuple[float, int]) -> pl.DataFrame:
    """Seconds, and x."""
    times = pl.Series([BEGIN + timedelta(seconds=s) for s, _ in rows], dtype=pl.Datetime("us", "UTC"))
    values = {"id": [str(s) for s, _ in rows], "k": ["k"] * len(rows), "t": times, "x": [x for _, x in rows]}
    return pl.DataFrame({"_time": times, "_id": values["id"], **values})


def held(second: float) -> list[tuple[str, int]]:
    """What is bound, and until which second."""
    operator = build_operator(watch(QUERY), limits=Limits(), watched=True)
    assert isinstance(operator.kernel, PartialMatchJoin)
    given = candidates((0, 1), (2, 3), (4, 2))
    at = BEGIN + timedelta(seconds=second)
    operator.process({"a": given, "b": given}, at)
    state = operator.state(at - timedelta(microseconds=1), QUERY)
    found = []
    for number, until in enumerate(state.until.tolist()):
        own = [
            f"{v}{state.candidates[v]['_id'][int(row)]}"
            for v, of in state.bound.items()
            for row in of.row[of.match == number]
        ]
        found.append((" ".join(own), (until - int(BEGIN.timestamp() * 1_000_000)) // 1_000_000))
    return sorted(found)


def test_every_beginning_that_may_go_on_is_held() -> None:
    assert held(5) == [("a0", 9), ("a0 b2", 9), ("a0 b4", 9), ("a2", 11), ("a4", 13)]
    assert held(10) == [("a2", 11), ("a4", 13)]


def test_candidates_go_with_the_last_partial_match_of_theirs() -> None:
    kernel = build_operator(watch(QUERY), watched=True)
    given = candidates((0, 1), (2, 3), (4, 2))
    kernel.process({"a": given, "b": given}, BEGIN + timedelta(seconds=12))
    kept = kernel.kernel.state().tables
    assert {name: frame.height for name, frame in kept.items()} == {"kept.a": 1, "kept.b": 1, "kept.c": 0}


def test_it_goes_on_from_what_it_has_stored() -> None:
    given = candidates((0, 1), (2, 3))
    operator = build_operator(watch(QUERY), watched=True)
    operator.process({"a": given, "b": given}, BEGIN + timedelta(seconds=3))
    other = build_operator(watch(QUERY), watched=True)
    other.restore(operator.snapshot())
    moment = BEGIN + timedelta(seconds=3, microseconds=-1)
    assert other.state(moment, QUERY).until.tolist() == operator.state(moment, QUERY).until.tolist()
    assert len(other.state(moment, QUERY).until) == 3
