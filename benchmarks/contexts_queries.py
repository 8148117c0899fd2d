"""The queries of `benchmarks.contexts`: the same patterns in a context, and with its conditions written by hand.

All forms give the same rows. By hand a context's window is what begins with one sign and has not ended by another, so
*alone* each pattern stands behind the first sign, and between its events there is none of the others; *staged*, one
query hands on the reports in windows, with what tells the windows apart, and the patterns look at its rows only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["FORMS", "Pattern", "overlapping", "pattern", "separate"]

_LONGEST = "1h"
"""Of a window: by hand it has to be said."""

_STAGE = """CREATE QUERY in_{context} AS
SELECT ?p.car, ?p.seg, ?p.lane, ?p.speed, ?begin._time AS since FROM (?begin, signs), (?end, signs), (?p, reports)
WHERE {{
    FILTER (?begin.context = '{context}') FILTER (?begin.state = 'begins')
    FILTER (?end.context = '{context}') FILTER (?end.state = 'ends')
    JOIN (?begin.seg = ?p.seg) JOIN (?end.seg = ?p.seg)
    SEQ (?begin, NOT ?end, ?p) WINDOW (?begin, ?p, {longest})
}}"""


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a query looks for among the reports of one car.

    Attributes:
        items: of SELECT.
        before: the event variable that must not be first, if any; within `extent` of the one that follows.
        steps: the event variables in order, `NOT` before those that must not be.
        filters: on one variable each.
        joins: between variables.
        extent: seconds from the first to the last.
    """

    items: str
    steps: tuple[str, ...]
    filters: tuple[str, ...]
    joins: tuple[str, ...]
    extent: int
    before: str | None = None

    @property
    def positive(self) -> tuple[str, ...]:
        """The variables that a match binds."""
        return tuple(step for step in self.steps if not step.startswith("NOT "))

    @property
    def variables(self) -> tuple[str, ...]:
        """All of them."""
        first = () if self.before is None else (self.before,)
        return (*first, *(step.removeprefix("NOT ") for step in self.steps))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Variables whose reports are of one car: neighbours, and those that must not be with the last."""
        negated = [v for v in self.variables if v not in self.positive]
        return [*pairwise(self.positive), *((v, self.positive[-1]) for v in negated)]

    @property
    def window(self) -> str:
        """What bounds the distance of its events."""
        return f"WINDOW ({_listed(self.variables if self.before else self.positive)}, {self.extent}s)"

    @property
    def conditions(self) -> str:
        """FILTERs and JOINs."""
        same = [f"JOIN (?{one}.car = ?{other}.car)" for one, other in self.pairs]
        filters = [f"FILTER ({test})" for test in self.filters]
        return " ".join([*filters, *same, *(f"JOIN ({test})" for test in self.joins)])


def pattern(number: int) -> Pattern:
    """The pattern of that number; no two are the same."""
    kind, turn = number % 5, number // 5
    if kind == 0:  # the paper's query 2
        return Pattern("?b.car, ?b.seg", ("b",), ("?b.lane != 4",), (), 30 + turn, before="a")
    if kind == 1:
        braking = f"?b.speed < ?a.speed - {60 + turn}"
        return Pattern("?b.car, ?a.speed AS was, ?b.speed AS now", ("a", "b"), (), (braking,), 45)
    if kind == 2:
        slow = ("?a.speed < 20", f"?n.speed > {50 + turn}", "?b.speed < 20")
        return Pattern("?a.car", ("a", "NOT n", "b"), slow, (), 120)
    if kind == 3:
        rising = (f"?b.speed > ?a.speed + {20 + turn}", f"?c.speed > ?b.speed + {20 + turn}")
        return Pattern("?c.car, ?c.speed", ("a", "b", "c"), (), rising, 75)
    return Pattern("?b.car, ?a.lane", ("a", "b"), (f"?a.speed > {60 + turn}", "?b.lane = 4"), (), 60)


def _sequence(steps: Sequence[str]) -> str:
    return ", ".join(f"NOT ?{step[4:]}" if step.startswith("NOT ") else f"?{step}" for step in steps)


def _listed(variables: Sequence[str]) -> str:
    return ", ".join(f"?{v}" for v in variables)


def _select(asked: Pattern, stream: str, more: str = "", *, clause: str = "") -> str:
    """The pattern over one stream."""
    sources = ", ".join(f"(?{v}, {stream})" for v in asked.variables)
    steps = asked.steps if asked.before is None else (f"NOT {asked.before}", *asked.steps)
    body = f"{asked.conditions} SEQ ({_sequence(steps)}) {asked.window}"
    return f"SELECT {asked.items} FROM {sources} {clause} WHERE {{ {body} }} {more}"  # noqa: S608 - no database sees it


def _deriving(contexts: Sequence[str]) -> str:
    """The contexts, and how signs change them."""
    names = ", ".join(contexts)
    changes = [
        f"{change} CONTEXT {context} FROM (?s, signs)"
        f" WHERE {{ FILTER (?s.context = '{context}') FILTER (?s.state = '{state}') }};"
        for context in contexts
        for change, state in (("INITIATE", "begins"), ("TERMINATE", "ends"))
    ]
    return "\n".join([f"CREATE CONTEXTS road (clear DEFAULT, {names}) BY seg;", *changes])


def _aware(contexts: Sequence[str], queries: Sequence[tuple[str, Pattern]]) -> str:
    """Each pattern IN CONTEXT; a query may name several contexts, with commas."""
    texts = [_select(asked, "reports", clause=f"IN CONTEXT {context}") for context, asked in queries]
    return ";\n".join([_deriving(contexts).removesuffix(";"), *texts])


def _independent(contexts: Sequence[str], queries: Sequence[tuple[str, Pattern]]) -> str:
    """Each pattern behind the sign that begins the context, with none between that ends it."""
    del contexts
    return ";\n".join(_alone(context, asked) for context, asked in queries)


def _alone(context: str, asked: Pattern) -> str:
    last = asked.positive[-1]
    steps: list[str] = ["begin"]
    ends: list[str] = []
    for step in asked.steps:
        if not step.startswith("NOT "):
            ends.append(f"end{len(ends)}")
            steps.append(f"NOT {ends[-1]}")
            if asked.before is not None and len(ends) == 1:
                steps.append(f"NOT {asked.before}")
        steps.append(step)
    signs = [("begin", "begins"), *((end, "ends") for end in ends)]
    sources = [f"(?{v}, reports)" for v in asked.variables] + [f"(?{v}, signs)" for v, _ in signs]
    of_signs = [f"FILTER (?{v}.context = '{context}') FILTER (?{v}.state = '{state}')" for v, state in signs]
    same = [("begin", asked.positive[0]), *asked.pairs, *((end, last) for end in ends)]
    joins = [f"JOIN (?{one}.seg = ?{other}.seg)" for one, other in same]
    if asked.before is not None:
        joins.append(f"JOIN (?{asked.before}._time >= ?{last}._time - {asked.extent}s)")
    window = f"WINDOW ({_listed(('begin', *asked.positive))}, {_LONGEST})"
    near = "" if asked.before is not None else asked.window
    body = " ".join([*of_signs, asked.conditions, *joins, f"SEQ ({_sequence(steps)})", window, near])
    return f"SELECT {asked.items} FROM {', '.join(sources)} WHERE {{ {body} }}"  # noqa: S608 - no database sees it


def _staged(contexts: Sequence[str], queries: Sequence[tuple[str, Pattern]]) -> str:
    """A query for each context that hands on the reports in its windows, and the patterns over its rows."""
    texts = [_select(asked, f"in_{context}", "PARTITION BY seg, since") for context, asked in queries]
    return ";\n".join([*(_STAGE.format(context=context, longest=_LONGEST) for context in contexts), *texts])


def overlapping(contexts: Sequence[str], asked: Sequence[Pattern]) -> str:
    """Each pattern once, in all contexts."""
    return _aware(contexts, [(", ".join(contexts), one) for one in asked])


def separate(contexts: Sequence[str], asked: Sequence[Pattern]) -> str:
    """Each pattern in each context by itself."""
    return _aware(contexts, [(context, one) for one in asked for context in contexts])


FORMS: dict[str, Callable[[Sequence[str], Sequence[tuple[str, Pattern]]], str]] = {
    "aware": _aware,
    "alone": _independent,
    "staged": _staged,
}
