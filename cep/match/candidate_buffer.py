"""The candidates that can still take part, by rows that never change: what was forgotten is counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from ...expressions import Ints, timestamps
from ..order import NUMBER, Candidates, SharedEvents
from ..partitions import queries_of
from .index_probe import JoinPredicate, passing

__all__ = ["CandidateBuffer"]

_PIECES = 32
"""So many batches are kept apart: gathering from more costs more than putting them together."""


@dataclass(slots=True)
class CandidateBuffer:
    """What is kept of each variable's candidates, in total order, with the column `NUMBER`.

    Attributes:
        own: by variable, conditions on its candidates alone, over their plain columns.
        frames: by variable, its candidates.
        events: what others keep of the same events; `None`: nothing is shared.
        forgotten: by variable, how many candidates before the first of `frames` were kept once.
    """

    own: Mapping[str, Sequence[JoinPredicate]]
    frames: dict[str, pl.DataFrame] = field(default_factory=dict)
    forgotten: dict[str, int] = field(default_factory=dict)
    events: SharedEvents | None = None

    @property
    def oldest(self) -> int | None:
        """The time stamp of the first candidate; `None`: there is none."""
        return min((int(timestamps(f["_time"][:1])[0]) for f in self.frames.values() if f.height), default=None)

    def take_in(self, released: Mapping[str, pl.DataFrame]) -> dict[str, Candidates]:
        """Keep what can take part of what was released, and give all that is kept."""
        added = {}
        for variable, own in self.own.items():
            new = released[variable]
            left = new.filter(pl.Series(passing(new, own, queries_of(new)))) if own else new
            added[variable] = self.add(variable, left)
        return {v: self.candidates(v, self.frames[v].height - count) for v, count in added.items()}

    def add(self, variable: str, new: pl.DataFrame) -> int:
        """Keep candidates; returns how many those are."""
        kept = self.frames.get(variable)
        new = new if self.events is None else self.events.shared(new)
        frame = new
        if kept is not None and kept.height:
            # A query plan that changes nothing costs more than all of the rest.
            frame = kept.vstack(new if new.columns == kept.columns else new.select(kept.columns))
        if self.events is not None:
            self.frames[variable] = self.events.put_together(frame)
        else:
            self.frames[variable] = frame.rechunk() if frame.n_chunks() > _PIECES else frame
        return new.height

    def candidates(self, variable: str, first_new: int = 0) -> Candidates:
        """What is kept of a variable."""
        frame = self.frames[variable]
        return Candidates(frame, frame[NUMBER].to_numpy(), first_new)

    def end(self, variable: str) -> int:
        """The row, as `fixed` counts, of the next candidate of a variable."""
        return self.forgotten.get(variable, 0) + (self.frames[variable].height if variable in self.frames else 0)

    def before(self, moment: int, variable: str) -> int:
        """How many of the variable's candidates lie before a moment, in microseconds."""
        return int(np.searchsorted(timestamps(self.frames[variable]["_time"]), moment, "left"))

    def forget(self, variable: str, count: int) -> None:
        """Forget the first candidates of a variable."""
        if count > 0:
            self.frames[variable] = self.frames[variable][count:]
            self.forgotten[variable] = self.forgotten.get(variable, 0) + count

    def fixed(self, rows: Mapping[str, Ints]) -> dict[str, Ints]:
        """Rows of `frames` as rows that stay the same whatever is forgotten; −1 stays −1."""
        return {v: np.where(r < 0, -1, r + self.forgotten.get(v, 0)) for v, r in rows.items()}

    def current(self, rows: Mapping[str, Ints]) -> dict[str, Ints]:
        """What `fixed` gave as rows of `frames`."""
        return {v: np.where(r < 0, -1, r - self.forgotten.get(v, 0)) for v, r in rows.items()}

    def earliest(self, fixed: Mapping[str, Ints]) -> int:
        """The earliest time stamp of the candidates that rows, as `fixed` gave them, name."""
        rows = {v: r[r >= 0] for v, r in self.current(fixed).items()}
        return min(
            (int(timestamps(self.frames[v]["_time"])[r].min()) for v, r in rows.items() if len(r)), default=2**62
        )

    def unused(self, variable: str, fixed: Iterable[Mapping[str, Ints]]) -> int:
        """How many candidates lie before the first that is one of these rows."""
        firsts = [r[r >= 0].min(initial=2**62) for r in (rows[variable] for rows in fixed if variable in rows)]
        first = int(min(firsts, default=2**62)) - self.forgotten.get(variable, 0)
        return max(0, min(first, self.frames[variable].height))
