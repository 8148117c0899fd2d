"""Raw tuples → semantic events, as one function on Arrow tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from ..config import Settings
from ..language.nodes import ValueType
from ..ontology import KnowledgeBase
from .annotation import Attribute, compile_annotation
from .datatypes import ARROW_MOMENT, COLUMN_TYPES
from .identity import event_ids, tuple_ids
from .linking import EntityLinker, encode
from .nesting import MOST_NESTED, TOO_DEEP, type_nesting
from .shape import event_shape
from .time_casts import cast_time
from .type_casts import Cast, cast_column, to_series
from .undeclared_attributes import extra_column
from .unit_conversion import ConvertedColumn, UnitConverter

_SHOWN = 10
_WIDEST = 60


@dataclass(frozen=True, slots=True)
class AnnotatedBatch:
    """The events of a raw table.

    Attributes:
        events: one row per accepted tuple, in order of arrival, or of time where the source says so: `_time`, `_id`,
            a column per declared attribute, a column named by the property's IRI per attribute that stands for
            individuals, `_extra`, and `_row` int64, the tuple's row in the raw table.
        rejected: `row` int64, `reason` string: the tuples that cannot be typed or have no time stamp.
        unlinked: how many values of accepted tuples name no individual.
        names: raw name → how many tuples have a value of it; `None`: the tuples are not known any more.
    """

    events: pa.Table
    rejected: pa.Table
    unlinked: int
    names: Mapping[str, int] | None = None

    @classmethod
    def of_events(cls, events: pa.Table) -> AnnotatedBatch:
        """Events that were annotated before: none of them is rejected."""
        return cls(events, pa.table({"row": pa.array([], pa.int64()), "reason": pa.array([], pa.string())}), 0)

    @classmethod
    def of_logged(cls, events: pa.Table) -> AnnotatedBatch:
        """Events as a segment has them, which are to be judged once more: nobody knows their rows any more."""
        kept = events.drop_columns([name for name in ("_late", "_row") if name in events.column_names])
        return cls.of_events(kept.append_column("_row", pa.nulls(events.num_rows, pa.int64())))

    @classmethod
    def by_time(cls, parts: Sequence[AnnotatedBatch]) -> AnnotatedBatch:
        """The parts as one, its events by their time stamps; rows are those of the parts."""
        events = pa.concat_tables([part.events for part in parts], promote_options="permissive")
        rejected = pa.concat_tables([part.rejected for part in parts])
        together = _sorted_by_time(events.unify_dictionaries().combine_chunks())
        names: Counter[str] = Counter()
        for part in parts:
            names.update(part.names or {})
        return cls(together, rejected, sum(part.unlinked for part in parts), names)


class Annotator:
    """The annotation of one stream, ready to run.

    Everything that holds for all events is settled here, once (paper §4.1, semantic normalisation).

    Args:
        name: name of the stream.
        settings: the project.
        knowledge: equivalences of properties and classes, keys of individuals.

    Raises:
        ConfigError: an unknown prefix.
        AnnotationError: no such stream, or an annotation that contradicts itself or the knowledge base.
    """

    def __init__(self, name: str, settings: Settings, knowledge: KnowledgeBase) -> None:
        self.annotation = compile_annotation(name, settings, knowledge)
        self._time = settings.streams[name].time
        source = settings.streams[name].source
        self._by_time = source is not None and source.order == "time"
        self.stream_type = self.annotation.stream_type()
        attributes = self.annotation.attributes
        self.shape = event_shape(
            self.stream_type,
            knowledge,
            datatypes={a.name: a.datatype for a in attributes},
            templates={a.name: a.linkage.template for a in attributes if a.linkage and a.linkage.reversible},
        )
        self.linkers = {a.name: EntityLinker(a.name, a.type, a.linkage, knowledge) for a in attributes if a.linkage}
        self._converters = {
            a.name: UnitConverter(knowledge, a.unit) for a in attributes if a.unit_of is not None and a.unit is not None
        }

    @property
    def warnings(self) -> tuple[str, ...]:
        """Names in the annotation that the knowledge base does not have, and ids that do not fit it."""
        return (*self.annotation.warnings, *self.misfits)

    @cached_property
    def misfits(self) -> tuple[str, ...]:
        """What of the declared ways to individuals and the knowledge does not fit together, as messages."""
        found = ((name, linker.complaint()) for name, linker in self.linkers.items())
        by = {a.name: a.unit_of for a in self.annotation.attributes if a.unit_of is not None}
        of_units = ((name, units.complaint(self.linkers[by[name]])) for name, units in self._converters.items())
        told = (*found, *of_units)
        return tuple(str(self.annotation.fault(f"attributes.{name}", *said)) for name, said in told if said)

    def linker_of(self, column: str) -> EntityLinker | None:
        """The linker whose individuals a column holds, if the knowledge decides which text names which of them."""
        found = (a for a in self.annotation.attributes if a.linkage and a.property == column)
        depending = (a for a in found if a.linkage and a.linkage.needs_knowledge and a.type is ValueType.STRING)
        return next((self.linkers[a.name] for a in depending), None)

    def remeasured(self, after: Annotator) -> dict[str, int]:
        """Attribute → how many individuals measure in another unit by the knowledge of `after`, where there are any."""
        found = {name: units.differing(after._converters[name]) for name, units in self._converters.items()}
        return {name: number for name, number in found.items() if number}

    def annotate(self, raw: pa.Table) -> AnnotatedBatch:
        """Make semantic events of raw tuples.

        Args:
            raw: one row per tuple, in order of arrival; columns of any type. A null is an attribute that is not there.
        """
        batch = self._annotate(raw)
        names = {name: raw.num_rows - raw.column(i).null_count for i, name in enumerate(raw.column_names)}
        return replace(batch, names=names)

    def _annotate(self, raw: pa.Table) -> AnnotatedBatch:
        columns = {name: raw.column(i) for i, name in enumerate(raw.column_names)}
        deep = {name: columns.pop(name) for name in raw.column_names if type_nesting(columns[name].type) > MOST_NESTED}
        casts = {a.name: self._casts(a, columns) for a in self.annotation.attributes}
        values = {a.name: _coalesce(a, casts[a.name], raw.num_rows) for a in self.annotation.attributes}
        converted = self._converted(values)
        reasons = self._reasons(casts, converted, raw, deep)
        declared = {source for a in self.annotation.attributes for source in a.sources}
        extra = extra_column(
            {name: to_series(column) for name, column in columns.items() if name not in declared}, raw.num_rows
        )
        rows = pl.int_range(raw.num_rows, eager=True)
        in_unit = {name: column.values for name, column in converted.items()}
        if reasons is None:
            return self._annotated(values, in_unit, extra, rows, _rejected(rows.head(0), []))
        kept = reasons.is_null()
        refused = _rejected(rows.filter(~kept), reasons.drop_nulls().to_list())
        values, in_unit = ({n: column.filter(kept) for n, column in of.items()} for of in (values, in_unit))
        return self._annotated(values, in_unit, extra.filter(kept), rows.filter(kept), refused)

    def _casts(self, a: Attribute, columns: Mapping[str, pa.ChunkedArray]) -> list[tuple[str, Cast]]:
        """The raw columns that feed an attribute, typed, each with its name; its own name first."""
        if a.name == self.annotation.time:
            return [(s, cast_time(columns[s], self._time, a.datatype)) for s in a.sources if s in columns]
        return [(s, cast_column(to_series(columns[s]), a.datatype)) for s in a.sources if s in columns]

    def _converted(self, values: dict[str, pl.Series]) -> dict[str, ConvertedColumn]:
        """The attributes whose individuals may measure in units of their own, in the attribute's unit."""
        attributes = {a.name: a for a in self.annotation.attributes}
        linked: dict[str, pa.DictionaryArray] = {}
        found: dict[str, ConvertedColumn] = {}
        for name, units in self._converters.items():
            by, of = attributes[attributes[name].unit_of or name], attributes[name].value_of
            if by.name not in linked:
                linked[by.name] = self.linkers[by.name].link(encode(values[by.name]))
            raw = values[name] if of is None else values[of].cast(pl.Float64)
            found[name] = units.convert(name, raw, linked[by.name])
        return found

    def _reasons(
        self,
        casts: Mapping[str, list[tuple[str, Cast]]],
        converted: Mapping[str, ConvertedColumn],
        raw: pa.Table,
        deep: Mapping[str, pa.ChunkedArray],
    ) -> pl.Series | None:
        """Why each row is refused; `None` when no row is."""
        found = [cast.reasons(source) for pairs in casts.values() for source, cast in pairs if cast.failed is not None]
        own = (a.name for a in self.annotation.attributes if a.name in converted and a.value_of is None)
        found += [reasons for name in own if (reasons := converted[name].reasons) is not None]
        found += [_too_deep(name, column) for name, column in deep.items()]
        time = self.annotation.time
        stamped = [cast.raw.is_not_null() for _, cast in casts[time]]
        missing = ~pl.select(pl.any_horizontal([pl.lit(s) for s in stamped])).to_series() if stamped else None
        if missing is None:
            missing = pl.repeat(value=True, n=raw.num_rows, dtype=pl.Boolean, eager=True)
        if missing.any():
            instead = "" if stamped or not raw.column_names else _columns_instead(raw.column_names)
            found.append(pl.select(pl.when(missing).then(pl.lit(f"{time}: is missing{instead}"))).to_series())
        if not found:
            return None
        joined = pl.select(pl.concat_str([pl.lit(f) for f in found], separator="; ", ignore_nulls=True)).to_series()
        return pl.select(pl.when(pl.lit(joined) != "").then(joined)).to_series()

    def _annotated(
        self,
        values: Mapping[str, pl.Series],
        in_unit: Mapping[str, pl.Series],
        extra: pl.Series,
        rows: pl.Series,
        rejected: pa.Table,
    ) -> AnnotatedBatch:
        """The event table; events are identified by `values`, the raw ones, and have those `in_unit` instead."""
        encoded = {a.name: encode(values[a.name]) for a in self.annotation.attributes if _links(a)}
        columns: dict[str, pa.Array] = {
            "_time": values[self.annotation.time].to_arrow().cast(ARROW_MOMENT),
            "_id": self._ids(values, extra, encoded).to_arrow(),
        }
        linked: dict[str, pa.Array] = {}
        unlinked = 0
        for a in self.annotation.attributes:
            raw = encoded.get(a.name)
            if raw is not None and a.property is not None:
                linked[a.property] = self.linkers[a.name].link(raw)
                unlinked += linked[a.property].null_count - raw.null_count
            is_text = raw is not None and values[a.name].dtype == pl.String
            columns[a.name] = raw if is_text else in_unit.get(a.name, values[a.name]).to_arrow()
        columns |= linked
        columns |= {"_extra": extra.to_arrow(), "_row": rows.to_arrow()}
        events = pa.table(columns)
        return AnnotatedBatch(_sorted_by_time(events) if self._by_time else events, rejected, unlinked)

    def _ids(
        self, values: Mapping[str, pl.Series], extra: pl.Series, encoded: Mapping[str, pa.DictionaryArray]
    ) -> pl.Series:
        kinds = {a.name: a.type for a in self.annotation.attributes if a.value_of is None}
        if self.annotation.identity:
            identity = [(name, kinds[name]) for name in self.annotation.identity]
            return event_ids(self.annotation.stream, identity, values, encoded)
        return tuple_ids(self.annotation.stream, list(kinds.items()), values, extra)


