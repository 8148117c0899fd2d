"""The candidates of an event variable: IN CONTEXT, WITHIN, FILTER, PATH, over columns that a batch's queries share.

Of a query in contexts, nothing is asked of events that lie in none of its windows (CAESAR §5.2: contexts are pushed
down), unless it takes a PATH to say where they lie.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

import numpy as np
import polars as pl
import pyarrow as pa

from .....cep import Filter, apply_filters
from .....expressions import Ints, frame_of
from .....language.nodes import Column, Expression, Source, columns_of, expression_text, uses_bindings, walk
from .....planner import Range
from .....semfilter import SemanticFilter
from .....semfilter.runtime import Mask, condition_key
from ....profile import ClauseCount, ClauseKind
from .event_batch import Asked, EventBatch, Found

Selected: TypeAlias = pa.Table | pl.DataFrame
"""Candidates."""
Counts: TypeAlias = tuple[int, ...]
"""How many events were left behind each clause."""
_PLACE = "#place"
_FEW = 4
"""A part of the events so small is taken from the Arrow table before it is converted; more is converted as a whole."""


@dataclass(frozen=True, slots=True)
class EventPlacement:
    """Where the events of a variable of a query in contexts lie.

    Attributes:
        columns: the columns of events that say it.
        adds: the columns that placing adds to them.
        after_paths: what PATHs bind says it, too.
        text: the contexts, for people.
        place: the events, or candidates, that lie in windows, once for each.
    """

    columns: frozenset[str]
    adds: tuple[str, ...]
    after_paths: bool
    text: str
    place: Callable[[pa.Table], pa.Table]


class CandidateSelection:
    """Selects the candidates of one event variable: WITHIN, FILTER, PATH, in the order of their cost.

    Attributes:
        source: the variable, its stream, what is asked of it.
        within: the query's bounds.
        semantics: answers its PATHs.

    Args:
        source: likewise.
        within: likewise.
        semantics: likewise.
        implied: what every event that can be part of a match fulfils (`cep.joins.implied_filters`).
        placement: of a query in contexts; `None`: its events need not lie in any.
    """

    def __init__(
        self,
        source: Source,
        within: Range,
        semantics: SemanticFilter,
        implied: Sequence[Expression] = (),
        placement: EventPlacement | None = None,
    ) -> None:
        self.source = source
        self.semantics = semantics
        self._placement = placement
        self.within = within
        own = tuple(f for f in source.filters if not uses_bindings(f))
        before = (*own, *implied)
        self._before = Filter(before) if before else None
        self._said = tuple(map(condition_key, before))
        self._conditions = len(before)
        self._after = tuple(f for f in source.filters if uses_bindings(f))
        self._clauses = tuple(_clauses(source, within, own, implied, self._after, placement=placement))
        self._left = np.zeros(len(self._clauses), dtype=np.int64)
        self._asks: tuple[SemanticFilter, Asked | None] | None = None
        self._columns = ["_time", "_id", *source.columns]
        self._tested = _columns_of(before)
        self._tested_names = tuple(sorted(self._tested) or ["_time"])
        self._kept = sorted({n for n in self._columns if not n.startswith("?")} | _columns_of(self._after))
        self._asked = self._kept
        if placement is not None:
            added = placement.columns if placement.after_paths else placement.adds
            self._columns += [name for name in placement.adds if name not in self._columns]
            self._asked = sorted({*self._kept, *placement.columns})
            self._kept = sorted({n for n in {*self._kept, *added} if n in added or n[0] != "?"})
        later = placement.adds if placement is not None and placement.after_paths else ()
        self._read = [name for name in dict.fromkeys([*self._columns, *self._kept]) if name not in later]

    @property
    def columns(self) -> frozenset[str]:
        """The columns of an event table that it looks at."""
        return frozenset(self._asked) | self._tested | self.semantics.columns

    @property
    def given(self) -> tuple[str, ...]:
        """The columns of candidates."""
        return tuple(self._columns)

    @property
    def clauses(self) -> tuple[ClauseCount, ...]:
        """How many events were left so far behind each clause."""
        counted = zip(self._clauses, self._left.tolist(), strict=True)
        return tuple(replace(clause, left=left) for clause, left in counted)

    @property
    def placement(self) -> EventPlacement | None:
        """Of a query in contexts, where its events lie; `None`: they need not lie in any."""
        return self._placement

    def mark(self) -> object:
        """What it has counted, for `rewind`."""
        return self._left.copy()

    def rewind(self, mark: object) -> None:
        """Have counted what it had when `mark` was taken."""
        self._left[:] = cast("Ints", mark)

    def counted_since(self, mark: object) -> Counts:
        """What it has counted since `mark` was taken."""
        return tuple((self._left - cast("Ints", mark)).tolist())

    def count(self, counts: Sequence[int]) -> None:
        """Count so many more events behind each clause."""
        self._left += counts

    def count_in(self, table: Ints, row: int) -> None:
        """Go on counting in a row of a table, where others count for many at once.

        Args:
            table: a row for each of many: how many events there were, the same of those within WITHIN, then how many
                were left behind each FILTER and behind the PATHs.
            row: the number of its row.
        """
        first = 0 if self.within.bounded else 1
        own = table[row, first : first + len(self._left)]
        own[:] = self._left
        self._left = own

    def is_counted_in(self, table: Ints) -> bool:
        """Whether it counts in this table."""
        return self._left.base is table

    def pass_over(self, events: int) -> None:
        """Count events that lie in no context, and that nothing is asked of."""
        self._left[0] += events

    def candidates(self, batch: EventBatch, placed: EventBatch | None = None) -> Selected | None:
        """The candidates among the events, once per distinct solution, with the columns that the query uses.

        Args:
            batch: the events.
            placed: of a query in contexts, those of them that lie in its windows, where that is known without PATHs.

        Returns:
            A frame where they are no rows of an Arrow table; `None`: nothing is left to be asked for.
        """
        left = [batch.table.num_rows]
        if placed is not None:
            batch = placed
            left.append(placed.table.num_rows)
        inside = self.within.select(batch.table)
        left += [inside.num_rows] * self.within.bounded
        together = batch.found(self.asked) if inside is batch.table and self.asked is not None else None
        if together is not None:
            return self._counted(together, batch, left)
        if inside is not batch.table:
            batch = EventBatch(inside)
        mask = self._mask(batch, left)
        if not left[-1] and self._placement is None:
            self.count((*left, *(0,) * (len(self._clauses) - len(left))))
            return None
        found = self._chosen(batch, mask) if self.source.semantics is None else self._solved(batch, mask, left)
        if isinstance(found, pl.DataFrame) and len(left) == len(self._clauses):
            self.count(left)
            return found if found.columns == self._columns else found.select(self._columns)
        found = found.to_arrow(compat_level=pl.CompatLevel.newest()) if isinstance(found, pl.DataFrame) else found
        if self._placement is not None and self._placement.after_paths:
            found = self._placement.place(found)
            left.append(_events(found))
        for test in self._after:
            found = apply_filters(found, (test,))
            left.append(_events(found))
        self.count(left)
        return found if found.column_names == self._columns else found.select(self._columns)

    @property
    def asked(self) -> Asked | None:
        """What it asks of events, for who finds what many ask; `None`: it has to look for itself."""
        if self._asks is None or self._asks[0] is not self.semantics:
            self._asks = self.semantics, self._all_asked()
        return self._asks[1]

    def _all_asked(self) -> Asked | None:
        paths = self.semantics.shared
        if self._placement is not None or self._after or (self.source.semantics is not None and paths is None):
            return None
        return Asked(self._said, paths, tuple(self._columns), self._before, self._tested_names, self.semantics)

    def _counted(self, found: Found, batch: EventBatch, left: list[int]) -> pl.DataFrame | None:
        """What was found together with what others ask."""
        self.count((*left, *found.left))
        if found.asked:
            self.semantics.count(batch.table, batch.verdicts, found.asked, found.held)
        return found.frame

    def _chosen(self, batch: EventBatch, mask: Mask | None) -> Selected:
        """The rows that a mask leaves; where these are few, nothing but they are converted."""
        few = None if mask is None else np.flatnonzero(mask)
        if few is not None and len(few) * _FEW < batch.table.num_rows:
            return batch.table.select(self._read).take(pa.array(few))
        frame = batch.frame(self._read)
        return frame if few is None else frame[few]

    def _mask(self, batch: EventBatch, left: list[int]) -> Mask | None:
        """Which events the FILTERs without semantic variables let pass; `None`: all."""
        if self._before is None or not batch.table.num_rows:
            left += [0] * self._conditions
            return None
        mask: Mask | None = None
        for place in range(self._conditions):
            mask = batch.passed(self._said, self._before, self._tested_names, place, mask)
            left.append(int(np.count_nonzero(mask)))
        return None if mask is None or left[-1] == batch.table.num_rows else mask

    def _solved(self, batch: EventBatch, mask: Mask | None, left: list[int]) -> Selected:
        """The events whose PATHs hold; only what the PATHs look at is copied before that is known."""
        if self.semantics.shared is not None and left[-1]:
            return self._solved_once(batch, mask, left)
        places = pa.array(np.arange(batch.table.num_rows))
        asked = batch.table.select(sorted(self.semantics.columns)).append_column(_PLACE, places)
        answered = self.semantics.select(asked if mask is None else asked.filter(pa.array(mask)))
        left.append(_distinct(answered[_PLACE].to_numpy()))
        chosen = batch.frame(self._kept)[answered[_PLACE].to_numpy()]
        found = chosen.to_arrow(compat_level=pl.CompatLevel.newest())
        for name in answered.column_names:
            if name.startswith("?"):
                found = found.append_column(name, answered[name])
        return found

    def _solved_once(self, batch: EventBatch, mask: Mask | None, left: list[int]) -> pl.DataFrame:
        """The same, where all with these PATHs are answered together."""
        held = self.semantics.held(batch.table, mask, batch.verdicts)
        self.semantics.count(batch.table, batch.verdicts, left[-1], held)
        found = batch.part(self.semantics).frame(tuple(self._kept), mask)
        left.append(found.height)
        return found


def _clauses(
    source: Source,
    within: Range,
    own: Sequence[Expression],
    implied: Sequence[Expression],
    after: Sequence[Expression],
    *,
    placement: EventPlacement | None,
) -> Iterator[ClauseCount]:
    """What selects candidates, in the order in which it is asked; nothing is counted yet."""
    yield ClauseCount(ClauseKind.STREAM, source.stream.name, 0)
    if placement is not None and not placement.after_paths:
        yield ClauseCount(ClauseKind.CONTEXT, placement.text, 0)
    if within.bounded:
        yield ClauseCount(ClauseKind.WITHIN, str(within), 0)
    yield from (_clause(ClauseKind.FILTER, test) for test in own)
    yield from (_clause(ClauseKind.IMPLIED, test) for test in implied)
    if source.semantics is not None:
        yield ClauseCount(ClauseKind.PATH, "", 0)
    if placement is not None and placement.after_paths:
        yield ClauseCount(ClauseKind.CONTEXT, placement.text, 0)
    yield from (_clause(ClauseKind.FILTER, test) for test in after)


def _clause(kind: ClauseKind, test: Expression) -> ClauseCount:
    named = {node.name for node in walk(test) if isinstance(node, Column)}
    return ClauseCount(kind, expression_text(test), 0, tuple(sorted(named)))


def _events(candidates: pa.Table) -> int:
    """How many events candidates are, which stand once per solution, one solution of an event behind the other."""
    return frame_of(candidates, ["_id"])["_id"].rle_id().n_unique()


def _distinct(ascending: np.ndarray) -> int:
    return int(np.count_nonzero(ascending[1:] != ascending[:-1])) + bool(len(ascending))


def _columns_of(expressions: Sequence[Expression]) -> set[str]:
    return {node.name for e in expressions for node in columns_of(e) if isinstance(node, Column)}
