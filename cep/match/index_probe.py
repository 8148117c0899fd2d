"""Looking for the candidates of one variable that go with partial matches: all of them, or the first of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from ...expressions import Bools, Ints, column_of, plain_name
from ...language.nodes import Binding, Column
from ..order import Candidates, combine, joint_codes, stable_order
from ..output import ConditionCount, match_name
from ..partitions import queries_of

__all__ = [
    "NONE",
    "BoundRows",
    "CandidateRanges",
    "IndexProbe",
    "JoinKey",
    "JoinPredicate",
    "Test",
    "combined_codes",
    "encode_keys",
    "expand",
    "holding",
    "passing",
    "ranges_by_key",
]

NONE = -1
"""The row of no candidate."""

PAIRS_AT_ONCE = 1_000_000
"""Of two variables; of more variables there are fewer pairs at once, so that a search through all holds no more."""
_GROWTH = 4
_FAR = 2**62


@dataclass(frozen=True, slots=True)
class JoinKey:
    """Expressions over candidates, one for each of several variables, that are equal in a match.

    Attributes:
        expressions: by variable, over its candidates' plain columns.
        nulls_match: unbound equals unbound (PARTITION BY) or nothing (JOIN).
        count: of how many candidates they were equal to another's.
    """

    expressions: Mapping[str, pl.Expr]
    nulls_match: bool
    count: ConditionCount = field(default_factory=ConditionCount, compare=False)


@dataclass(frozen=True, slots=True)
class JoinPredicate:
    """What has to be true of a match, over columns named by `match_name`; or of a candidate, over its plain columns."""

    variables: AbstractSet[str]
    columns: tuple[Column | Binding, ...]
    test: pl.Expr
    count: ConditionCount = field(default_factory=ConditionCount, compare=False)


BoundRows = Mapping[str, Ints]
"""Per bound variable, the row of its candidate; all arrays are of one length."""

Test = Callable[[BoundRows], Bools]
"""Of which partial matches something is true."""


@dataclass(frozen=True, slots=True)
class CandidateRanges:
    """For each partial match the candidates `order[start:end]` (`order` absent: rows themselves)."""

    start: Ints
    count: Ints
    order: Ints | None


@dataclass(frozen=True, slots=True)
class IndexProbe:
    """Joins partial matches with candidates by keys, rows and conditions; all on arrays of rows."""

    keys: Sequence[JoinKey]
    conditions: Sequence[JoinPredicate]
    candidates: Mapping[str, Candidates]

    def ranges(
        self, partial: BoundRows, variable: str, between: tuple[Ints, Ints], equal: tuple[Ints, Ints] | None = None
    ) -> CandidateRanges:
        """For each partial match the candidates with its keys, of the rows from `between[0]` to below `between[1]`.

        Args:
            partial: at least one variable is bound.
            variable: the variable that is looked for.
            between: for each partial match, rows.
            equal: one more key: of each candidate, and that which each partial match asks for; −1: none.
        """
        own = self.candidates[variable]
        start, end = np.clip(between[0], 0, None), np.minimum(between[1], len(own.number))
        codes = combined_codes(self.keys, self.candidates, partial, variable)
        if equal is not None:
            codes = _dense(equal) if codes is None else _pair(combine(codes, _dense(equal)))
        if codes is None:
            return CandidateRanges(start, np.maximum(end - start, 0), None)
        # Rows that no partial match looks at are not sorted.
        low, high = int(start.min(initial=len(own.number))), int(end.max(initial=0))
        if low >= high:
            return CandidateRanges(start, np.zeros_like(start), None)
        places = (np.minimum(start, high) - low, np.maximum(end - low, 0))
        found = ranges_by_key(codes[0][low:high], codes[1], np.arange(high - low), places, high - low + 1)
        return CandidateRanges(found.start, found.count, None if found.order is None else found.order + low)

    def tests(self, partial: BoundRows, variable: str) -> list[Test]:
        """The conditions that can be asked when `variable` is bound, too."""
        due = [c for c in self.conditions if variable in c.variables and c.variables <= partial.keys() | {variable}]
        return [lambda grown: holding(due, self.candidates, grown)] if due else []

    def first(self, partial: BoundRows, variable: str, ranges: CandidateRanges, tests: Sequence[Test]) -> Ints:
        """For each partial match the row of the first candidate of its range that passes, or `NONE`.

        The ranges are looked at in pieces of growing size, so that about as many pairs are tested as if each partial
        match looked at one candidate after the other, but many at a time.
        """
        found = np.full(len(ranges.count), NONE)
        left = np.flatnonzero(ranges.count > 0)
        if not tests:
            found[left] = ranges.start[left] if ranges.order is None else ranges.order[ranges.start[left]]
            return found
        tested, size = np.zeros_like(ranges.count), 1
        while len(left):
            take = np.minimum(ranges.count[left] - tested[left], size)
            piece = CandidateRanges(ranges.start[left] + tested[left], take, ranges.order)
            for match, rows in self.pairs({v: r[left] for v, r in partial.items()}, variable, piece, tests):
                places = left[match]
                new = found[places] == NONE
                # The first pair of each match is its earliest candidate; writing backwards, it is written last.
                found[places[new][::-1]] = rows[new][::-1]
            tested[left] += take
            left = left[(found[left] == NONE) & (tested[left] < ranges.count[left])]
            size = min(size * _GROWTH, PAIRS_AT_ONCE)
        return found

    def last(self, partial: BoundRows, variable: str, ranges: CandidateRanges, tests: Sequence[Test]) -> Ints:
        """For each partial match the row of the last candidate of its range that passes, or `NONE`."""
        found = np.full(len(ranges.count), NONE)
        if tests:
            for match, rows in self.pairs(partial, variable, ranges, tests):
                found[match] = rows  # in order: what comes last stays
            return found
        some = np.flatnonzero(ranges.count > 0)
        place = ranges.start[some] + ranges.count[some] - 1
        found[some] = place if ranges.order is None else ranges.order[place]
        return found

    def pairs(
        self, partial: BoundRows, variable: str, ranges: CandidateRanges, tests: Sequence[Test]
    ) -> Iterator[tuple[Ints, Ints]]:
        """Partial matches, by their places, and rows of the candidates in their ranges that pass, in order."""
        places = np.arange(len(ranges.count))
        for pairs in expand({**partial, "": places}, variable, ranges):
            grown = dict(pairs)
            match, rows = grown.pop(""), grown[variable]
            for test in tests:
                keep = np.flatnonzero(test(grown))
                grown = {v: of_variable[keep] for v, of_variable in grown.items()}
                match, rows = match[keep], rows[keep]
            yield match, rows


def encode_keys(keys: Sequence[JoinKey], candidates: Mapping[str, Candidates]) -> None:
    """Give candidates their codes of all keys."""
    for i, key in enumerate(keys):
        columns = [column_of(candidates[v].frame, e).alias("key") for v, e in key.expressions.items()]
        codes = joint_codes(columns, nulls_match=key.nulls_match)
        for variable, of_variable in zip(key.expressions, codes, strict=True):
            candidates[variable].codes[i] = of_variable
        if key.count.held or len(codes) < 2:  # to look for what is known to be there would cost as much again
            continue
        first, second = list(key.expressions)[:2]
        queries = queries_of(candidates[first].frame), queries_of(candidates[second].frame)
        _count_equals(key.count, codes[0], codes[1], queries)


def _count_equals(count: ConditionCount, one: Ints, other: Ints, queries: tuple[Ints | None, Ints | None]) -> None:
    """Count how many of one side have an equal on the other."""
    of_queries, (of_one, of_other) = count.of_queries, queries
    if of_queries is None or of_one is None or of_other is None:
        count.add(len(one), int(np.count_nonzero(np.isin(one[one >= 0], other))))
        return
    if not of_queries.open.any():
        return
    counted, wanted = of_queries.open[of_one], of_queries.open[of_other] & (other >= 0)
    one, of_one, other, of_other = one[counted], of_one[counted], other[wanted], of_other[wanted]
    width = int(other.max(initial=0)) + 1
    known = (one >= 0) & (one < width)
    equal = np.isin(of_one[known] * width + one[known], of_other * width + other)
    of_queries.add(of_one, of_one[known][equal])


def combined_codes(
    keys: Sequence[JoinKey], candidates: Mapping[str, Candidates], partial: BoundRows, variable: str
) -> tuple[Ints, Ints] | None:
    """The combined key of all candidates of `variable`, and that which each partial match asks for; `None`: none."""
    combined: list[Ints] = []
    for i, key in enumerate(keys):
        if variable not in key.expressions:
            continue
        own = candidates[variable].codes[i]
        for other in key.expressions:
            if other in partial:
                pair = [own, candidates[other].codes[i][partial[other]]]
                combined = combine(combined, pair) if combined else pair
                break
    return (combined[0], combined[1]) if combined else None


def holding(conditions: Sequence[JoinPredicate], candidates: Mapping[str, Candidates], partial: BoundRows) -> Bools:
    """Of which partial matches all conditions are true."""
    one, rows = next(iter(partial.items()))
    queries = queries_of(candidates[one].frame)
    frame = {"": pl.Series(rows)}
    for node in (node for c in conditions for node in c.columns):
        frame[match_name(node)] = candidates[node.variable].frame[plain_name(node)][partial[node.variable]]
    return passing(pl.DataFrame(frame), conditions, None if queries is None else queries[rows])


def passing(frame: pl.DataFrame, conditions: Sequence[JoinPredicate], queries: Ints | None = None) -> Bools:
    """Where all conditions are true, each counted of what those before it leave.

    Args:
        frame: what they are asked of.
        conditions: over its columns.
        queries: of several queries, the number of each row's.
    """
    left = frame.height
    keep: pl.Series | None = None
    masks = frame.select(c.test.fill_null(value=False).alias(str(i)) for i, c in enumerate(conditions))
    for c, mask in zip(conditions, masks, strict=True):
        of_all = mask if len(mask) == frame.height else mask.new_from_index(0, frame.height)  # without any column
        before, keep = keep, of_all if keep is None else keep & of_all
        asked, left = left, int(keep.sum())
        c.count.add(asked, left)
        if queries is not None and c.count.of_queries is not None:
            asked_of = queries if before is None else queries[before.to_numpy()]
            c.count.of_queries.add(asked_of, queries[keep.to_numpy()])
    return np.ones(left, dtype=bool) if keep is None else keep.to_numpy()


def ranges_by_key(own: Ints, wanted: Ints, place: Ints, between: tuple[Ints, Ints], width: int) -> CandidateRanges:
    """Candidates sorted by key and place: those of one key between two places are a range.

    Args:
        own: the key of each candidate; −1: none.
        wanted: the key that each partial match asks for; −1: none.
        place: each candidate's row or time, ascending, below `width`.
        between: for each partial match the first place and that behind the last, from 0 to `width` − 1.
        width: more than every place; keys times `width` are below 2**62.
    """
    valid = np.flatnonzero(own >= 0)
    order = valid[stable_order(own[valid])]
    places = own[order] * width + place[order]
    visit = stable_order(wanted)  # neighbours in the search are neighbours in buffer
    base = wanted[visit] * width
    first = np.searchsorted(places, base + between[0][visit])
    behind = np.searchsorted(places, base + between[1][visit])
    count = np.where(base < 0, 0, np.maximum(behind - first, 0))
    starts, counts = np.empty_like(first), np.empty_like(count)
    starts[visit], counts[visit] = first, count
    return CandidateRanges(starts, counts, order)


def expand(partial: BoundRows, variable: str, ranges: CandidateRanges) -> Iterator[BoundRows]:
    """Every pair of a partial match and a candidate in its range, so many at a time."""
    behind = np.cumsum(ranges.count)
    total = int(behind[-1]) if len(behind) else 0
    at_once = max(4 * PAIRS_AT_ONCE // (len(partial) + 1) ** 2, 1)
    for low in range(0, total, at_once):
        high = min(low + at_once, total)
        first = int(np.searchsorted(behind, low, "right"))
        stop = int(np.searchsorted(behind, high, "left")) + 1
        before = behind[first:stop] - ranges.count[first:stop]
        skipped = np.clip(low - before, 0, None)
        count = np.minimum(behind[first:stop], high) - before - skipped
        match = np.repeat(np.arange(first, stop), count)
        shift = ranges.start[first:stop] + skipped - (np.cumsum(count) - count)
        place = np.arange(high - low) + np.repeat(shift, count)
        rows = place if ranges.order is None else ranges.order[place]
        yield {**{v: bound[match] for v, bound in partial.items()}, variable: rows}


def _dense(codes: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """The same equalities with small codes: numbers of events that are remembered lie close together."""
    least = min(int(of[of >= 0].min(initial=_FAR)) for of in codes)
    own, wanted = (np.where(of < 0, NONE, of - least) for of in codes)
    return own, wanted


def _pair(codes: Sequence[Ints]) -> tuple[Ints, Ints]:
    return codes[0], codes[1]