def _sorted_by_time(events: pa.Table) -> pa.Table:
    """The events by their time stamps, those of one time stamp in order of arrival."""
    moments = events["_time"].combine_chunks()
    return events.take(pc.array_sort_indices(moments))  # a stable sort


def _too_deep(name: str, column: pa.ChunkedArray) -> pl.Series:
    """The reason of each row that has a value of a column whose values nobody can take apart."""
    present = pl.Series(column.is_valid().to_numpy())
    return pl.select(pl.when(present).then(pl.lit(f"{name}: {TOO_DEEP}"))).to_series()


def _links(a: Attribute) -> bool:
    return a.linkage is not None and a.property is not None


def _columns_instead(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    shown = (repr(name if len(name) <= _WIDEST else name[:_WIDEST] + "…") for name in names[:_SHOWN])
    return f"; the columns are {', '.join(shown)}{more}"


def _coalesce(a: Attribute, casts: list[tuple[str, Cast]], length: int) -> pl.Series:
    if not casts:
        return pl.repeat(None, length, dtype=COLUMN_TYPES[a.type], eager=True)
    if len(casts) == 1:
        return casts[0][1].values
    return pl.select(pl.coalesce([pl.lit(cast.values) for _, cast in casts])).to_series()


def _rejected(rows: pl.Series, reasons: list[str]) -> pa.Table:
    return pa.table({"row": rows.to_arrow(), "reason": pa.array(reasons, pa.string())})
