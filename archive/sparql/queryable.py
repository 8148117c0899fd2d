"""What answers SPARQL over events and knowledge."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Self

from ...errors import ArchiveError
from .sparql_results import Result


@dataclass(frozen=True, slots=True)
class Question:
    """A SPARQL query that somebody asks.

    Attributes:
        text: SELECT, ASK, CONSTRUCT or DESCRIBE.
        start: aware; with `end`, the graphs are those of the buckets that overlap start <= t < end.
        end: aware.
        timeout: seconds after which the query is given up.
        cancelled: when another thread sets it, the query is given up.
    """

    text: str
    start: datetime | None = None
    end: datetime | None = None
    timeout: float | None = None
    cancelled: threading.Event | None = None

    def __post_init__(self) -> None:
        """Check the time range.

        Raises:
            ArchiveError: a moment has no zone, or the range ends before it begins.
        """
        for name, moment in (("start", self.start), ("end", self.end)):
            if moment is not None and moment.tzinfo is None:
                raise ArchiveError(f"{name} has no zone", hint="give an aware datetime, such as datetime.now(UTC)")
        if self.start is not None and self.end is not None and self.end < self.start:
            raise ArchiveError("the time range ends before it begins", hint="give the earlier moment as start")

    @property
    def may_be_given_up(self) -> bool:
        """Whether somebody does not want to wait for the answer at any rate."""
        return self.timeout is not None or self.cancelled is not None


class Queryable(ABC):
    """Answers SPARQL until it is closed."""

    def query(
        self,
        text: str,
        *,
        start: datetime | None = None,
        end: datetime | None = None,
        timeout: float | None = None,
        cancelled: threading.Event | None = None,
    ) -> Result:
        """Answer SPARQL over knowledge and events: those that the store holds, or those of a time.

        Args:
            text: SELECT, ASK, CONSTRUCT or DESCRIBE; the project's prefixes are known; the default graph is the union
                of all graphs.
            start: aware; with `end`, the graphs are those of the buckets that overlap start <= t < end. Those that the
                store has dropped are brought back from the log, for this question.
            end: aware.
            timeout: seconds after which the query is given up; it is then answered in another process.
            cancelled: when another thread sets it, the query is given up; it is then answered in another process.

        Raises:
            ArchiveError: the text is no query, it cannot be answered in time, there is no store, or more than two
                million events would have to be brought back.
        """
        return self.answer(Question(text, start, end, timeout, cancelled))

    @property
    @abstractmethod
    def since(self) -> datetime | None:
        """From when on the store has events, earlier ones being in the log alone; `None`: it has all."""

    @abstractmethod
    def answer(self, question: Question) -> Result:
        """Answer as `query`."""

    @abstractmethod
    def close(self) -> None:
        """Answer no more."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
