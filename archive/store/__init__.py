"""Events and knowledge in; named graphs in Oxigraph or behind an endpoint, to be asked, out."""

from __future__ import annotations

from .endpoint import EndpointError
from .endpoint_store import EndpointStore
from .event_quads import LATE, encoder, with_all_columns
from .graphs import EVALUATIONS, KNOWLEDGE, bucket_start, graphs_of, match_graphs_of, query_of_graph, stream_of_graph
from .oxigraph_store import EventStore, open_copy, open_store
from .semantic_store import SemanticStore, endpoint_store, open_semantic_store
from .store_copy import answer_requests, copy_of_store, remove_leftovers, room_for_store, store_copied
from .store_metadata import EVENTS_BY_GRAPH, HOLDS, HOLDS_MATCHES, Progress, events_by_graph
from .stored_graphs import AskedStore, StoreCopy, graphs_within, progress_of, since_of

__all__ = [
    "EVALUATIONS",
    "EVENTS_BY_GRAPH",
    "HOLDS",
    "HOLDS_MATCHES",
    "KNOWLEDGE",
    "LATE",
    "AskedStore",
    "EndpointError",
    "EndpointStore",
    "EventStore",
    "Progress",
    "SemanticStore",
    "StoreCopy",
    "answer_requests",
    "bucket_start",
    "copy_of_store",
    "encoder",
    "endpoint_store",
    "events_by_graph",
    "graphs_of",
    "graphs_within",
    "match_graphs_of",
    "open_copy",
    "open_semantic_store",
    "open_store",
    "progress_of",
    "query_of_graph",
    "remove_leftovers",
    "room_for_store",
    "since_of",
    "store_copied",
    "stream_of_graph",
    "with_all_columns",
]
