"""What answers SPARQL over events and knowledge."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Self

from .sparql import Result


@dataclass(frozen=True, slots=True)
class Question:
    """A SPARQL query that somebody asks.

    Attributes:
        text: SELECT, ASK, CONSTRUCT or DESCRIBE.
        start: aware; with `end`, the default graph is that of the buckets that overlap start <= t < end.
        end: aware.
        timeout: seconds after which the query is given up.
        cancelled: when another thread sets it, the query is given up.
    """

    text: str
    start: datetime | None = None
    end: datetime | None = None
    timeout: float | None = None
    cancelled: threading.Event | None = None

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
        """Answer SPARQL over knowledge and the events that the store holds.

        Args:
            text: SELECT, ASK, CONSTRUCT or DESCRIBE; the project's prefixes are known; the default graph is the union
                of all graphs.
            start: aware; with `end`, the default graph is that of the buckets that overlap start <= t < end.
            end: aware.
            timeout: seconds after which the query is given up; it is then answered in another process.
            cancelled: when another thread sets it, the query is given up; it is then answered in another process.

        Raises:
            ArchiveError: the text is no query, it cannot be answered in time, or there is no store.
        """
        return self.answer(Question(text, start, end, timeout, cancelled))

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
