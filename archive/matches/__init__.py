"""Rows of named queries go in, by batch; a log of them (Parquet) and their RDF with its provenance come out."""

from __future__ import annotations

from .match_log import MatchLog
from .match_quads import match_encoder
from .match_target import MatchTarget
from .provenance import Provenance

__all__ = ["MatchLog", "MatchTarget", "Provenance", "match_encoder"]
