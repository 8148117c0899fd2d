"""Queries that are alike, and what each of them is given of a batch: rows of it, as long as nobody needs more.

Source: docs/decisions/273, 290.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
import polars as pl

from ....cep import Arrived
from ..queries import CandidateSelection, EventBatch, JointSelection, QueryRuntime, Selected, Taken

__all__ = ["Company", "CompanySelection", "MemberInput"]


@dataclass(frozen=True, slots=True)
class MemberInput:
    """What a query is given of a batch.

    Attributes:
        flow: the query.
        place: among those that are told rows of the batch; `None`: it is given candidates.
        candidates: by variable, those that it is given.
    """

    flow: QueryRuntime
    place: int | None = None
    candidates: dict[str, Selected] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Told:
    """What queries take of one variable.

    Attributes:
        batch: the events.
        columns: those that candidates have.
        selections: what selects them, of each query.
        taken: what was found.
    """

    batch: EventBatch
    columns: Sequence[str]
    selections: Sequence[CandidateSelection]
    taken: Taken

    def frame(self, places: Sequence[int]) -> pl.DataFrame:
        """The candidates of some queries, one behind the other."""
        return self.batch.frame(self.columns)[self.taken.rows(places)]


class Company:
    """What queries that are alike take of a batch, each variable of all of them at once.

    Attributes:
        sizes: how many rows each query is told of all its variables.

    Args:
        told: by variable, what they take.
        count: how many queries.
    """

    def __init__(self, told: Mapping[str, _Told], count: int) -> None:
        self._told = told
        rows = np.zeros(count, dtype=np.int64)
        self._apart = np.zeros(count, dtype=bool)
        for of in told.values():
            self._apart[of.taken.apart] = True
        self.sizes: list[int] = sum((of.taken.sizes for of in told.values()), start=rows).tolist()

    def apart(self) -> list[tuple[int, str, CandidateSelection, EventBatch]]:
        """Who is to be asked by itself: its place, the variable, what selects its candidates, the events."""
        return [
            (place, variable, told.selections[place], told.batch)
            for variable, told in self._told.items()
            for place in told.taken.apart.tolist()
        ]

    def candidates(self, given: MemberInput) -> dict[str, Selected]:
        """By variable, the candidates of one query."""
        found = dict(given.candidates)
        for variable, told in self._told.items() if given.place is not None else ():
            if told.taken.numbers[given.place] >= 0:
                found[variable] = told.frame([cast("int", given.place)])
        return found

    def size(self, given: MemberInput) -> int:
        """How many rows the candidates of one query have."""
        rows = sum(map(len, given.candidates.values()))
        return rows if given.place is None else rows + self.sizes[given.place]

    def is_told(self, given: MemberInput) -> bool:
        """Whether one query is told rows of all its variables."""
        return given.place is not None and not self._apart[given.place]

    def key(self, given: MemberInput) -> Hashable:
        """What one query is told, that is told rows; equal where that is equal."""
        place = cast("int", given.place)
        return tuple(int(told.taken.numbers[place]) for told in self._told.values())

    def arrived(self, given: Sequence[MemberInput], chosen: Sequence[int]) -> dict[str, Arrived]:
        """By variable, what has come for some queries that are told rows, query by query.

        Args:
            given: queries.
            chosen: their places among these.
        """
        places = [cast("int", given[at].place) for at in chosen]
        return {v: Arrived(told.frame(places), told.taken.sizes[places]) for v, told in self._told.items()}


class CompanySelection:
    """Selects the candidates of queries that are alike, which stay together from batch to batch."""

    def __init__(self) -> None:
        self._selections: dict[str, JointSelection] = {}

    def taken(self, flows: Sequence[QueryRuntime], events: Mapping[str, EventBatch]) -> Company:
        """What the queries take of the events of a batch.

        Args:
            flows: queries that are alike.
            events: by stream, the events.
        """
        told = {}
        for place, first in enumerate(flows[0].sources) if flows else ():
            stream, variable = first.source.stream.name, first.source.variable
            if stream in events:
                sources = [flow.sources[place] for flow in flows]
                known = self._selections.get(variable)
                if known is None or not known.is_of(sources):
                    known = self._selections[variable] = JointSelection(sources)
                told[variable] = _Told(events[stream], first.given, sources, known.taken(events[stream]))
        return Company(told, len(flows))
