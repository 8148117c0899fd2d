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
from .batch_verdicts import BatchVerdicts, Standing
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
    """The individuals, or combinations of them, for which a residual query holds, and their solutions.

    They never change. Memory: the IRIs and solutions of those that hold, as columns; of the others where the last
    dictionary has them.

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
        self._standings: dict[int, Standing] = {}
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

    def keys_of(self, events: pa.Table, known: BatchVerdicts) -> Codes:
        """The key in `verdicts` of each event of a batch; -1: nothing holds for it."""
        found = [self.standing(part, events, known).places for part in range(len(self.columns))]
        pairs = zip(found, self.columns, strict=True)
        return self.codes([places[known.indices(events, name)] for places, name in pairs])

    def holds(self, events: pa.Table, known: BatchVerdicts) -> Mask:
        """Of which events of a batch there is a verdict that holds."""
        if len(self.columns) > 1:
            return self.verdicts.holds[self.keys_of(events, known)]
        individuals = self.verdicts.holds[self.standing(0, events, known).places]  # fewer than events
        return individuals[known.indices(events, self.columns[0])]

    def standing(self, part: int, events: pa.Table, known: BatchVerdicts) -> Standing:
        """Where the individuals of a batch stand; the same object as for the batch before, if these are the same."""
        return known.standing((self, part), lambda: self._standing(part, known.dictionary(events, self.columns[part])))

    def _standing(self, part: int, array: pa.DictionaryArray) -> Standing:
        last = self._standings.get(part)
        if last is None or not array.dictionary.equals(last.dictionary):
            places = np.append(self.places_of(part, array.dictionary), -1)
            last = self._standings[part] = Standing(array.dictionary, places)
        return last

    def _combined(self, places: list[Codes]) -> Codes:
        """One number for the places of all parts of a key; -1 when one is missing."""
        combined = np.zeros_like(places[0])
        missing = np.zeros(len(combined), np.bool_)
        for of_part, values in zip(places, self._values, strict=True):
            combined = combined * len(values) + of_part
            missing |= of_part < 0
        return np.where(missing, -1, combined)


class MaterialisedLookup:
    """Finds the verdicts of events that are materialised, and counts who was looked for.

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
        self._noted: dict[int, Standing] = {}
        statistics.evaluation_seconds += materialised.seconds

    def verdicts(self, events: pa.Table) -> tuple[Codes, SolutionColumns]:
        """The key of each event, -1 where nothing holds, and the verdicts of the keys."""
        known = BatchVerdicts()
        self.count(events, known)
        return self._materialised.keys_of(events, known), self._materialised.verdicts

    def holds(self, events: pa.Table, known: BatchVerdicts) -> Mask:
        """Of which events it holds; nobody is counted as looked for."""
        return self._materialised.holds(events, known)

    def count(self, events: pa.Table, known: BatchVerdicts) -> None:
        """Count the individuals of a batch as looked up."""
        for part in range(len(self._materialised.columns)):
            standing = self._materialised.standing(part, events, known)
            individuals = len(standing.dictionary)
            self._statistics.keys += individuals
            self._statistics.hits += individuals
        self.note(events, known)

    def note(self, events: pa.Table, known: BatchVerdicts) -> None:
        """Note which individuals of a batch were looked for, and of which it holds."""
        for part in range(len(self._materialised.columns)):
            standing = self._materialised.standing(part, events, known)
            if self._noted.get(part) is not standing:
                self._counts.note(standing.dictionary.to_pylist(), standing.places[:-1] >= 0)
                self._noted[part] = standing


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
