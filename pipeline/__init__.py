"""The running engine: raw records of every stream go in; archived events, rows of queries and dead letters come out."""

from __future__ import annotations

from .catalog import Catalog
from .project_check import check_project, warnings_of
from .query_files import query_files, read_document

__all__ = ["Catalog", "check_project", "query_files", "read_document", "warnings_of"]
