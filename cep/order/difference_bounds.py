"""How far apart in time the events of a match can lie: difference constraints and what follows from them.

SEQ, WINDOW and "this event is the last" all say `T(u) − T(v) ≤ c`. The tightest bounds that they imply are the
shortest paths of the constraint graph (Dechter, Meiri, Pearl 1991, simple temporal problems; Floyd–Warshall).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

__all__ = ["UNBOUNDED", "Bounds", "bounds_with_last"]

UNBOUNDED = 2**61
"""More microseconds than any two time stamps lie apart."""

Bounds = Mapping[tuple[str, str], int]
"""`bounds[u, v]`: in microseconds, what `T(u) − T(v)` is at most."""


def bounds_with_last(
    variables: Sequence[str],
    last: str | None,
    gaps: Mapping[tuple[str, str], int],
    windows: Sequence[tuple[Sequence[str], int]],
    sliding: Mapping[str, int],
) -> Bounds:
    """The tightest bounds between all pairs of variables when `last` binds the last event of the match.

    Without a `last` one, those that hold whichever it is.

    Args:
        variables: all of them.
        last: the variable whose event no other's comes after.
        gaps: `T(v) − T(u)` is at least `gaps[u, v]` microseconds.
        windows: variables whose events lie within so many microseconds.
        sliding: variables whose events lie less than so many microseconds before the last event.
    """
    bounds = {(u, v): 0 if u == v else UNBOUNDED for u in variables for v in variables}

    def tighten(u: str, v: str, most: int) -> None:
        bounds[u, v] = min(bounds[u, v], most)

    if last is not None:
        for variable in variables:
            tighten(variable, last, 0)
    for (before, after), least in gaps.items():
        tighten(before, after, -least)
    for members, width in windows:
        for u, v in permutations(members, 2):
            tighten(u, v, width)
    for variable, width in sliding.items():
        if last is not None and variable != last:
            tighten(last, variable, width - 1)
    _close(bounds, variables)
    return bounds


def _close(bounds: dict[tuple[str, str], int], variables: Sequence[str]) -> None:
    """Tighten all bounds by what they imply together."""
    for via in variables:
        for u in variables:
            for v in variables:
                if bounds[u, via] < UNBOUNDED and bounds[via, v] < UNBOUNDED:
                    bounds[u, v] = min(bounds[u, v], max(bounds[u, via] + bounds[via, v], -UNBOUNDED))
