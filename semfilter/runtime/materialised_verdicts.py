"""Materialised verdicts: a key is found by its place in columns, and never evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyoxigraph as ox

from ..plan import ResidualQuery
from ..sparql_text import select_text
from .batch_verdicts import BatchVerdicts
from .evaluate import Solution, distinct_solutions, projection_text, query_solutions
from .event_selection import Mask
from .keys import Codes
from .solution_columns import SolutionColumns
from .statistics import KeyCount, SubqueryStatistics

# Hashing the individuals costs what searching for about so many does.
_SEARCHED = 20


def materialised_solutions(
    residual: ResidualQuery, store: ox.Store, most: int
) -> dict[tuple[str, ...], list[Solution]] | None:
    """The distinct solutions of all individuals that have one, by the IRIs of the key.

    Args:
        residual: the residual query.
        store: the knowledge base.
        most: with more rows than that, none are materialised.

    Returns:
        `None`: there is no query for it, or there are too many.
    """
    query = residual.materialisation
    if query is None or not most:
        return None
    keys = " ".join(f"(?{name} AS ?kaicep_individual_{i})" for i, (name, _) in enumerate(query.keys))
    found = store.query(select_text(f"{keys} {projection_text(residual)}", query.body))
    solutions: dict[tuple[str, ...], list[Solution]] = {}
    width = len(query.keys)
    for number, row in enumerate(query_solutions(found)):
        if number == most:
            return None
        names = tuple(term.value for term in row[:width] if isinstance(term, ox.NamedNode))
        if len(names) == width:
            solutions.setdefault(names, []).append(row[width:])
    return {key: distinct_solutions(found) for key, found in solutions.items()}


class MaterialisedVerdicts:
    """The individuals, or combinations of them, for which a residual query holds, and their solutions; immutable.

    Memory: the IRIs and solutions of those that hold, as columns; nothing for the others.

    Args:
        residual: the residual query.
        columns: of individuals' IRIs, one per part of the key.
        solutions: by the IRIs of the key.
        seconds: how long it took to find them.

    Attributes:
        verdicts: the solutions, key by key.
        rows: how many there were.
    """

    def __init__(
        self,
        residual: ResidualQuery,
        columns: Sequence[str],
        solutions: Mapping[tuple[str, ...], list[Solution]],
        seconds: float,
    ) -> None:
        self.seconds = seconds
        self.rows = sum(map(len, solutions.values()))
        self.columns = tuple(columns)
        # In the order of code points, as Polars and Arrow sort.
        keys = sorted(solutions)
        self._values = [pl.Series(sorted({key[i] for key in keys}), dtype=pl.String) for i in range(len(columns))]
        places = [
            self.places_of(i, pl.Series([key[i] for key in keys], dtype=pl.String).to_arrow())
            for i in range(len(columns))
        ]
        self._keys = self._combined(places)
        self.verdicts = SolutionColumns(residual, [solutions[key] for key in keys])

    def __len__(self) -> int:
        """How many keys hold."""
        return len(self._keys)

    def places_of(self, part: int, individuals: pa.Array) -> Codes:
        """Where each of some individuals stands among those of a part of the key; -1: nowhere."""
        return _places(individuals, self._values[part])

    def codes(self, places: list[Codes]) -> Codes:
        """The key in `verdicts` of each combination of places, one per part of the key; -1: nothing holds for it."""
        if len(places) == 1:
            return places[0]
        combined = self._combined(places)
        found = np.searchsorted(self._keys, combined)
        found[found == len(self._keys)] = -1
        return np.where(self._keys[found] == combined, found, -1) if len(self._keys) else np.full(len(combined), -1)

    def _combined(self, places: list[Codes]) -> Codes:
        """One number for the places of all parts of a key; -1 when one is missing."""
        combined = np.zeros_like(places[0])
        missing = np.zeros(len(combined), np.bool_)
        for of_part, values in zip(places, self._values, strict=True):
            combined = combined * len(values) + of_part
            missing |= of_part < 0
        return np.where(missing, -1, combined)


class MaterialisedLookup:
    """Finds the verdicts of events that are materialised; looks for the individuals of one dictionary once.

    Args:
        materialised: the verdicts.
        statistics: where keys and hits are counted.
        counts: where distinct keys are counted, if each is one individual.
    """

    def __init__(self, materialised: MaterialisedVerdicts, statistics: SubqueryStatistics, counts: KeyCount) -> None:
        self._materialised = materialised
        self._counts = counts
        if len(materialised.columns) > 1:
            counts.uncountable()
        self._statistics = statistics
        self._known: dict[str, tuple[pa.Array, Codes]] = {}
        statistics.evaluation_seconds += materialised.seconds

    def verdicts(self, events: pa.Table, known: BatchVerdicts | None = None) -> tuple[Codes, SolutionColumns]:
        """The key of each event, -1 where nothing holds, and the verdicts of the keys."""
        known = known or BatchVerdicts()
        return self.codes(events, known, self.count(events, known)), self._materialised.verdicts

    def codes(self, events: pa.Table, known: BatchVerdicts, counted: Sequence[Codes]) -> Codes:
        """The key of each event, of what `count` gave."""
        places = []
        for of_all, (_, array) in zip(counted, self._columns(events, known), strict=True):
            indices = array.indices.fill_null(len(of_all) - 1).to_numpy(zero_copy_only=False)
            places.append(of_all[indices])
        return self._materialised.codes(places)

    @property
    def holds(self) -> Mask:
        """Of which keys it holds; the last says what -1 does."""
        return self._materialised.verdicts.holds

    def count(self, events: pa.Table, known: BatchVerdicts) -> list[Codes]:
        """Count the individuals of a batch as looked up; where the verdict of each stands, per part of the key."""
        columns = self._columns(events, known)
        individuals = sum(len(array.dictionary) for _, array in columns)
        self._statistics.keys += individuals
        self._statistics.hits += individuals
        return [self._places(part, *column) for part, column in enumerate(columns)]

    def _columns(self, events: pa.Table, known: BatchVerdicts) -> list[tuple[str, pa.DictionaryArray]]:
        return [(name, known.dictionary(events, name)) for name in self._materialised.columns]

    def _places(self, part: int, name: str, array: pa.DictionaryArray) -> Codes:
        """Where each value of a dictionary stands; null is the one behind the last."""
        dictionary, places = self._known.get(name, (None, None))
        if places is None or not array.dictionary.equals(dictionary):
            found = self._materialised.places_of(part, array.dictionary)
            self._counts.note(array.dictionary.to_pylist(), found >= 0)
            places = np.append(found, -1)
            self._known[name] = array.dictionary, places
        return places


def _places(asked: pa.Array, values: pl.Series) -> Codes:
    """Where each of some strings stands among sorted distinct ones; -1: nowhere."""
    if len(asked) * _SEARCHED > len(values):
        found = pc.index_in(asked.cast(pa.string()), values.to_arrow().cast(pa.string()))
        # Polars fills: Arrow makes the scalar with pandas if that is installed, and loads it.
        return pl.Series(pl.from_arrow(found), dtype=pl.Int64).fill_null(-1).to_numpy()
    wanted = pl.Series(pl.from_arrow(asked), dtype=pl.String)
    places = values.search_sorted(wanted).to_numpy().astype(np.int64)
    places[places == len(values)] = 0
    return np.where((values.gather(places) == wanted).fill_null(value=False).to_numpy(), places, -1)
