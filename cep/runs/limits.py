"""How much one query may take before it is stopped."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Ceilings that turn a blow-up into an error of the query that causes it.

    Attributes:
        matches_per_event: so many matches may become true with one event.
        runs_per_partition: so many runs may be under way in one stage of a partition.
    """

    matches_per_event: int = 100_000
    runs_per_partition: int = 100_000
