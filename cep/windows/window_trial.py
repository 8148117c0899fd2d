"""Where windows begin of which a condition is to hold that says nothing about longer or shorter ones.

Windows of one group have their ends one behind the other, and none begins before the one before. Several beginnings are
tried for several ends at once, of all groups side by side, so that what is tried is columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...expressions import Bools, Ints

__all__ = ["Tried", "first_beginnings"]

_ENDS = 32
"""So many windows of a group are tried together, at the most."""
_BEGINNINGS, _MOST_BEGINNINGS = 32, 1024
"""So many beginnings are tried of each at first, and twice as many as long as none will do; so many at the most."""
_MOST = 2**21
"""So many rows are laid out together, about."""

Hold = Callable[["Tried"], Bools]
"""Of which windows the condition holds."""


@dataclass(frozen=True, slots=True)
class Tried:
    """Windows that are tried.

    Attributes:
        rows: the places of what they hold, once for each beginning.
        start: where they begin among these, ascending.
        end: where they end among these, ascending; none is empty.
        numbers: theirs.
    """

    rows: Ints
    start: Ints
    end: Ints
    numbers: Ints


@dataclass(frozen=True, slots=True)
class _Groups:
    """How far the groups are that are not done.

    Attributes:
        at: the number of the next window of each.
        behind: the number behind its last one.
        start: where that window begins at the earliest.
    """

    at: Ints
    behind: Ints
    start: Ints

    def upcoming(self, most: int) -> tuple[Ints, Bools]:
        """The numbers of the next windows of each, so many at the most, and which there are."""
        numbers = self.at[:, None] + np.arange(min(most, int((self.behind - self.at).max())))
        inside = numbers < self.behind[:, None]
        return np.where(inside, numbers, 0), inside

    def further(self, count: Ints, start: Ints) -> _Groups:
        """So many windows further, and where the next ones begin at the earliest."""
        at = self.at + count
        left = at < self.behind
        return _Groups(at[left], self.behind[left], start[left])


def first_beginnings(low: Ints, end: Ints, groups: Ints, hold: Hold) -> Ints:
    """For each window the first beginning for which a condition holds, none before that of the window before.

    Args:
        low: where it begins at the earliest.
        end: where it ends; as its beginning: it is empty, since there is none.
        groups: the numbers of the windows that are the first of their groups.
        hold: tells of which windows the condition holds.
    """
    found = np.empty_like(low)
    state = _Groups(groups, np.append(groups[1:], len(low))[: len(groups)], low[groups])
    beginnings = _BEGINNINGS
    while len(state.at):
        numbers, inside = state.upcoming(_ENDS)
        length = np.where(inside, end[numbers] - state.start[:, None], 0)
        tried = max(1, min(beginnings, int(length.max()), _MOST // int(length.max(axis=1).sum() + 1)))
        holding = _holding(state.start, numbers, length, tried, hold)
        taken, passed = _taken(holding, length, low[numbers] - state.start[:, None], inside)
        known = taken >= 0
        found[numbers[known]] = (state.start[:, None] + taken)[known]
        done = known.sum(axis=1)
        beginnings = min(2 * beginnings, _MOST_BEGINNINGS) if not done.all() else _BEGINNINGS
        state = state.further(done, state.start + passed)
    return found


def _holding(start: Ints, numbers: Ints, length: Ints, beginnings: int, hold: Hold) -> Bools:
    """By group, beginning and window, whether the condition holds; of what would be empty it does not."""
    lengths = length[:, None, :] - np.arange(beginnings)[None, :, None]
    asked = lengths > 0
    size = np.maximum(lengths.max(axis=2), 0)  # of what is laid out for each group and beginning
    offset = (np.cumsum(size) - size.ravel()).reshape(size.shape)
    first = start[:, None] + np.arange(beginnings) - offset
    rows = np.repeat(first.ravel(), size.ravel()) + np.arange(int(size.sum()))
    begun = np.broadcast_to(offset[:, :, None], lengths.shape)[asked]
    all_numbers = np.broadcast_to(numbers[:, None, :], lengths.shape)[asked]
    holding = np.zeros(lengths.shape, dtype=bool)
    if len(begun):
        holding[asked] = hold(Tried(rows, begun, begun + lengths[asked], all_numbers))
    return holding


def _taken(holding: Bools, length: Ints, least: Ints, inside: Bools) -> tuple[Ints, Ints]:
    """How many places after its group's start each window begins, below 0: not known yet; and the next at the least."""
    groups, beginnings, ends = holding.shape
    taken, passed = np.full((groups, ends), -1), np.zeros(groups, dtype=np.int64)
    going, places = np.ones(groups, dtype=bool), np.arange(beginnings)
    for number in range(ends):
        asked = going & inside[:, number]
        passed = np.where(asked, np.maximum(passed, least[:, number]), passed)
        fitting = holding[:, :, number] & (places >= passed[:, None])
        fits = fitting.any(axis=1)
        known = asked & (fits | (length[:, number] <= beginnings))
        begun = np.where(fits, fitting.argmax(axis=1), length[:, number])
        taken[known, number] = begun[known]
        going &= known | ~asked
        passed = np.where(known, begun, np.where(asked, np.maximum(passed, beginnings), passed))
    return taken, passed
