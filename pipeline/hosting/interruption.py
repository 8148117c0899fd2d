"""That the streams wait for what passes, such as a full disk: said once when it begins, and once when it ends."""

from __future__ import annotations

from collections.abc import Callable

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from ..sources import first_line

__all__ = ["PAUSE_S", "Interruption"]

PAUSE_S = 10.0
"""So many seconds after a full disk, an I/O error or the like the streams are read on."""


class Interruption:
    """One at a time, however often the streams are tried meanwhile.

    Args:
        say: takes a line of the log.

    Attributes:
        trouble: what the streams wait for, as it was seen last; `None`: they are read.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self.trouble: str | None = None

    def begin(self, trouble: Exception) -> None:
        """Say what the streams wait for, unless that was said."""
        told = first_line(trouble) if isinstance(trouble, PySparkException | Py4JError) else str(trouble)
        if self.trouble is None:
            self._say(f"the streams wait: {told}; they are read on as soon as that has passed")
        self.trouble = told

    def end(self) -> None:
        """Say that the streams are read on, if they waited."""
        if self.trouble is not None:
            self._say("the streams are read on")
        self.trouble = None
