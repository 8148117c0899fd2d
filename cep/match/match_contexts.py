"""Which context windows matches lie in: each match once for each window that holds it (LANGUAGE-2 §6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from ...expressions import Bools, Ints
from ...language.nodes import Query
from ..order import UNBOUNDED, Candidates
from ..output import UNBOUND, MatchTable
from ..partitions import WINDOW_COLUMN, PartitionWindows, asks_of_windows, key_columns

__all__ = ["GroupedWindows", "MatchContexts", "windows_of_matches"]


class MatchContexts:
    """Places matches in windows.

    Args:
        query: in contexts.
        windows: what is known of them.
    """

    def __init__(self, query: Query, windows: PartitionWindows) -> None:
        self._windows = windows
        self._keys, self._entered = key_columns(query), asks_of_windows(query)
        within = query.in_context
        references, sets = ((), ()) if within is None else (within.contexts, within.sets)
        self._required: Sequence[str] = () if within is None else within.required
        self._ranks = [[i for i, of in enumerate(references) if of.set == name] for name in sets]

    def placed(self, matches: MatchTable, candidates: Mapping[str, Candidates]) -> MatchTable:
        """Matches in their order, each beside the window that it lies in, and once more for each further one."""
        if not self._keys:
            return replace(matches, windows=windows_of_matches(matches.rows, matches.offsets, candidates))
        if self._entered:  # the joins let no event in that lies in another one
            first, (key,) = self._required[0], self._keys
            return replace(matches, windows=candidates[first].frame[key].to_numpy()[matches.rows[first]])
        places, windows = self.containing(matches, candidates)
        order = np.argsort(places, kind="stable")
        return replace(matches.at(places[order]), windows=windows[order])

    def containing(self, matches: MatchTable, candidates: Mapping[str, Candidates]) -> tuple[Ints, Ints]:
        """By their places, matches that have events of FOR's variables, and the windows that hold all of these.

        A match may leave variables unbound; in each of several windows it stands by itself.
        """
        if self._entered:
            return self._entered_windows(matches, candidates)
        found = [self._in_set(matches, candidates, key, of) for key, of in zip(self._keys, self._ranks, strict=True)]
        return np.concatenate([place for place, _ in found]), np.concatenate([window for _, window in found])

    def _entered_windows(self, matches: MatchTable, candidates: Mapping[str, Candidates]) -> tuple[Ints, Ints]:
        """The same where the joins let no event in that lies in another window."""
        (key,), found = self._keys, np.full(len(matches.time), UNBOUND)
        for variable in self._required:
            rows, offsets = matches.ranges(variable)
            of = np.repeat(np.arange(len(matches.time)), np.diff(offsets))
            found[of] = candidates[variable].frame[key].to_numpy()[rows]
        places = np.flatnonzero(found != UNBOUND)
        return places, found[places]

    def _in_set(
        self, matches: MatchTable, candidates: Mapping[str, Candidates], key: str, ranks: Sequence[int]
    ) -> tuple[Ints, Ints]:
        """By their places, the matches whose named events one window holds, and that window; of one set of contexts."""
        count = len(matches.time)
        first, last = np.full(count, UNBOUNDED), np.full(count, -UNBOUNDED)
        partition, inside = np.zeros(count, dtype=np.int64), np.ones(count, dtype=bool)
        for variable in self._required:
            if variable not in matches.rows:
                continue
            rows, offsets = matches.ranges(variable)
            of = np.repeat(np.arange(count), np.diff(offsets))
            column = candidates[variable].frame[key][rows]
            known = column.is_not_null().to_numpy()
            keys = column.fill_null(0).to_numpy()
            new = last[of] == -UNBOUNDED
            partition[of[new][::-1]] = keys[new][::-1]
            inside[of[~known | (keys != partition[of])]] = False
            times = candidates[variable].time[rows]
            np.minimum.at(first, of, times)
            np.maximum.at(last, of, times)
        bound = np.flatnonzero(inside & (last > -UNBOUNDED))
        return self._joined(bound, partition[bound], first[bound], last[bound], ranks)

    def _joined(
        self, places: Ints, partition: Ints, first: Ints, last: Ints, ranks: Sequence[int]
    ) -> tuple[Ints, Ints]:
        w = self._windows
        mine: Bools = np.isin(w.column("rank"), ranks)
        names = ("window", "partition", "since", "until")
        windows = pl.DataFrame({name: w.column(name)[mine] for name in names})
        asked = pl.DataFrame({"place": places, "partition": partition, "first": first, "last": last})
        found = asked.join(windows, on="partition").filter(
            (pl.col("since") < pl.col("first")) & (pl.col("last") <= pl.col("until"))
        )
        return found["place"].to_numpy(), found["window"].to_numpy()


class GroupedWindows:
    """The windows that hold matches of a shared query together: between two bounds they are the same (CAESAR §5.3).

    Args:
        windows: what is known of them.
    """

    def __init__(self, windows: PartitionWindows) -> None:
        self._windows = windows
        partition, since, until = (windows.column(name) for name in ("partition", "since", "until"))
        self._partitions, code = np.unique(partition, return_inverse=True)
        self._bounds = np.unique(np.concatenate([since, until]))
        width = len(self._bounds) + 1
        begins = code * width + np.searchsorted(self._bounds, since)
        ends = code * width + np.searchsorted(self._bounds, until)
        self._order = np.argsort(begins, kind="stable")
        self._begins, self._ends, self._width = begins[self._order], np.sort(ends), width
        self._ends_of = ends[self._order]

    def placed(self, matches: MatchTable, partition: Ints, first: Ints, barrier: Ints) -> MatchTable:
        """The matches that lie in windows, beside the number of their group in `PartitionWindows.groups`.

        Args:
            matches: in their order; each becomes true with its last event.
            partition: of each match.
            first: the moment of its first event.
            barrier: when the last event came that forbids the match in windows that hold it.
        """
        if not len(self._partitions) or not len(matches.time):
            return replace(matches.at(np.empty(0, dtype=np.int64)), windows=np.empty(0, dtype=np.int64))
        code = np.minimum(np.searchsorted(self._partitions, partition), len(self._partitions) - 1)
        base = code * self._width
        begun = np.searchsorted(self._begins, base + np.searchsorted(self._bounds, first))
        later = np.searchsorted(self._begins, base + np.searchsorted(self._bounds, barrier))
        ended = np.searchsorted(self._ends, base + np.searchsorted(self._bounds, matches.time))
        may = np.flatnonzero((later < begun) & (ended < len(self._ends)) & (self._partitions[code] == partition))
        size = len(self._order) + 1
        groups, of = np.unique((later[may] * size + begun[may]) * size + ended[may], return_inverse=True)
        numbers = np.array([self._group(int(group), size) for group in groups.tolist()], dtype=np.int64)[of]
        stand = numbers >= 0
        return replace(matches.at(may[stand]), windows=numbers[stand])

    def _group(self, key: int, size: int) -> int:
        """The number of the windows that have begun from one place on to another, and end at a third one or behind.

        -1 where there is none.
        """
        (later, begun), ended = divmod(key // size, size), key % size
        inside = self._order[later:begun][self._ends_of[later:begun] >= self._ends[ended]]
        if not len(inside):
            return -1
        self._windows.groups.append(self._windows.column("window")[inside])
        return len(self._windows.groups) - 1


def windows_of_matches(
    rows: Mapping[str, Ints], offsets: Mapping[str, Ints], candidates: Mapping[str, Candidates]
) -> Ints:
    """The context window of each match, that of any of its events; rows as in `MatchTable`."""
    found: Ints | None = None
    for variable, of_variable in rows.items():
        windows = candidates[variable].frame[WINDOW_COLUMN].to_numpy()
        first = of_variable
        if variable in offsets:
            start, end = offsets[variable][:-1], offsets[variable][1:]
            first = np.where(end > start, np.append(of_variable, -1)[start], -1)
        bound = first >= 0
        if found is None and bound.all():
            return windows[first]
        own = np.append(windows, 0)[first]
        found = own if found is None else np.where(bound, own, found)
    return np.empty(0, dtype=np.int64) if found is None else found
