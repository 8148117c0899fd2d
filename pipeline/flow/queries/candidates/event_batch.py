"""The events of one stream in one batch: what several queries look at is converted, placed and found out once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from threading import Lock
from typing import NamedTuple, Protocol

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from .....cep import Filter
from .....cep.contexts import KnownGaps, KnownRanges, Routed
from .....expressions import Bools, Ints, frame_of
from .....semfilter import SemanticFilter
from .....semfilter.runtime import BatchVerdicts, ColumnTest, Mask
from .identity_sample import looked_at

__all__ = ["Asked", "EventBatch", "EventPart", "Found", "FoundTogether"]


@dataclass(frozen=True)
class Asked:
    """What one event variable asks of a stream's events; equal ones are given the same.

    Attributes:
        said: what each FILTER says.
        paths: what the PATHs say; `None`: there are none.
        columns: those that it is given.
        filters: the FILTERs; `None`: there are none.
        tested: the columns that they look at.
        semantics: answers the PATHs.
    """

    said: tuple[Hashable, ...]
    paths: Hashable
    columns: tuple[str, ...]
    filters: Filter | None = field(compare=False)
    tested: tuple[str, ...] = field(compare=False)
    semantics: SemanticFilter = field(compare=False)
    _hash: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.said, self.paths, self.columns)))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def conditions(self) -> tuple[ColumnTest, ...]:
        """What is asked of columns alone, by FILTERs and PATHs, each by itself."""
        own, filters = [], self.filters
        if filters is not None:
            for place, said in enumerate(self.said):
                condition, threshold = filters.condition_of(place), filters.threshold_of(place)
                test = filters.test_of(place)
                own.append(ColumnTest(("FILTER", said), (condition,), test, self.tested, threshold))
        return (*own, *(self.semantics.conditions if self.paths is not None else ()))


class Found(NamedTuple):
    """The events of a batch that an event variable takes.

    Attributes:
        frame: they; `None`: FILTERs have left none, and no PATH is asked.
        left: how many were left behind each FILTER, and behind the PATHs.
        asked: about how many the PATHs were asked.
        held: of how many of these each subquery holds.
    """

    frame: pl.DataFrame | None
    left: tuple[int, ...]
    asked: int = 0
    held: tuple[int, ...] = ()


class FoundTogether(Protocol):
    """What was found of a batch for all who ask: see `JointCandidates`."""

    left: Ints
    asked: Ints
    taken: Ints
    few: Bools

    @property
    def numbers(self) -> Mapping[Asked, int]:
        """The number of what one asks."""

    def places(self, number: int) -> Ints:
        """The rows that one takes who takes few."""

    def found(self, asked: Asked) -> Found | None:
        """What one takes, as a frame; `None`: it is to be asked by itself."""


class EventBatch:
    """The events of one stream in one batch; what several queries look at is converted once.

    Attributes:
        ranges: where they lie in context windows, as far as queries have asked.
        gaps: how many of them have an unbound key of a set of contexts, likewise.
        routed: by contexts and columns, those of them that lie in windows.
        verdicts: of which of them FILTERs and PATHs hold, as far as queries have asked.

    Args:
        table: the event table.
        search: finds what all queries ask of these events; `None`: each asks by itself.
    """

    def __init__(self, table: pa.Table, search: Callable[[EventBatch], FoundTogether | None] | None = None) -> None:
        self.table = table
        self.ranges: KnownRanges = {}
        self.gaps: KnownGaps = {}
        self.routed: dict[tuple[Hashable, ...], tuple[EventBatch, Routed]] = {}
        self.verdicts = BatchVerdicts()
        self._columns: dict[str, pl.Series] = {}
        self._parts: dict[Hashable, EventPart] = {}
        self._samples: dict[float, EventBatch] = {}
        self._search = search
        self._together: FoundTogether | None = None
        self._lock, self._searching = Lock(), Lock()

    @property
    def together(self) -> FoundTogether | None:
        """What was found of all that is asked of them; `None`: each asks by itself."""
        with self._searching:
            search, self._search = self._search, None
            if search is not None:
                self._together = search(self)
        return self._together

    @cached_property
    def span(self) -> tuple[datetime, datetime]:
        """The first and the last time stamp of events, of which there are some."""
        found = pc.min_max(self.table["_time"]).as_py()
        return found["min"], found["max"]

    def found(self, asked: Asked) -> Found | None:
        """What was found together with what others ask; `None`: it is to be looked for."""
        together = self.together
        return None if together is None else together.found(asked)

    def passed(
        self, said: tuple[Hashable, ...], filters: Filter, columns: Sequence[str], place: int, before: Mask | None
    ) -> Mask:
        """Which events the first FILTERs let pass, up to one of them.

        Args:
            said: what each of the FILTERs says.
            filters: they.
            columns: those that they look at.
            place: of the last of the first ones.
            before: which of them the FILTERs before that let pass; `None`: there are none.
        """

        def both() -> Mask:
            own = self.verdicts.mask(("FILTER", said[place]), lambda: filters.mask_of(place, self.frame(columns)))
            return own if before is None else before & own

        return self.verdicts.mask(said[: place + 1], both)

    def frame(self, names: Sequence[str]) -> pl.DataFrame:
        """The named columns, dictionaries of strings as strings."""
        with self._lock:
            missing = [name for name in names if name not in self._columns]
            if missing:
                self._columns |= frame_of(self.table, missing).to_dict()
            return pl.DataFrame([self._columns[name] for name in names])

    def sample(self, share: float) -> EventBatch:
        """Those of them that are looked at where only a share is, one batch for all who ask."""
        if share not in self._samples:
            chosen = pa.array(looked_at(self.table["_id"], share))
            self._samples.setdefault(share, EventBatch(self.table.filter(chosen)))
        return self._samples[share]

    def part(self, semantics: SemanticFilter) -> EventPart:
        """Those of them whose PATHs hold, once for all that say the same; they are `shared`."""
        found = self._parts.get(semantics.shared)
        if found is None:
            found = EventPart(self, semantics.places(self.table, self.verdicts))
        return self._parts.setdefault(semantics.shared, found)


class EventPart:
    """The events of a batch whose PATHs hold; queries with these PATHs ask their FILTERs of no others.

    Attributes:
        places: where they stand in the batch.

    Args:
        batch: all events.
        places: of those whose PATHs hold.
    """

    def __init__(self, batch: EventBatch, places: Ints) -> None:
        self.places = places
        self._batch = batch
        self._frames: dict[tuple[str, ...], pl.DataFrame] = {}

    def frame(self, names: tuple[str, ...], mask: Mask | None) -> pl.DataFrame:
        """The named columns of those that FILTERs let pass, too; where all are, one frame for all who ask.

        Args:
            names: of the columns.
            mask: which events of the batch FILTERs let pass; `None`: all.
        """
        passed = None if mask is None else np.flatnonzero(mask[self.places])
        if passed is not None and not len(passed):
            return self._batch.frame(names)[:0]
        if names not in self._frames:
            self._frames.setdefault(names, self._batch.frame(names)[self.places])
        frame = self._frames[names]
        return frame if passed is None or len(passed) == len(self.places) else frame[passed]
