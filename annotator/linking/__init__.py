"""What an annotation declares of ids, and a column of them, in; the individuals that they stand for out."""

from __future__ import annotations

from .entity_linking import EntityLinker, encode
from .iri_template import IriTemplate, quote_distinct
from .linkage import Linkage, linkage_of

__all__ = ["EntityLinker", "IriTemplate", "Linkage", "encode", "linkage_of", "quote_distinct"]
