"""The verdicts of all individuals, computed ahead: a key is found by its place in columns, and never evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyoxigraph as ox

from ...language.nodes import ValueType
from ..plan import MaterialisationQuery, Plan
from ..sparql_text import select_text
from .evaluate import Solution, distinct_solutions, projection_text, query_solutions
from .keys import Codes, dictionary_of
from .solution_columns import SolutionColumns

# Hashing the individuals costs what searching for about so many does.
_SEARCHED = 20


def materialised_solutions(plan: Plan, store: ox.Store, most: int) -> dict[tuple[str, ...], list[Solution]] | None:
    """The solutions of all individuals that have one, by the IRIs of the key; `None`: there are more than `most`."""
    query = plan.table
    if query is None:
        return None
    keys = " ".join(f"(?{name} AS ?kaicep_individual_{i})" for i, (name, _) in enumerate(query.keys))
    found = store.query(select_text(f"{keys} {projection_text(plan)}", query.body))
    solutions: dict[tuple[str, ...], list[Solution]] = {}
    width = len(query.keys)
    for number, row in enumerate(query_solutions(found)):
        if number == most:
            return None
        names = tuple(term.value for term in row[:width] if isinstance(term, ox.NamedNode))
        if len(names) == width:
            solutions.setdefault(names, []).append(row[width:])
    return solutions


class MaterialisedVerdicts:
    """The individuals, or combinations of them, for which a subquery holds, and their solutions.

    Memory: the IRIs and solutions of those that hold, as columns; nothing for the others.

    Args:
        plan: the subquery, with its `table`.
        query: that table's query.
        solutions: by the IRIs of the key.
        types: type by name of the bindings.
        seconds: how long it took to find them.
    """

    def __init__(
        self,
        plan: Plan,
        query: MaterialisationQuery,
        solutions: Mapping[tuple[str, ...], list[Solution]],
        types: Mapping[str, ValueType],
        seconds: float,
    ) -> None:
        self.seconds = seconds
        self.rows = sum(map(len, solutions.values()))
        self._columns = tuple(column for _, column in query.keys)
        # In the order of code points, as Polars and Arrow sort.
        keys = sorted(solutions)
        self._values = [pl.Series(sorted({key[i] for key in keys}), dtype=pl.String) for i in range(len(query.keys))]
        places = [
            _places(pl.Series([key[i] for key in keys], dtype=pl.String).to_arrow(), v)
            for i, v in enumerate(self._values)
        ]
        self._keys = self._combined(places)
        self.verdicts = SolutionColumns(plan, types, [distinct_solutions(solutions[key]) for key in keys])
        self._known: dict[str, tuple[pa.Array, Codes]] = {}

    def __len__(self) -> int:
        """How many keys hold."""
        return len(self._keys)

    @classmethod
    def build(
        cls, plan: Plan, store: ox.Store, types: Mapping[str, ValueType], most: int
    ) -> MaterialisedVerdicts | None:
        """Evaluate a subquery for all individuals.

        Args:
            plan: the subquery.
            store: the knowledge base.
            types: type by name of its bindings.
            most: with more rows than that there is no table.

        Returns:
            `None`: there is no query for it, or the table is too large.
        """
        query = plan.table
        if query is None or not most:
            return None
        began = perf_counter()
        solutions = materialised_solutions(plan, store, most)
        return None if solutions is None else cls(plan, query, solutions, types, perf_counter() - began)

    def codes(self, events: pa.Table) -> Codes:
        """Per event the place of its key in `verdicts`; -1: nothing holds for it."""
        places = [self._of_events(i, events.column(name)) for i, name in enumerate(self._columns)]
        if len(places) == 1:
            return places[0]
        combined = self._combined(places)
        found = np.searchsorted(self._keys, combined)
        found[found == len(self._keys)] = -1
        return np.where(self._keys[found] == combined, found, -1) if len(self._keys) else np.full(len(combined), -1)

    def keys_in(self, events: pa.Table) -> int:
        """How many individuals a batch of events asks about."""
        return sum(len(dictionary_of(events.column(name)).dictionary) for name in self._columns)

    def _of_events(self, i: int, column: pa.ChunkedArray) -> Codes:
        array = dictionary_of(column)
        name = self._columns[i]
        dictionary, places = self._known.get(name, (None, None))
        if places is None or not array.dictionary.equals(dictionary):
            places = np.append(_places(array.dictionary, self._values[i]), -1)  # null is the code behind the last
            self._known[name] = array.dictionary, places
        indices = array.indices.fill_null(len(places) - 1).to_numpy(zero_copy_only=False)
        found: Codes = places[indices]
        return found

    def _combined(self, places: list[Codes]) -> Codes:
        """One number for the places of all parts of a key; -1 when one is missing."""
        combined = np.zeros_like(places[0])
        missing = np.zeros(len(combined), np.bool_)
        for of_part, values in zip(places, self._values, strict=True):
            combined = combined * len(values) + of_part
            missing |= of_part < 0
        return np.where(missing, -1, combined)


def _places(asked: pa.Array, values: pl.Series) -> Codes:
    """Where each of some strings stands among sorted distinct ones; -1: nowhere."""
    if len(asked) * _SEARCHED > len(values):
        found = pc.index_in(asked.cast(pa.string()), values.to_arrow().cast(pa.string()))
        hashed: Codes = found.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        return hashed
    wanted = pl.Series(pl.from_arrow(asked), dtype=pl.String)
    places = values.search_sorted(wanted).to_numpy().astype(np.int64)
    places[places == len(values)] = 0
    return np.where((values.gather(places) == wanted).fill_null(value=False).to_numpy(), places, -1)
