"""What tests about the ROBOD example share: its knowledge takes seconds to close."""

from __future__ import annotations

from functools import cache

from kaicep.config import Settings
from kaicep.examples.robod.model import ROOMS_FILE
from kaicep.ontology import KnowledgeBase, load_knowledge

EXAMPLE = ROOMS_FILE.parent


@cache
def knowledge() -> KnowledgeBase:
    """The knowledge base of the example."""
    return load_knowledge(Settings.load(EXAMPLE))
