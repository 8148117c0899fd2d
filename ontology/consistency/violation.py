"""One contradiction that was found: by which rule, and with which terms in the place of its variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pyoxigraph import BlankNode, NamedNode, RdfFormat, Triple, parse

from ..terms import PREFIXES, Term, shown
from .contradictions import CONTRADICTIONS, WRONG_LITERAL, Contradiction

__all__ = ["Violation", "read_violations", "violation_texts"]

_BY_RULE = {contradiction.rule: contradiction for contradiction in (*CONTRADICTIONS, WRONG_LITERAL)}


@dataclass(frozen=True, slots=True)
class Violation:
    """A contradiction.

    Attributes:
        kind: the rule that it is an instance of.
        bound: the terms of the rule's variables, in their order.
    """

    kind: Contradiction
    bound: tuple[Term, ...]

    @property
    def individuals(self) -> tuple[Term, ...]:
        """Those that contradict themselves, in the order of the message."""
        return tuple(self._of[name] for name in self.kind.individuals)

    @property
    def terms(self) -> tuple[Term, ...]:
        """The classes and properties that forbid it."""
        return tuple(self._of[name] for name in self.kind.terms)

    @property
    def premises(self) -> tuple[Triple, ...]:
        """The triples of the closure that cannot all be true; the contradiction is gone as soon as one is."""
        return tuple(self._filled(pattern) for pattern in self.kind.premises.split(" . "))

    def message(self, prefixes: Mapping[str, str]) -> str:
        """What is wrong."""
        return self._said(self.kind.says, prefixes)

    def axiom(self, prefixes: Mapping[str, str]) -> str:
        """What forbids it."""
        return self._said(self.kind.axiom, prefixes)

    @property
    def _of(self) -> dict[str, Term]:
        return dict(zip(self.kind.variables, self.bound, strict=True))

    def _said(self, text: str, prefixes: Mapping[str, str]) -> str:
        return text.format(**{name: shown(term, prefixes) for name, term in self._of.items()})

    def _filled(self, pattern: str) -> Triple:
        subject, predicate, value = (self._slot(word) for word in pattern.split())
        assert isinstance(subject, NamedNode | BlankNode) and isinstance(predicate, NamedNode)  # noqa: S101, PT018 (a store gave them)
        return Triple(subject, predicate, value)

    def _slot(self, word: str) -> Term:
        if word.startswith("?"):
            return self._of[word[1:]]
        prefix, local = word.split(":")
        return NamedNode(PREFIXES[prefix] + local)


def violation_texts(violations: Iterable[Violation]) -> list[list[str]]:
    """Contradictions as texts: the rule, then its terms as N-Triples has them."""
    return [[violation.kind.rule, *map(str, violation.bound)] for violation in violations]


def read_violations(texts: Sequence[Sequence[str]]) -> tuple[Violation, ...]:
    """The contradictions of `violation_texts`.

    Raises:
        SyntaxError, KeyError: not what it gives.
    """
    lines = "".join(f"<urn:s> <urn:p> {term} .\n" for _, *terms in texts for term in terms)
    terms = (quad.object for quad in parse(lines, format=RdfFormat.N_TRIPLES))
    return tuple(Violation(_BY_RULE[rule], tuple(next(terms) for _ in bound)) for rule, *bound in texts)
