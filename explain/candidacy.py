"""What is said of one event: whether it is a candidate of each event variable, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .reasons import Reason

__all__ = ["Candidacy", "Explanation"]


@dataclass(frozen=True, slots=True)
class Candidacy:
    """Whether an event is a candidate of one event variable.

    Attributes:
        variable: without `?`.
        holds: whether it is one.
        clauses: the reasons, one per clause: those that need no solution of a PATH in the order of the text first.
    """

    variable: str
    holds: bool
    clauses: tuple[Reason, ...]

    @property
    def failed(self) -> Reason | None:
        """The first clause that fails; `None` for a candidate."""
        return next((clause for clause in self.clauses if not clause.holds), None)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an event is a candidate of a query, or why it is not.

    Attributes:
        query: the query's name, else that of its document.
        stream: of the event.
        event: IRI of the event; `None` for a tuple that is none.
        attributes: what the event says.
        candidacies: one per event variable of that stream, in order of FROM.
        prefixes: those that the document declares, prefix → namespace.
    """

    query: str
    stream: str
    event: str | None
    attributes: Mapping[str, object]
    candidacies: tuple[Candidacy, ...]
    prefixes: Mapping[str, str]

    @property
    def holds(self) -> bool:
        """Whether the event is a candidate of some variable."""
        return any(candidacy.holds for candidacy in self.candidacies)
