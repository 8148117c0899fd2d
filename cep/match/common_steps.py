"""What operators of queries that are equal but for their contexts do once for all of them (CAESAR §5.3).

A search goes on from a state, is given candidates, and comes to another state. Two that are in one state and are given
the same come to one state: so the second need not search. Whether two are in one state is known by their *position*:
it is the same object, or the same text, where one went where the other went.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import RLock
from typing import Any, TypeVar, cast

from ...errors import CeilingError
from ..partitions import Bounds

__all__ = ["BEGINNING", "CommonSteps"]

T = TypeVar("T")

BEGINNING = "beginning"
"""The position of what was given nothing yet."""


class CommonSteps:
    """The steps that were taken with the candidates of one call, by whichever operator came first.

    Args:
        offered: a position, and the state there, that is as good as any to one that needs nothing of its own.
        loosest: the bounds within which all of them search; `None`: each within its own.
    """

    def __init__(self, offered: tuple[Hashable, Any] | None = None, loosest: Bounds | None = None) -> None:
        self._offered, self.loosest = offered, loosest
        self._steps: dict[Hashable, Any] = {}
        self._places: dict[tuple[Hashable, int], object] = {}
        self._begun: dict[Hashable, Hashable] = {}
        self._lock = RLock()

    def take(self, position: Hashable, watermark: int, *, at_once: bool, search: Callable[[], T]) -> T:
        """What a search finds from a position up to a watermark; it is made once.

        Errors are not remembered: whoever asks next fails by itself, or does not. Only that more is found than is to be
        held at once is known to all.
        """
        key = (position, watermark, at_once)
        with self._lock:
            if key not in self._steps:
                try:
                    self._steps[key] = search()
                except CeilingError as error:
                    if not at_once:
                        raise
                    self._steps[key] = error
            found = self._steps[key]
        if isinstance(found, CeilingError):
            raise found
        return cast("T", found)

    def offer_of(self, state: Callable[[], T]) -> tuple[Hashable, T]:
        """The position that those take which need nothing of their own, and the state there: by default the first's."""
        with self._lock:
            if self._offered is None:
                self._offered = object(), state()
            return cast("tuple[Hashable, T]", self._offered)

    def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """What is made of the candidates, and of what the name names."""
        with self._lock:
            if name not in self._steps:
                self._steps[name] = make()
            return cast("T", self._steps[name])

    def behind(self, position: Hashable, watermark: int) -> Hashable:
        """The position that a step leads to: the same in however many steps one comes to a watermark."""
        begun = self._begun.get(position, position)
        place = self._places.setdefault((begun, watermark), object())
        self._begun[place] = begun
        return place
