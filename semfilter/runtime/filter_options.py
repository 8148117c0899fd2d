"""How PATHs are evaluated; the answer never depends on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from ...config import EngineSettings


@dataclass(frozen=True, slots=True)
class FilterOptions:
    """The switches of the semantic filter, each of which may be off (paper, §4 and §8.1).

    Attributes:
        compiled: apply the compile-time rules (§4.1).
        buffer: evaluate the events of a batch together (§4.2.1); without, one after the other.
        cache_size: verdicts kept per subquery, the least recently used leave first (§4.2.2); 0: none are kept, and
            every event is evaluated.
        table_size: up to so many rows the verdicts of all individuals are materialised; 0: they never are.
        timeout: seconds that a PATH may take for the events of a batch, if that is not known to be little.
        rows: so many solutions the events of a batch may have together.
    """

    compiled: bool = True
    buffer: bool = True
    cache_size: int = 100_000
    table_size: int = 200_000
    timeout: float = 10.0
    rows: int = 2_000_000

    @classmethod
    def of(cls, settings: EngineSettings) -> Self:
        """The switches that a project file sets."""
        seconds = settings.path_timeout.total_seconds()
        return cls(
            settings.compiled,
            settings.buffer,
            settings.cache_size,
            settings.table_size,
            seconds,
            settings.rows_per_batch,
        )


NAIVE = FilterOptions(compiled=False, buffer=False, cache_size=0, table_size=0)
"""Each subquery as it was written, one SPARQL query per event: the paper's baseline."""
