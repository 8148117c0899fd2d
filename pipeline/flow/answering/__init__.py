"""A batch's events in; the rows of the registered queries out, each after those whose output it reads."""

from __future__ import annotations

from .query_answering import QueryAnswering
from .running_answer import QueryRows
from .withheld_queries import withhold
from .written_rows import LogTarget, RowTarget, RowTargets, WrittenRows

__all__ = ["LogTarget", "QueryAnswering", "QueryRows", "RowTarget", "RowTargets", "WrittenRows", "withhold"]
