"""Rows of named queries go in, by batch; a log of them (Parquet) and their RDF with its provenance come out."""

from .log import MatchLog
from .origin import Origin
from .quads import match_encoder

__all__ = ["MatchLog", "Origin", "match_encoder"]
