"""Events and knowledge in; named graphs in Oxigraph or behind an endpoint, to be asked, out."""

from __future__ import annotations

from .copy_requests import backup_store
from .event_quads import LATE, encoder
from .graphs import (
    EVALUATIONS,
    KNOWLEDGE,
    BucketRange,
    bucket_start,
    graphs_of,
    match_graphs_of,
    query_of_graph,
    stream_of_graph,
)
from .oxigraph_folder import StoreInUseError, damaged_folders
from .oxigraph_store import OxigraphStore
from .store import PrivateStore, Store, StoreDamagedError, StoreUnavailableError, WritableStore
from .store_copy import StoreCopy
from .store_metadata import HOLDS, HOLDS_MATCHES, CommittedOffset
from .store_table import STORE_KINDS, store_kind

__all__ = [
    "EVALUATIONS",
    "HOLDS",
    "HOLDS_MATCHES",
    "KNOWLEDGE",
    "LATE",
    "STORE_KINDS",
    "BucketRange",
    "CommittedOffset",
    "OxigraphStore",
    "PrivateStore",
    "Store",
    "StoreCopy",
    "StoreDamagedError",
    "StoreInUseError",
    "StoreUnavailableError",
    "WritableStore",
    "backup_store",
    "bucket_start",
    "damaged_folders",
    "encoder",
    "graphs_of",
    "match_graphs_of",
    "query_of_graph",
    "store_kind",
    "stream_of_graph",
]
