"""Of which events several PATHs hold: one grouping by individuals' classes instead of a mask of the batch for each.

Individuals of which the same PATHs hold are one class. The events of a batch are put in order by the classes of their
individuals once, and those of which a PATH holds are the runs of its classes. Source: H2O §V; docs/decisions/290.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa

from .batch_verdicts import BatchVerdicts, Standing
from .keys import Codes
from .materialised_verdicts import MaterialisedVerdicts

__all__ = ["IndividualClasses"]


class IndividualClasses:
    """Finds the events of which each of several PATHs holds; the classes stay until there are other individuals.

    Args:
        paths: verdicts that were found ahead, all by the same column of individuals alone.
    """

    def __init__(self, paths: Sequence[MaterialisedVerdicts]) -> None:
        self._paths = tuple(paths)
        self._column = self._paths[0].columns[0]
        self._standings: list[Standing] = []
        self._class_of: Codes = np.empty(0, dtype=np.int64)
        self._holding: list[list[int]] = []

    def places(self, events: pa.Table, known: BatchVerdicts) -> list[Codes]:
        """Where the events stand of which each PATH holds, ascending.

        Args:
            events: all events of a batch.
            known: of the batch.
        """
        self._divide([path.standing(0, events, known) for path in self._paths])
        of_event = self._class_of[known.indices(events, self._column)]
        order = np.argsort(of_event, kind="stable")
        ends = np.cumsum(np.bincount(of_event, minlength=int(self._class_of.max(initial=0)) + 1)).tolist()
        runs = [order[start:end] for start, end in pairwise([0, *ends])]
        return [_merged([runs[one] for one in classes]) for classes in self._holding]

    def _divide(self, standings: list[Standing]) -> None:
        """Find the classes of individuals, unless they are those of the batch before."""
        known = self._standings
        if len(known) == len(standings) and all(a is b for a, b in zip(known, standings, strict=True)):
            return
        self._standings = standings
        holds = [path.verdicts.holds[of.places] for path, of in zip(self._paths, standings, strict=True)]
        different, of_individual = np.unique(np.packbits(np.stack(holds), axis=0), axis=1, return_inverse=True)
        self._class_of = of_individual.reshape(-1).astype(np.min_scalar_type(different.shape[1]))
        of_class = np.unpackbits(different, axis=0, count=len(holds)).astype(bool)
        self._holding = [np.flatnonzero(classes).tolist() for classes in of_class]


def _merged(runs: Sequence[Codes]) -> Codes:
    if not runs:
        return np.empty(0, dtype=np.int64)
    return runs[0] if len(runs) == 1 else np.sort(np.concatenate(runs))
