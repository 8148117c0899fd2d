"""The rows of a query as people have them in Python: a sequence of dictionaries over an Arrow table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

import polars as pl
import pyarrow as pa

from ...errors import PipelineError
from ..sinks import iso, print_rows, rows
from .event_series import EventSeries
from .html_table import html_table
from .match_plot import MatchPlot, plot_matches

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Rows"]

_AT_ONCE = 4096  # rows made dictionaries together
_SHOWN = 20


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Rows(Sequence[dict[str, Any]]):
    """Rows in their final order; each is a dictionary of items, `_time`, `_events`, `_window`, `_id`.

    They lie in columns (Arrow), and whatever reads the Arrow PyCapsule interface takes them as they are: Polars,
    pandas, DuckDB, pyarrow. A row becomes a dictionary when it is asked for.

    Attributes:
        table: the columns: items by name, `_time` timestamp[us, UTC], `_events` struct of lists of ids by variable,
            `_window` struct of start and end (rows of aggregates), `_id` string.
        prefixes: by which people see IRIs; programs get them whole.
        events: variable → the events of its stream, for plots; empty: they are not at hand.
        calls: what the rules of the document call, in order: `rule`, `_id` (the key of idempotency), `action`, `_time`
            and `arguments` by name. Nothing of it is carried out.

    Example:
        >>> found = Rows(pa.table({"ppm": [700.0, 650.0]}))
        >>> len(found), found[0], [row["ppm"] for row in found]
        (2, {'ppm': 700.0}, [700.0, 650.0])
    """

    table: pa.Table
    prefixes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    events: Mapping[str, EventSeries] = field(default_factory=lambda: MappingProxyType({}))
    calls: Sequence[Mapping[str, Any]] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, items first."""
        return tuple(self.table.column_names)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for start in range(0, len(self), _AT_ONCE):
            yield from rows(self.table.slice(start, _AT_ONCE))

    @overload
    def __getitem__(self, place: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> Rows: ...
    def __getitem__(self, place: int | slice) -> dict[str, Any] | Rows:
        """The row at a place, or the rows of a slice."""
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            within = self.table.slice(start, max(0, stop - start)) if step == 1 else None
            chosen = self.table.take(pa.array(range(start, stop, step), pa.int64())) if within is None else within
            return Rows(chosen, self.prefixes, self.events)
        if not -len(self) <= place < len(self):
            raise IndexError(f"there is no row {place} of {len(self)}")
        return rows(self.table.slice(place % len(self), 1))[0]

    def __eq__(self, other: object) -> bool:
        """Whether another sequence has the same rows in the same order."""
        if not isinstance(other, Sequence) or isinstance(other, str | bytes):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # equal to lists, which have none

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The columns for whoever reads Arrow (PyCapsule interface)."""
        return self.table.__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table; nothing is copied."""
        return self.table

    def to_polars(self) -> pl.DataFrame:
        """The rows as a Polars data frame."""
        return pl.DataFrame(pl.from_arrow(self.table))

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas data frame.

        Raises:
            PipelineError: pandas is not installed.
        """
        try:
            import pandas as pd  # noqa: F401, PLC0415 - asked for by name, so that its absence can be told
        except ModuleNotFoundError as error:
            raise PipelineError(
                "pandas is not installed", hint="run `pip install pandas`, or take to_polars() or to_arrow()"
            ) from error
        return self.table.to_pandas()

    def plot(
        self,
        attribute: str | None = None,
        *,
        by: str | Sequence[str] | None = None,
        ax: Any = None,
    ) -> MatchPlot:
        """Draw an attribute of the events over time, the matches marked in it; or items of the rows over time.

        A line is what one sensor says: events are told apart by the attributes that identify them, other than the time
        stamp, and those are drawn that matches are of. Marks are the events of matches, by variable; a shade is a
        match's stretch of time, or its window. Rows whose events are not at hand (those of a running engine) are drawn
        as their own items over `_time`.

        Args:
            attribute: `?e.value`, or `value` of the first variable that has it, or the name of a numeric item; by
                default each stream's attribute that the query speaks of first, in panels of their own where variables
                have no sensor in common, and the items of aggregates.
            by: the attributes that tell lines apart; of items, the items.
            ax: matplotlib axes to draw in; by default a new figure, with a panel for each attribute.

        Raises:
            PipelineError: there is no such attribute, nothing is numeric, or matplotlib is not installed.
        """
        names = (by,) if isinstance(by, str) else by
        return plot_matches(self.table, self.events, self.prefixes, attribute=attribute, by=names, ax=ax)

    def __repr__(self) -> str:
        """How many rows, of which columns, from when to when."""
        number = f"{len(self):,} row{'s' * (len(self) != 1)}"
        names = ", ".join(name for name in self.columns if name not in ("_events", "_window", "_id"))
        return f"<Rows: {number}; {names}{self._extent()}>"

    def _extent(self) -> str:
        if "_time" not in self.columns or not len(self):
            return ""
        times = self.table["_time"]
        first, last = iso(times[0].as_py()), iso(times[-1].as_py())
        return f"; {first}" if first == last else f"; {first} to {last}"

    def __str__(self) -> str:
        """The first rows as a table in text."""
        text = StringIO()
        print_rows(list(self[:_SHOWN]), self.columns, "table", text, self.prefixes)
        more = f"… and {len(self) - _SHOWN:,} more rows\n" if len(self) > _SHOWN else ""
        return (text.getvalue() + more).rstrip("\n")

    def _repr_html_(self) -> str:
        """The first rows as a table, for notebooks."""
        return html_table(list(self[:_SHOWN]), self.columns, len(self), self.prefixes)
