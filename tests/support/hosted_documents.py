"""Random documents for whoever hosts queries in tasks: each is cut into batches, and compared with one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from hypothesis import strategies as st
from kaicep import Project
from kaicep.pipeline.catalog import Catalog

from . import context_families, rule_queries
from .cases import KINDS, Case, cases, pattern_cases
from .dataflows import cut_anywhere
from .engines import project_of
from .keyed import STREAMS, keyed_batches, keyed_question
from .queries import FAMILIES

KEYED, RULES = Project.parse({"streams": STREAMS}), Project.parse(rule_queries.CONTENT)
Batches = Sequence[Mapping[str, Sequence[Mapping[str, Any]]]]


def keyed_document(rng: Random) -> str:
    """Four queries whose events are mostly tied by keys."""
    return ";\n".join(f"CREATE QUERY q{i} AS {keyed_question(rng)}" for i in range(4))


def case_of(family: str) -> st.SearchStrategy[Case]:
    """A case of a family of queries, or of a kind of patterns."""
    assert family in FAMILIES or family in KINDS
    return cases(family) if family in FAMILIES else pattern_cases(family)


@dataclass(frozen=True, slots=True)
class HostedDocuments:
    """Documents, answered in both ways.

    Attributes:
        check: answers a document of a project over batches in both ways, and compares; how many rows there are.
        cut: draws batches of streams.
    """

    check: Callable[[Random, Catalog, str, Batches], int]
    cut: Callable[[Mapping[str, list[dict[str, Any]]]], st.SearchStrategy[Batches]]

    def drawn(self, data: st.DataObject, family: str) -> None:
        """A case of a family, in batches that are drawn, too."""
        case = data.draw(case_of(family))
        cut = data.draw(self.cut(case.streams), label="batches")
        rng = Random(data.draw(st.integers(0, 2**32), label="how batches are split"))
        self.check(rng, project_of(case.campus.seed), case.text, cut)

    def keyed(self, seed: int) -> int:
        """Queries whose events are mostly tied by keys."""
        rng = Random(seed)
        return self.check(rng, KEYED, keyed_document(rng), keyed_batches(rng))

    def in_contexts(self, family: str, seed: int) -> int:
        """A document with contexts."""
        case, rng = context_families.case(family, seed), Random(seed)
        project = context_families.contexts_project(case.lateness)
        return self.check(rng, project, case.text, cut_anywhere(case.streams, rng))

    def with_rules(self, family: str, seed: int) -> int:
        """A document with rules, and what they call."""
        rng = Random(f"{family} {seed}")
        return self.check(rng, RULES, rule_queries.rules(family, rng), cut_anywhere(rule_queries.events(rng), rng))
