"""The fewest statements without which contradictory knowledge is consistent.

Of each contradiction the smallest set of statements that breaks every derivation of it, found as a smallest hitting
set; of equally small ones that which breaks the most contradictions. No statement of the whole could stay.

Source: Reiter, A Theory of Diagnosis from First Principles, Artificial Intelligence 32, 1987.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pyoxigraph import Triple

from ...errors import OntologyError
from ..consistency import Violation
from ..knowledge import KnowledgeBase
from ..left_out import LeftOut
from ..proofs import Prover
from .derivations import Derivations, is_nameable

__all__ = ["find_repair"]

_MOST_SETS = 20_000


def find_repair(knowledge: KnowledgeBase) -> tuple[LeftOut, ...]:
    """The statements to take back, in the order of the contradictions.

    Args:
        knowledge: contradictory.

    Raises:
        OntologyError: a contradiction follows from what the ontology says of classes and properties alone, or has too
            many derivations to look at them all.
    """
    return _Repair(knowledge).find()


@dataclass(frozen=True, slots=True)
class _Case:
    """A contradiction, and all statements that any derivation of it may use."""

    violation: Violation
    premises: tuple[Triple, ...]
    statements: frozenset[Triple]


class _Repair:
    def __init__(self, knowledge: KnowledgeBase) -> None:
        self._knowledge = knowledge
        self._prover = Prover(knowledge)
        found = [(violation, violation.premises) for violation in knowledge.contradictions]
        self._derivations = Derivations(self._prover, dict.fromkeys(p for _, premises in found for p in premises))
        self._cases = [_Case(v, premises, self._derivations.stated_below(premises)) for v, premises in found]
        self._frequency = Counter(statement for case in self._cases for statement in case.statements)

    def find(self) -> tuple[LeftOut, ...]:
        chosen: dict[Triple, None] = {}
        for case in self._cases:
            chosen |= dict.fromkeys(self._smallest(case, chosen))
        for statement in reversed(list(chosen)):
            rest = [other for other in chosen if other != statement]
            if all(self._is_broken(case, rest) for case in self._cases if statement in case.statements):
                del chosen[statement]
        return tuple(self._left_out(statement) for statement in chosen)

    def _smallest(self, case: _Case, chosen: Collection[Triple]) -> Sequence[Triple]:
        """The smallest set without which, and without what is chosen already, the contradiction is none."""
        waiting: deque[tuple[Triple, ...]] = deque([()])
        seen: set[frozenset[Triple]] = set()
        while waiting and len(seen) < _MOST_SETS:
            tried = waiting.popleft()
            used = self._derivations.statements(case.premises, {*chosen, *tried})
            if used is None:
                return tried
            for statement in sorted(used, key=self._preference):
                if (larger := frozenset({*tried, statement})) not in seen:
                    seen.add(larger)
                    waiting.append((*tried, statement))
        raise OntologyError(
            f"no statement about individuals can be left out that would mend: {self._said(case.violation)}",
            hint="mend what the ontology says of these classes and properties",
        )

    def _is_broken(self, case: _Case, without: Collection[Triple]) -> bool:
        return self._derivations.statements(case.premises, without) is None

    def _preference(self, statement: Triple) -> tuple[bool, int, bool, str]:
        """What is left out first: what a patch can name, what breaks most, what the project itself states."""
        modules = [self._knowledge.modules[number] for number in self._prover.stating(statement)]
        own = any(not module.imported for module in modules)
        return not is_nameable(statement), -self._frequency[statement], not own, str(statement)

    def _left_out(self, statement: Triple) -> LeftOut:
        sources = tuple(self._knowledge.modules[number].source for number in self._prover.stating(statement))
        broken = [case.violation for case in self._cases if statement in case.statements]
        axioms = dict.fromkeys(violation.axiom(self._knowledge.prefixes) for violation in broken)
        return LeftOut(statement, sources, tuple(dict.fromkeys(map(self._said, broken))), tuple(axioms))

    def _said(self, violation: Violation) -> str:
        return violation.message(self._knowledge.prefixes)
