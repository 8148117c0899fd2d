"""By which keys a past is cut into shards that know nothing of each other.

Events are in order of time, so that none is late, and rows come in no order. What comes twice has to come to one shard:
keys follow from the identity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..annotator import Annotator
from ..language.nodes import Query
from ..pipeline.sharding import sharding_key

__all__ = ["ShardKeys", "shard_keys"]

ShardKeys = Mapping[str, str]
"""By stream, the column of its events by which they are of one shard."""


def shard_keys(queries: Sequence[Query], annotators: Mapping[str, Annotator]) -> ShardKeys | None:
    """By what a document's events can be cut; `None`: they have to be together.

    Args:
        queries: of the document, in order.
        annotators: of the source streams, by name.
    """
    key = sharding_key(queries[0]) if len(queries) == 1 else None
    if key is None:
        return None
    found: dict[str, str] = {}
    for source in queries[0].sources:
        stream, column = source.stream.name, key.columns[source.variable]
        if stream not in annotators or found.setdefault(stream, column) != column:
            return None  # an event could be needed in two shards
        if not _follows(column, annotators[stream]):
            return None
    return found


def _follows(column: str, annotator: Annotator) -> bool:
    """Whether events of one identity have equal keys."""
    identity = {*annotator.annotation.identity}
    individuals = {a.individual: a.name for a in annotator.shape.attributes if a.individual is not None}
    return not identity or column in {"_id", *identity} or individuals.get(column) in identity
