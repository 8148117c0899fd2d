"""A SPARQL request: text, time range, and when it is given up."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime

from ...errors import ArchiveError
from .sparql_hazards import is_intricate, refuse_long_description, refuse_service


@dataclass(frozen=True, slots=True)
class SparqlRequest:
    """A SPARQL query over events and knowledge.

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
        """Check the text and the time range.

        Raises:
            ArchiveError: the text has SERVICE or describes too much, a moment has no zone, or the range ends before it
                begins.
        """
        refuse_service(self.text)
        refuse_long_description(self.text)
        for name, moment in (("start", self.start), ("end", self.end)):
            if moment is not None and moment.tzinfo is None:
                raise ArchiveError(f"{name} has no zone", hint="give an aware datetime, such as datetime.now(UTC)")
        if self.start is not None and self.end is not None and self.end < self.start:
            raise ArchiveError("the time range ends before it begins", hint="give the earlier moment as start")

    @property
    def may_be_given_up(self) -> bool:
        """Whether somebody does not want to wait for the answer at any rate."""
        return self.timeout is not None or self.cancelled is not None

    @property
    def apart(self) -> bool:
        """Whether it has to be answered in a process of its own: it may be given up, or end that process."""
        return self.may_be_given_up or is_intricate(self.text)
