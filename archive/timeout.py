"""How long somebody waits for an answer."""

from __future__ import annotations

import time

from ..errors import ArchiveError, Place
from .sparql import Question


class Patience:
    """Runs from now on until a question is to be given up.

    Args:
        question: says when.
    """

    def __init__(self, question: Question) -> None:
        self._question = question
        self._deadline = None if question.timeout is None else time.monotonic() + question.timeout

    def check(self) -> None:
        """Go on, if somebody waits still.

        Raises:
            ArchiveError: the time is over, or the question was cancelled.
        """
        question = self._question
        if question.cancelled is not None and question.cancelled.is_set():
            raise ArchiveError("the query was cancelled", place=Place("query"), hint="ask again")
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise ArchiveError(
                f"no answer within {question.timeout:g} s",
                place=Place("query"),
                hint="ask for a shorter time range, or allow more time",
            )
