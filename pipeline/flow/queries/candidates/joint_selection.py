"""The candidates of many event variables at once, as rows of a batch; each has counted what it would count alone.

What is counted for all stands in two tables, of which each has a row: nothing is called for each variable and batch.
Source: docs/decisions/290.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .....expressions import Bools, Ints
from .....semfilter.runtime import COUNTS, MaterialisedVerdicts, Standing, SubqueryFilter
from .candidate_selection import CandidateSelection
from .event_batch import Asked, EventBatch, FoundTogether

__all__ = ["JointSelection", "Taken"]

_APART = -1


@dataclass(frozen=True, slots=True)
class Taken:
    """What each of many variables takes of a batch.

    Attributes:
        together: what was found of the batch; `None`: nothing was, and all are apart.
        numbers: by variable, what it asks: those with the same number take the same; -1: it is to be asked by itself.
        sizes: how many events each takes.
    """

    together: FoundTogether | None
    numbers: Ints
    sizes: Ints

    @property
    def apart(self) -> Ints:
        """Which are to be asked by themselves."""
        return np.flatnonzero(self.numbers < 0)

    def rows(self, places: Sequence[int]) -> Ints:
        """The rows of the batch that some variables take which are not apart, variable by variable."""
        together = self.together
        if together is None or not len(places):
            return np.empty(0, dtype=np.int64)
        return np.concatenate([together.places(number) for number in self.numbers[places].tolist()])


class JointSelection:
    """Selects the candidates of event variables of one stream.

    Args:
        selections: what selects those of each by itself; from now on they count here.
    """

    def __init__(self, selections: Sequence[CandidateSelection]) -> None:
        self._selections = list(selections)
        self._asked = [one.asked for one in selections]
        paths = [_path_of(one, asked) for one, asked in zip(selections, self._asked, strict=True)]
        self._together = [
            asked is not None and (asked.paths is None or path is not None)
            for asked, path in zip(self._asked, paths, strict=True)
        ]
        width = max((len(asked.said) + 1 for asked in self._asked if asked is not None), default=1)
        self._left = np.zeros((len(selections), 2 + width), dtype=np.int64)
        self._of_paths = np.zeros((len(selections), COUNTS), dtype=np.int64)
        for place in np.flatnonzero(self._together).tolist():
            selections[place].count_in(self._left, place)
            if (path := paths[place]) is not None:
                path.count_in(self._of_paths, place)
        self._paths = paths
        self._individuals = _Individuals([None if path is None else path.ahead for path in paths])
        self._within = [one.within if one.within.bounded else None for one in selections]
        self._numbers: tuple[object, Ints] = None, np.empty(0, dtype=np.int64)

    def is_of(self, selections: Sequence[CandidateSelection]) -> bool:
        """Whether it selects for these, and they have asked the same, and counted here, ever since."""
        return self._selections == selections and all(
            one.asked is asked and (not here or one.is_counted_in(self._left))
            and (path is None or path.is_counted_in(self._of_paths))
            for one, asked, here, path in zip(selections, self._asked, self._together, self._paths, strict=True)
        )  # fmt: skip

    def taken(self, batch: EventBatch) -> Taken:
        """What each takes of a batch; counted of those that are not apart."""
        together = batch.together
        nothing = np.full(len(self._selections), _APART)
        if together is None:
            return Taken(None, nothing, np.zeros(len(nothing), dtype=np.int64))
        numbers = self._numbers_in(together)
        here = (numbers >= 0) & together.few[numbers] & self._covers(batch)
        chosen = np.flatnonzero(here)
        of = numbers[chosen]
        height, width = batch.table.num_rows, self._left.shape[1] - 2
        counted = np.full((len(chosen), 2 + width), height)
        counted[:, 2:] = together.left[of, :width]
        self._left[chosen] += counted
        asked = together.asked[of]
        self._count_paths(batch, chosen, asked, together.taken[of])
        return Taken(together, np.where(here, numbers, _APART), np.where(here, together.taken[numbers], 0))

    def _numbers_in(self, together: FoundTogether) -> Ints:
        """The number of what each asks; -1: that is to be asked by itself."""
        known, numbers = self._numbers
        if known is not together.numbers:
            of = together.numbers
            numbers = np.array([
                of.get(asked, _APART) if asked is not None and here else _APART
                for asked, here in zip(self._asked, self._together, strict=True)
            ], dtype=np.int64)  # fmt: skip
            self._numbers = together.numbers, numbers
        return numbers

    def _covers(self, batch: EventBatch) -> Bools:
        """Whose WITHIN all events lie in."""
        known = {within: within is None or within.covers(*batch.span) for within in set(self._within)}
        return np.array([known[within] for within in self._within], dtype=bool)

    def _count_paths(self, batch: EventBatch, chosen: Ints, asked: Ints, taken: Ints) -> None:
        """Count for those whose PATHs were asked about some event."""
        was = asked > 0
        chosen = chosen[was]
        if not len(chosen):
            return
        keys = self._individuals.looked_for(batch)
        self._of_paths[chosen] += np.stack([asked[was], taken[was], keys[chosen]], axis=1)
        for place in self._individuals.new(chosen).tolist():
            path = self._paths[place]
            if path is not None:
                path.note(batch.table, batch.verdicts)


class _Individuals:
    """The individuals of batches, whose verdicts many PATHs look for.

    Args:
        verdicts: of each PATH; `None`: there is none.
    """

    def __init__(self, verdicts: Sequence[MaterialisedVerdicts | None]) -> None:
        self._verdicts = [one for one in dict.fromkeys(verdicts) if one is not None]
        places = {one: place for place, one in enumerate(self._verdicts)}
        self._of = np.array([-1 if one is None else places[one] for one in verdicts], dtype=np.int64)
        self._standings: list[Standing | None] = [None] * len(self._verdicts)
        self._noted = np.zeros(len(verdicts), dtype=bool)

    def looked_for(self, batch: EventBatch) -> Ints:
        """How many individuals each PATH looks for in a batch."""
        found = [one.standing(0, batch.table, batch.verdicts) for one in self._verdicts]
        other = [place for place, of in enumerate(found) if of is not self._standings[place]]
        self._noted[np.isin(self._of, other)] = False
        self._standings = [*found]
        return np.array([*(len(of.dictionary) for of in found), 0], dtype=np.int64)[self._of]

    def new(self, chosen: Ints) -> Ints:
        """Of some PATHs those that have not noted these individuals yet; they are to do so now."""
        found = chosen[~self._noted[chosen]]
        self._noted[found] = True
        return found


def _path_of(selection: CandidateSelection, asked: Asked | None) -> SubqueryFilter | None:
    """What answers the PATH of one by individuals; `None`: nothing does."""
    single = selection.semantics.single if asked is not None and asked.paths is not None else None
    return single if single is not None and single.ahead is not None else None
