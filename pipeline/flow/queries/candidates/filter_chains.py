"""The filter graph of a stream: what all queries ask of its events, put in order once for as long as these stay.

Whoever asks the same is one node. Nodes that ask the same PATH and one threshold of one column are a chain: a tighter
threshold is asked only of the events that a looser one has left. So are conditions of all others of what a wider one
has left. PATHs that look at one column of individuals are
answered by the classes of these. Source: H2O §V (filter graph); docs/decisions/290.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np

from .....expressions import Ints, Threshold, ThresholdChain
from .....semfilter.runtime import IndividualClasses, SubqueryFilter
from .event_batch import Asked
from .wider_conditions import next_wider

__all__ = ["FilterChain", "FilterGraph"]


class _Single(NamedTuple):
    """An event variable of which no more is asked than one PATH and one threshold.

    Attributes:
        path: answers the PATH; `None`: there is none.
        threshold: of a FILTER, or of the PATH; `None`: there is none.
        first: whether it is a FILTER's, which is asked before the PATH.
    """

    path: SubqueryFilter | None
    threshold: Threshold | None
    first: bool

    @property
    def key(self) -> Hashable:
        """What is equal of those of one chain."""
        compared = None if self.threshold is None else (self.threshold.column, self.threshold.symbol)
        return None if self.path is None else self.path.compiled, compared


@dataclass(frozen=True, slots=True)
class FilterChain:
    """Nodes that ask the same PATH, and compare one column in one way with different values.

    Attributes:
        path: answers the PATH; `None`: there is none.
        column: the column; `None`: nothing is compared.
        thresholds: the values; `None` likewise.
        numbers: of the nodes.
        first: which of them ask the threshold as a FILTER, before the PATH.
    """

    path: SubqueryFilter | None
    column: str | None
    thresholds: ThresholdChain | None
    numbers: Ints
    first: np.ndarray[tuple[int], np.dtype[np.bool_]]

    @property
    def required(self) -> frozenset[str]:
        """Columns that may not be null, other than the one that is compared."""
        return frozenset() if self.path is None else frozenset(self.path.plan.required) - {self.column or ""}


class FilterGraph:
    """What is asked of the events of a stream.

    Args:
        asked: by each event variable.

    Attributes:
        nodes: what is asked, each once.
        numbers: the place of each among these.
        chains: those of which one PATH and one threshold are asked.
        others: the numbers of all others.
        classes: what answers PATHs, by the column of individuals that they look at; and what each answers there.
        width: how many numbers the longest node counts.
        wider: by what a condition on columns says, what the next wider one says that a node asks.
    """

    def __init__(self, asked: Iterable[Asked]) -> None:
        self.nodes = tuple(dict.fromkeys(asked))
        self.numbers: Mapping[Asked, int] = {one: number for number, one in enumerate(self.nodes)}
        self.width = max((len(one.said) + 1 for one in self.nodes), default=0)
        self.wider = next_wider({test.said: test for one in self.nodes for test in one.conditions}.values())
        singles = [_single(one) for one in self.nodes]
        self.others = [number for number, single in enumerate(singles) if single is None]
        chained: dict[Hashable, list[int]] = {}
        for number, single in enumerate(singles):
            if single is not None:
                chained.setdefault(single.key, []).append(number)
        self.chains = [_chain([(n, cast("_Single", singles[n])) for n in numbers]) for numbers in chained.values()]
        self.classes = [
            (IndividualClasses([p.ahead for p in paths if p.ahead is not None]), paths) for paths in self._paths()
        ]

    def _paths(self) -> Iterable[list[SubqueryFilter]]:
        """The PATHs of chains, each once, by the column of individuals that they look at."""
        found: dict[str, dict[Hashable, SubqueryFilter]] = {}
        for chain in self.chains:
            if chain.path is not None and chain.path.ahead is not None:
                found.setdefault(chain.path.ahead.columns[0], {}).setdefault(chain.path.compiled, chain.path)
        return [list(paths.values()) for paths in found.values()]


def _chain(members: list[tuple[int, _Single]]) -> FilterChain:
    _, one = members[0]
    numbers, first = np.array([n for n, _ in members]), np.array([single.first for _, single in members])
    if one.threshold is None:
        return FilterChain(one.path, None, None, numbers, first)
    limits = [single.threshold.value for _, single in members if single.threshold is not None]
    return FilterChain(one.path, one.threshold.column, ThresholdChain(one.threshold.symbol, limits), numbers, first)


def _single(asked: Asked) -> _Single | None:
    """What is asked, where that is no more than one PATH and one threshold; `None`: it is more."""
    filters = [] if asked.filters is None else [asked.filters.threshold_of(place) for place in range(len(asked.said))]
    path = asked.semantics.single if asked.paths is not None else None
    if len(filters) > 1 or None in filters or (asked.paths is not None and (path is None or path.ahead is None)):
        return None
    condition = None if path is None else path.condition
    if condition is None:
        return _Single(path, filters[0] if filters else None, first=bool(filters))
    return None if filters or condition.threshold is None else _Single(path, condition.threshold, first=False)
