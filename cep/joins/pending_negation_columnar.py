"""Matches whose last NOT or FOR has not ended yet: they wait for the watermark, or for the very next event."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from ...expressions import Bools, Ints
from ..order import BEFORE, NUMBER, UNBOUNDED, Interval
from .match_finder import Partial
from .match_table import Found
from .negation_columnar import Refutation, ends_later
from .pattern_dnf import Absence
from .pattern_plan import QueryPlan

__all__ = ["NEXT", "Verdict", "later_absences", "note_following"]

NEXT = "#next"
"""The column of candidates that holds the time stamp of the very next event; null: none came yet."""


def later_absences(plan: QueryPlan) -> dict[int, tuple[Absence, ...]]:
    """By way to match, the NOTs that are decided after its last event."""
    found = {i: tuple(a for a in w.alternative.absences if ends_later(a)) for i, w in enumerate(plan.ways)}
    return {i: absences for i, absences in found.items() if absences}


def note_following(candidates: pl.DataFrame, events: pl.DataFrame) -> pl.DataFrame:
    """Candidates whose very next event is among those released now, noted in `NEXT`."""
    following = events.filter(pl.col(BEFORE) >= 0).select(pl.col(BEFORE).alias(NUMBER), pl.col("_time").alias("#came"))
    joined = candidates.join(following, on=NUMBER, how="left", maintain_order="left")
    return joined.with_columns(pl.coalesce(NEXT, "#came").alias(NEXT)).drop("#came")


@dataclass(frozen=True, slots=True)
class Verdict:
    """Judges complete matches by their NOTs.

    Attributes:
        plan: the query.
        later: see `later_absences`.
        inside: the variables that SEQ names.
        within: WITHIN; an interval that ends outside is not known to be empty.
        refutation: looks for forbidden candidates.
    """

    plan: QueryPlan
    later: Mapping[int, tuple[Absence, ...]]
    inside: frozenset[str]
    within: Interval
    refutation: Refutation

    def due(self, found: Found) -> Found:
        """Matches with the moment at which they become true, without those whose intervals leave WITHIN."""
        due, inside = found.due.copy(), np.ones(len(found.due), dtype=bool)
        for way, plan in enumerate(self.plan.ways):
            places, match = found.of_way(way, plan.variables)
            if not len(places):
                continue
            due[places] = self.refutation.latest(match, plan.variables)
            for absence in plan.alternative.absences:
                if not absence.before and absence.duration is not None:
                    begin = self.refutation.earliest(match, self._named(match)) - absence.duration
                    inside[places] &= begin >= self.within.first
            for absence in self.later.get(way, ()):
                end = self._end(absence, match)
                inside[places] &= (end <= self.within.last) | (end == UNBOUNDED)
                due[places] = np.maximum(due[places], end)
        return Found(found.way, found.rows, due).at(inside)

    def _named(self, match: Partial) -> list[str]:
        return [v for v in match if v in self.inside]

    def _end(self, absence: Absence, match: Partial) -> Ints:
        if not absence.strict:
            return self.refutation.end(absence, match, self.inside)
        candidates = self.refutation.probe.candidates
        numbers = np.stack([candidates[v].number[match[v]] for v in absence.before])
        moments = []
        for v in absence.before:
            following = candidates[v].frame[NEXT]
            known = following.is_not_null().to_numpy()
            moments.append(np.where(known, following.to_physical().fill_null(0).to_numpy(), UNBOUNDED)[match[v]])
        of_last: Ints = np.take_along_axis(np.stack(moments), numbers.argmax(axis=0)[None], axis=0)[0]
        return of_last

    def standing(self, found: Found, absences: Mapping[int, tuple[Absence, ...]]) -> Found:
        """Matches that none of these NOTs refutes."""
        refuted = np.zeros(len(found.due), dtype=bool)
        for places, mask in self._refuted(found, absences):
            refuted[places] |= mask
        return found.at(~refuted) if refuted.any() else found

    def _refuted(self, found: Found, absences: Mapping[int, tuple[Absence, ...]]) -> Iterator[tuple[Ints, Bools]]:
        for way, of_way in absences.items():
            places, match = found.of_way(way, self.plan.ways[way].variables)
            if len(places):
                yield from ((places, self.refutation.refuted(absence, match, self.inside)) for absence in of_way)
