"""Partial matches of a query with FOR: those whose named events can lie in one context window (LANGUAGE-2 §6, §9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...expressions import Ints
from ...language.nodes import Query
from ..match import AfterMatchSkip, MatchContexts
from ..order import NUMBER, Candidates
from ..output import MatchTable
from ..partitions import PartitionWindows
from .held_state import HeldRows

__all__ = ["in_context_windows"]


def in_context_windows(
    query: Query, windows: PartitionWindows, state: HeldRows, moment: int, skip: AfterMatchSkip | None
) -> HeldRows:
    """The partial matches that a window of FOR's events lets go on.

    A window that has ended takes no more events of the variables that FOR names; where none of theirs is bound, one of
    them has to come, and may come in a window that nobody knows yet.

    Args:
        query: in contexts, with FOR.
        windows: what is known of their windows.
        state: partial matches, wherever their events lie.
        moment: in microseconds.
        skip: what AFTER MATCH forbids in each window; `None`: nothing.
    """
    if not state.rows:
        return state
    names = [v for v in state.candidates if any(v in one for one in state.rows)]
    candidates = {v: Candidates(f := state.candidates[v], f[NUMBER].to_numpy(), 0) for v in names}
    required = () if query.in_context is None else [v for v in query.in_context.required if v in names]
    table = _table(state.rows, names)
    outside, inside = np.array(state.until), np.array(state.inside)
    bound = np.array([any(one.get(v) for v in required) for one in state.rows])
    until = np.where(bound, -1, inside)
    if required:
        places, numbers = MatchContexts(query, windows).containing(table, candidates)
        growing = replace(table.at(places), windows=numbers)
        stays = np.ones(len(places), dtype=bool) if skip is None else skip.lets_grow(growing, candidates)
        places, numbers = places[stays], numbers[stays]
        goes_on = windows.of("until", numbers) > moment
        ends = np.where(goes_on, np.maximum(outside, inside)[places], outside[places])
        np.maximum.at(until, places, ends)
    left = np.flatnonzero(until > moment).tolist()
    return HeldRows(state.candidates, [state.rows[place] for place in left], until[left].tolist())


def _table(rows: Sequence[Mapping[str, Sequence[int]]], variables: Sequence[str]) -> MatchTable:
    """Partial matches as columns, every variable as a run."""
    nothing = np.zeros(len(rows), dtype=np.int64)
    found: dict[str, Ints] = {}
    offsets: dict[str, Ints] = {}
    for v in variables:
        own = [one.get(v, ()) for one in rows]
        found[v] = np.array([row for of in own for row in of], dtype=np.int64)
        offsets[v] = np.concatenate([[0], np.cumsum([len(of) for of in own])])
    return MatchTable(nothing, found, nothing, offsets)
