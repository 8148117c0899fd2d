"""The running engine: raw records of every stream go in; archived events, rows of queries and dead letters come out."""

from __future__ import annotations

from .catalog import Catalog
from .query_documents import query_files, read_document

__all__ = ["Catalog", "query_files", "read_document"]
