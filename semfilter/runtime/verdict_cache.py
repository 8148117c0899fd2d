"""Buffer and cache, separately switchable: how the verdicts of a batch's events are found at run time (paper §4.2).

| buffer | cache | evaluated |
|---|---|---|
| no | no | every event, one SPARQL query each |
| yes | no | every event, all of a batch in one query |
| no | yes | event by event, those whose key has no verdict yet |
| yes | yes | the distinct keys of a batch that have no verdict yet, all in one query |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter

import numpy as np
import pyarrow as pa
from cachetools import LRUCache

from .compiled_filter import CompiledFilter
from .evaluate import Solution
from .filter_options import FilterOptions
from .keys import BatchKeys, Codes, Key, KeyReader
from .solution_columns import SolutionColumns
from .statistics import KeyCount, SubqueryStatistics


class VerdictCache:
    """Finds the verdicts of events by their keys; its state is the cache, and the keys of the batch before.

    Args:
        compiled: evaluates what is missing.
        options: whether to buffer, how much to cache.
        statistics: where keys, hits, misses and time are counted.
        counts: where distinct keys are counted.
    """

    def __init__(
        self,
        compiled: CompiledFilter,
        options: FilterOptions,
        statistics: SubqueryStatistics,
        counts: KeyCount | None = None,
    ) -> None:
        self._counts = counts or KeyCount()
        self._compiled = compiled
        self._buffer = options.buffer
        self._statistics = statistics
        self._cache: LRUCache[Key, list[Solution]] | None = LRUCache(options.cache_size) if options.cache_size else None
        self._keys = KeyReader(compiled.residual)
        self._before: Sequence[Key] = []
        self._columns = SolutionColumns(compiled.residual, [])

    def known(self) -> dict[Key, list[Solution]]:
        """The solutions in the cache."""
        return {} if self._cache is None else dict(self._cache)

    def learn(self, solutions: Mapping[Key, list[Solution]]) -> None:
        """Take solutions that were found elsewhere into the cache."""
        if self._cache is not None:
            self._cache.update(solutions)

    def verdicts(self, events: pa.Table) -> tuple[Codes, SolutionColumns]:
        """The key of each event, and the verdicts of the keys; those of the batch before, if these are its keys."""
        keys = self._keys.of(events)
        if self._repeats(keys):
            self._count(len(keys.distinct), 0)
            return keys.codes, self._columns
        codes, solutions = self._solutions(keys)
        self._note(keys, codes, solutions)
        self._before, self._columns = keys.distinct, SolutionColumns(self._compiled.residual, solutions)
        return codes, self._columns

    def _note(self, keys: BatchKeys, codes: Codes, solutions: Sequence[list[Solution]]) -> None:
        """Count the distinct keys; without a cache the solutions are those of the events."""
        holds = np.fromiter((bool(found) for found in solutions), np.bool_, len(solutions))
        if self._cache is None:
            of_key = np.zeros(len(keys.distinct), np.bool_)
            of_key[keys.codes] = holds[codes]
            holds = of_key
        self._counts.note(keys.distinct, holds)

    def _repeats(self, keys: BatchKeys) -> bool:
        known = self._buffer and self._cache is not None and len(self._before) <= self._cache.maxsize
        return known and keys.distinct is self._before

    def _solutions(self, keys: BatchKeys) -> tuple[Codes, Sequence[list[Solution]]]:
        """Per event the place of its solutions, and the solutions."""
        if self._cache is None:
            every = [keys.distinct[code] for code in keys.codes.tolist()]
            self._count(len(every), len(every))
            return np.arange(len(every)), self._evaluated(every)
        if self._buffer:
            return keys.codes, self._of_distinct(keys.distinct, self._cache)
        return keys.codes, self._of_each(keys, self._cache)

    def _of_distinct(self, keys: Sequence[Key], cache: LRUCache[Key, list[Solution]]) -> list[list[Solution]]:
        found = [cache.get(key) for key in keys]
        missing = [i for i, solutions in enumerate(found) if solutions is None]
        self._count(len(keys), len(missing))
        if missing:
            asked = [keys[i] for i in missing]
            for i, key, solutions in zip(missing, asked, self._evaluated(asked), strict=True):
                found[i] = cache[key] = solutions
        return [solutions or [] for solutions in found]

    def _of_each(self, keys: BatchKeys, cache: LRUCache[Key, list[Solution]]) -> list[list[Solution]]:
        found: list[list[Solution]] = [[] for _ in keys.distinct]
        for code in keys.codes.tolist():
            key = keys.distinct[code]
            known = cache.get(key)
            self._count(1, int(known is None))
            if known is None:
                known = cache[key] = self._evaluated([key])[0]
            found[code] = known
        return found

    def _evaluated(self, keys: Sequence[Key]) -> list[list[Solution]]:
        began = perf_counter()
        solutions = self._compiled.evaluate(keys)
        self._statistics.evaluation_seconds += perf_counter() - began
        return solutions

    def _count(self, keys: int, misses: int) -> None:
        self._statistics.keys += keys
        self._statistics.hits += keys - misses
        self._statistics.misses += misses
