"""The running engine: raw records of every stream go in; archived events, rows of queries and dead letters come out."""

from __future__ import annotations

from .catalog import Catalog, change_label, labelled
from .named_queries import queries_read
from .query_documents import query_files, read_document

__all__ = ["Catalog", "change_label", "labelled", "queries_read", "query_files", "read_document"]
