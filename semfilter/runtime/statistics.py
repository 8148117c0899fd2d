"""What a semantic subquery has cost."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(slots=True)
class SubqueryStatistics:
    """What a subquery has cost so far.

    Attributes:
        events: events that it was asked about.
        keys: verdicts that were looked up: one per distinct key of a batch; without buffer or cache one per event.
        hits: those that were known, from the cache or materialised.
        misses: those that had to be evaluated.
        evaluation_seconds: time spent in SPARQL, that of materialisation included.
        seconds: time spent in all, materialisation not included.
    """

    events: int = 0
    keys: int = 0
    hits: int = 0
    misses: int = 0
    evaluation_seconds: float = 0.0
    seconds: float = 0.0

    def add(self, other: SubqueryStatistics) -> None:
        """Count what another has cost as well."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    @property
    def hit_rate(self) -> float | None:
        """Hits per key; `None` before the first."""
        return self.hits / self.keys if self.keys else None

    def __str__(self) -> str:
        rate = "none asked" if self.hit_rate is None else f"{self.hit_rate:.1%} of {self.keys:,} keys known"
        return (
            f"{self.events:,} events, {rate}, {self.misses:,} evaluated in {1e3 * self.evaluation_seconds:,.1f} ms, "
            f"{1e3 * self.seconds:,.1f} ms in all"
        )
