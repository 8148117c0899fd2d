"""The situations of ROBOD's rooms, and what is asked in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import Project
from kaicep.examples import rooms

pytestmark = pytest.mark.xdist_group("robod")
EXAMPLE = Path(rooms.__file__).parent
QUERIES = EXAMPLE / "queries"
CONTEXTS = (QUERIES / "0_contexts.chi").read_text(encoding="utf-8")


def text(file: str) -> str:
    """The document behind the contexts that it speaks of."""
    return CONTEXTS + (QUERIES / file).read_text(encoding="utf-8")


def test_the_queries_name_nothing_that_the_knowledge_lacks() -> None:
    project = Project.load(EXAMPLE)
    for path in sorted(QUERIES.glob("[1-9]*.chi")):
        for query in project.compile(text(path.name), source=path.name):
            assert query.warnings == ()
