"""The place of a row in the log of matches, as clients are given it: what comes behind it is new to them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Self

from ...archive.log import Position
from ..problem import ProblemError

__all__ = ["RowCursor"]

_TEXT = re.compile(r"(\d{1,9})-(\d{1,18})-(\d{1,18})")


@dataclass(frozen=True, slots=True, order=True)
class RowCursor:
    """The place of a row; the rows of a query are ordered by it, and it never changes.

    A batch's rows are never taken back, and those that are added to it come behind the others.

    Attributes:
        position: of its batch.
        number: of the row within the batch and query, counted from 0.
    """

    position: Position
    number: int

    BEGIN: ClassVar[str] = "0"

    @classmethod
    def parse(cls, text: str | None) -> Self | None:
        """The cursor that `str` has written; `None` for the place before the first row, which is called 0.

        Raises:
            ProblemError: 400, it is none.
        """
        if text is None or text == cls.BEGIN:
            return None
        found = _TEXT.fullmatch(text)
        if found is None:
            hint = "take the id of an event, or next of an answer; 0 is before the first row"
            raise ProblemError(400, f"'{text}' is no place among the rows", hint)
        generation, batch, number = map(int, found.groups())
        return cls(Position(generation, batch), number)

    def __str__(self) -> str:
        return f"{self.position.generation}-{self.position.batch}-{self.number}"
