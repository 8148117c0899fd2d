"""What a query makes of its events, clause by clause, as figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from ...cep import RowCounts
from ...language.nodes import Query, Subquery
from ...semfilter.runtime import SubqueryStatistics
from .stream_profile import StreamProfile

__all__ = ["ClauseCount", "ClauseKind", "FlowProfile", "PathProfile", "QueryProfile", "VariableProfile"]


class ClauseKind(StrEnum):
    """What a clause that selects candidates is."""

    STREAM = "stream"
    CONTEXT = "IN CONTEXT"
    WITHIN = "WITHIN"
    FILTER = "FILTER"
    IMPLIED = "JOIN"
    """What follows from the JOINs for each event alone."""
    PATH = "PATH"


@dataclass(frozen=True, slots=True)
class ClauseCount:
    """How many events are left behind a clause.

    Attributes:
        kind: of the clause; the first one is the stream.
        text: of the clause, in the words of the language; of a stream its name; empty for all PATHs together.
        left: events.
        columns: what of the events it looks at.
    """

    kind: ClauseKind
    text: str
    left: int
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PathProfile:
    """Of how much one PATH holds.

    Attributes:
        subquery: the PATH.
        statistics: events and distinct keys that it was asked about, and of which it holds.
        unsatisfiable: why it holds of no event, as its plan says; `None`: it may.
    """

    subquery: Subquery
    statistics: SubqueryStatistics
    unsatisfiable: str | None


@dataclass(frozen=True, slots=True)
class VariableProfile:
    """What became of the events of one event variable.

    Attributes:
        variable: without `?`.
        stream: what it was read from.
        negated: whether it stands under NOT, where no candidate is as good as it gets.
        clauses: in the order in which they are asked, cheap ones first; that order never changes the answer.
        paths: each of its PATHs, in the order of the text.
    """

    variable: str
    stream: str
    negated: bool
    clauses: tuple[ClauseCount, ...]
    paths: tuple[PathProfile, ...]

    @property
    def events(self) -> int:
        """Those of its stream."""
        return self.clauses[0].left

    @property
    def candidates(self) -> int:
        """Events that fulfil every clause."""
        return self.clauses[-1].left


@dataclass(frozen=True, slots=True)
class QueryProfile:
    """What became of the events of one query.

    Attributes:
        query: the query.
        variables: in the order of FROM.
        rows: how many matches became how many rows.
        ending: why no further row can come; `None`: one can.
        unplaced: of a query in contexts, how many events have an unbound key, and are in none.
    """

    query: Query
    variables: tuple[VariableProfile, ...]
    rows: RowCounts
    ending: str | None = None
    unplaced: int = 0


@dataclass(frozen=True, slots=True)
class FlowProfile:
    """What a data flow has seen since it was made; no snapshot has it.

    Attributes:
        streams: by name, those of the project.
        queries: by label, each after those whose output it reads.
    """

    streams: Mapping[str, StreamProfile]
    queries: Mapping[str, QueryProfile]
