"""How much one query may take before it is stopped."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import CeilingError

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

    def check_matches(self, count: int) -> None:
        """Ask whether so many matches may become true with one event.

        Raises:
            CeilingError: they may not.
        """
        if count > self.matches_per_event:
            raise CeilingError(
                f"more than {self.matches_per_event} matches became true with one event",
                hint="bound the pattern: a shorter WINDOW, a JOIN, a maximum {m,n}, POLICY next or AFTER MATCH with "
                "it; or raise matches_per_event in [engine]",
            )
