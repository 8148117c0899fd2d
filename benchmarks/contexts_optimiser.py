"""How long a plan is looked for: kaicep's, which follows from the contexts, against a search of all groupings.

The paper's §5.3: queries may be shared in any grouping, so a search that knows nothing of contexts looks at every
partition of them (their number is Bell's), while windows say at once what is evaluated together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import process_time

from .contexts_figures import Point
from .contexts_queries import FORMS, pattern
from .contexts_runs import project, registered

__all__ = ["points"]

_MOST = 3.0
"""Seconds: a longer search is not tried for more queries."""


def points(counts: Sequence[int], most: float = _MOST) -> Iterator[Point]:
    """Both for so many queries, the exhaustive one as far as it ends in time."""
    last = 0.0
    for count in counts:
        yield Point("optimiser", count, "greedy", (_greedy(count),), 0)
        if last < most:
            last = _exhaustive(count)
            yield Point("optimiser", count, "exhaustive", (last,), 0)


def _greedy(count: int) -> float:
    """From the checked queries to operators that wait for events, half in one context and half in another."""
    contexts = ("congestion", "accident")
    text = FORMS["aware"](contexts, [(contexts[i % 2], pattern(i)) for i in range(count)])
    of = project()
    queries = of.compile(text)
    flow = of.dataflow()
    began = process_time()
    registered(flow, queries)
    return process_time() - began


def _exhaustive(count: int) -> float:
    """The cheapest grouping of all: a group costs as long as one of its queries is active, and its members a little."""
    active = [frozenset((i % 2, (i + 1) % 3)) for i in range(count)]
    began = process_time()
    best = min(_costs(active, []))
    taken = process_time() - began
    return taken if best else 0.0


def _costs(active: Sequence[frozenset[int]], groups: list[frozenset[int]]) -> Iterator[float]:
    """What each partition of the queries into groups costs."""
    if not active:
        yield sum(len(group) + 0.1 for group in groups)
        return
    first, others = active[0], active[1:]
    for number, group in enumerate(groups):
        groups[number] = group | first
        yield from _costs(others, groups)
        groups[number] = group
    groups.append(first)
    yield from _costs(others, groups)
    groups.pop()
