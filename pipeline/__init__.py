"""The running engine: raw records of every stream go in; archived events, rows of queries and dead letters come out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .catalog import Catalog, change_label, labelled
    from .named_queries import queries_read
    from .query_documents import query_files, read_document

_LATER = {
    "Catalog": ".catalog",
    "change_label": ".catalog",
    "labelled": ".catalog",
    "queries_read": ".named_queries",
    "query_files": ".query_documents",
    "read_document": ".query_documents",
}

__all__ = ["Catalog", "change_label", "labelled", "queries_read", "query_files", "read_document"]


def __getattr__(name: str) -> object:
    """What queries are compiled against, on first use: Spark's workers need none of it."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
