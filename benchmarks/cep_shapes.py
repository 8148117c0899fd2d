"""The pattern shapes of `benchmarks.cep`: each as a query and by hand, and the events that both are given."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pyarrow as pa

from .naive_nfa import Absence, Automaton, Both, Event, Naive, Session, Sliding, Step
from .naive_operator import NaiveOperator

__all__ = ["PROJECT", "SEED", "SENSORS", "SHAPES", "Shape", "moment", "workload"]

SEED = 11
SENSORS = 200
WIDTH = 60
_START = datetime(2026, 1, 1, tzinfo=UTC)
_SECOND = 1_000_000
_STEP = _SECOND // 100  # between two events

_STREAM = {
    "event_type": "<urn:Reading>",
    "time": {"attribute": "at"},
    "identity": ["id"],
    "attributes": {
        "id": {"datatype": "xsd:string"},
        "sensor": {"datatype": "xsd:string"},
        "kind": {"datatype": "xsd:string"},
        "x": {"datatype": "xsd:double"},
    },
}
PROJECT = {"streams": {"readings": _STREAM}, "archive": {"enabled": False}}


@dataclass(frozen=True)
class Shape:
    """One query and the same by hand.

    Attributes:
        text: the query.
        naive: makes the automaton.
        variables: those of a match, in the order of its events by hand.
        item: the name and type of what is selected.
        vectorisable: nothing in it asks for runs.
    """

    text: str
    naive: Callable[[], Naive]
    variables: str = "e"
    item: tuple[str, pa.DataType] = ("x", pa.float64())
    vectorisable: bool = True

    def operator(self) -> NaiveOperator:
        """The automaton behind the interface of operators."""
        return NaiveOperator(self.naive(), self.item, self.variables)


def _kind(letter: str) -> Callable[[Event], bool]:
    """A FILTER by hand."""
    return lambda event: event.kind == letter


_A, _B, _C, _N = (_kind(letter) for letter in "abcn")
_W = WIDTH * _SECOND


def _pattern(
    seq: str,
    variables: str,
    naive: Callable[[], Naive],
    *,
    absent: str = "",
    window: bool = True,
    vectorisable: bool = True,
) -> Shape:
    """Events of these kinds, all of one sensor."""
    everything = variables + absent
    sources = ", ".join(f"(?{v}, readings)" for v in everything)
    filters = " ".join(f"FILTER (?{v}.kind = '{v}')" for v in everything)
    within = f"WINDOW ({', '.join(f'?{v}' for v in variables)}, {WIDTH}s)" if window else ""
    head = f"SELECT ?{variables[0]}.x FROM {sources} {filters}"  # noqa: S608 - no database sees it
    return Shape(f"{head} SEQ ({seq}) {within} PARTITION BY sensor", naive, variables, vectorisable=vectorisable)


def _window(item: str, window: str, naive: Callable[[], Naive], of: tuple[str, pa.DataType]) -> Shape:
    """An aggregate for each sensor."""
    head = f"SELECT {item} FROM (?e, readings) FILTER (?e.kind = 'a')"  # noqa: S608 - no database sees it
    return Shape(f"{head} WINDOW (?e, {window}) GROUP BY ?e.sensor", naive, item=of)


SHAPES: Mapping[str, Shape] = {
    "SEQ any": _pattern("?a ->> ?b", "ab", lambda: Automaton([Step(_A), Step(_B)], _W)),
    "SEQ next": _pattern("?a -> ?b", "ab", lambda: Automaton([Step(_A), Step(_B, "->")], _W)),
    "SEQ strict": _pattern("?a => ?b", "ab", lambda: Automaton([Step(_A), Step(_B, "=>")], _W)),
    "three steps": _pattern("?a ->> ?b ->> ?c", "abc", lambda: Automaton([Step(_A), Step(_B), Step(_C)], _W)),
    "AND": _pattern("?a, (?b AND ?c)", "abc", lambda: Both(_A, _B, _C, _W)),
    "NOT between": _pattern("?a, NOT ?n, ?b", "ab", lambda: Automaton([Step(_A), Step(_B, unless=_N)], _W), absent="n"),
    "NOT FOR": _pattern("?a, NOT ?n FOR 30s", "a", lambda: Absence(_A, _N, 30 * _SECOND), absent="n", window=False),
    "sliding AVG": _window(
        "AVG(?e.x) > 0.5 AS mean", "sliding, 60s", lambda: Sliding(_A, _W, 0.5), ("mean", pa.float64())
    ),
    "session COUNT": _window("COUNT(?e) AS n", "session, 30s", lambda: Session(_A, 30 * _SECOND), ("n", pa.int64())),
    "Kleene, greedy": _pattern(
        "?a -> ?b{1,; ->} -> ?c",
        "abc",
        lambda: Automaton([Step(_A), Step(_B, "->", 1, 10**9), Step(_C, "->")], _W),
        vectorisable=False,
    ),
    "Kleene, any": _pattern(
        "?a ->> ?b{1,3; ->>}~", "ab", lambda: Automaton([Step(_A), Step(_B, "->>", 1, 3)], _W), vectorisable=False
    ),
}


def moment(event: int) -> datetime:
    """The time stamp of an event by its number."""
    return _START + timedelta(microseconds=event * _STEP)


def workload(events: int, in_play: float, batch: int) -> list[pa.Table]:
    """Batches of events, each with a time stamp of its own; `in_play` of them are of kinds that queries ask for."""
    source = random.Random(SEED)
    kinds = [source.choice("abcn") if source.random() < in_play else "z" for _ in range(events)]
    table = pa.table(
        {
            "_time": pa.array([moment(i) for i in range(events)], pa.timestamp("us", "UTC")),
            "_id": [f"urn:kaicep:event:readings/{i}" for i in range(events)],
            "id": [str(i) for i in range(events)],
            "sensor": [f"sensor{source.randrange(SENSORS)}" for _ in range(events)],
            "kind": kinds,
            "x": [source.random() for _ in range(events)],
        }
    )
    table = table.append_column("at", table["_time"])
    return [table.slice(start, batch) for start in range(0, events, batch)]
