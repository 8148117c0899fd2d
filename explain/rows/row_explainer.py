"""In which windows of contexts the events of a row lie, by the histories of their sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl
import pyarrow as pa

from ...annotator import event_shape
from ...cep import apply_filters
from ...cep.contexts import ContextHistory, HeldWindow, PartitionKeys
from ...cep.partitions import NO_END, NO_START
from ...expressions import column_expression, frame_of, micros, moment_of, terms
from ...language.nodes import (
    Binding,
    ChangeKind,
    InContext,
    Placement,
    Query,
    Source,
    ValueType,
    columns_of,
    uses_bindings,
)
from ...pipeline import Catalog
from ...semfilter import SemanticFilter
from ...semfilter.runtime import FilterOptions
from .deriving_rows import DerivingRows, begun_windows
from .row_contexts import KnownRow, LyingWindow, RowExplanation

__all__ = ["EventFinder", "RowExplainer"]

EventFinder = Callable[[str, str], pa.Table | None]
"""By the name of a stream and the id of an event, that event; `None`: it is not kept."""

_Lying = dict[tuple[str, str, int], HeldWindow]
_SEPARATOR = "\x1f"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A row, and the event variable whose events are looked at."""

    query: Query
    row: KnownRow
    source: Source


@dataclass(frozen=True)
class RowExplainer:
    """Explains rows of one document, or of the queries of one engine.

    Attributes:
        project: its streams and knowledge.
        histories: the windows of each set.
        deriving: the rows that made them.
        event_of: finds events.
    """

    project: Catalog
    histories: Mapping[str, ContextHistory]
    deriving: DerivingRows
    event_of: EventFinder

    def explain(self, query: Query, row: KnownRow) -> RowExplanation:
        """Explain a row.

        Args:
            query: that gave it.
            row: it.
        """
        notes: list[str] = []
        windows: list[LyingWindow] = []
        asked = query.in_context
        if asked is not None:
            for name in asked.sets:
                found = self._lying(query, asked, row, name, notes)
                windows += [self._told(self.histories[name], window) for window in found]
        change, effect = self._change(query, row)
        return RowExplanation(row.query, row.id, row.time, row.events, tuple(windows), change, effect, tuple(notes))

    def _lying(self, query: Query, asked: InContext, row: KnownRow, name: str, notes: list[str]) -> list[HeldWindow]:
        """The windows of a set in which all events lie that have to."""
        contexts = [c.context for c in asked.contexts if c.set == name and c.context in row.contexts]
        sources = {source.variable: source for source in query.sources}
        common: _Lying | None = None
        for placement in asked.placements:
            required = not asked.required or placement.variable in asked.required
            if placement.set != name or not required:
                continue
            for event in row.events.get(placement.variable, ()):
                found = self._of_event(_Asked(query, row, sources[placement.variable]), placement, event, contexts)
                if found is None:
                    notes.append(f"event {event} is not kept: in which window of {name} it lies is not known")
                    continue
                common = found if common is None else {k: w for k, w in common.items() if k in found}
        if common is None:
            return []
        return sorted(common.values(), key=lambda w: (contexts.index(w.context), w.key, w.since))

    def _of_event(self, asked: _Asked, placement: Placement, event: str, contexts: Sequence[str]) -> _Lying | None:
        """The windows of contexts that an event lies in; it has a partition for each solution of its PATHs."""
        found = self.event_of(asked.source.stream.name, event)
        if found is None:
            return None
        history = self.histories[placement.set]
        time = micros(found["_time"][0].as_py())
        keys = self._keys(asked, placement, found)
        windows = [w for key in keys for c in contexts for w in history.windows(c, key, time, time)]
        return {(w.context, w.key, w.since): w for w in windows}

    def _keys(self, asked: _Asked, placement: Placement, event: pa.Table) -> list[str]:
        solutions = self._solutions(asked, event) if any(map(uses_bindings, placement.keys)) else event
        if not solutions.num_rows:
            return []
        frame = frame_of(solutions, solutions.column_names)
        columns: list[pl.Series] = []
        for key in placement.keys:
            values = frame.select(column_expression(key).alias("key"))["key"]
            columns.append(values if len(values) == frame.height else values.new_from_index(0, frame.height))
        contexts = self.histories[placement.set].set
        texts = PartitionKeys(contexts).texts(columns, [key.type for key in placement.keys], frame.height)
        return [text for text in texts.unique(maintain_order=True).to_list() if text is not None]

    def _solutions(self, asked: _Asked, event: pa.Table) -> pa.Table:
        """The solutions of an event's PATHs of which the row can be."""
        source, knowledge = asked.source, self.project.knowledge
        annotator = self.project.annotators.get(source.stream.name)
        shape = event_shape(source.stream, knowledge) if annotator is None else annotator.shape
        found = SemanticFilter(source, shape, knowledge, FilterOptions(table_size=0)).select(event)
        attributes = {name for name, _ in source.window_attributes}
        filters = [f for f in source.filters if uses_bindings(f) and not attributes & {c.name for c in columns_of(f)}]
        found = apply_filters(found, filters)
        for item in asked.query.items:
            value = item.value
            if isinstance(value, Binding) and value.variable == source.variable and value.name not in attributes:
                column = column_expression(value)
                shown = terms.text(column) if value.type is ValueType.TERM else column
                frame = frame_of(found, found.column_names)
                same = frame.select(shown.eq_missing(pl.lit(asked.row.values.get(item.name)))).to_series()
                found = found.filter(same.to_arrow())
        return found

    def _told(self, history: ContextHistory, window: HeldWindow) -> LyingWindow:
        names = [key.name for key in history.set.keys]
        parts = window.key.split(_SEPARATOR) if names else []
        return LyingWindow(
            history.set.name,
            window.context,
            dict(zip(names, parts, strict=True)),
            None if window.start == NO_START else moment_of(window.start),
            None if window.end == NO_END else moment_of(window.end),
            {name: value for name, value in window.values.items() if not name.startswith("#")},  # keys that are shown
            self.deriving.opener(history, window),
        )

    def _change(self, query: Query, row: KnownRow) -> tuple[str | None, str | None]:
        """What a row of a deriving query does, and what came of it."""
        made = self.deriving.of_id(row.id)
        if query.change is None:
            return None, None
        context = query.change.context
        text = f"{query.change.kind} CONTEXT {context.context} of {context.set}"
        if made is None:
            return text, "nothing: its key is unbound"
        history, time = self.histories[context.set], micros(row.time)
        known = begun_windows(history, made.key)
        ends = [] if made.kind is ChangeKind.INITIATE else [w for w in known if w.until == time]
        opens = [w for w in known if w.since == time and self.deriving.opener(history, w).row == made.row]
        effects = [*(f"ended {w.context}" for w in ends), *(f"opened {w.context}" for w in opens)]
        key = ", ".join(f"{k.name} = {v}" for k, v in zip(history.set.keys, made.key.split(_SEPARATOR), strict=False))
        where = f" in the partition of {key}" if key else ""
        return text, f"{', '.join(effects) or 'nothing: that was so already'}{where}"
