"""Whether closed knowledge contradicts itself, and who is involved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pyoxigraph import Store

from ...errors import OntologyError
from ..modules import Module
from ..terms import Term, select, shown
from .contradictions import CONTRADICTIONS, WRONG_LITERAL, Contradiction
from .literal_ranges import wrong_literals
from .violation import Violation

_TOLD = 20
"""So many contradictions are told one by one."""


def contradictions_in(store: Store) -> tuple[Violation, ...]:
    """All contradictions of closed knowledge, rule by rule."""
    return tuple(_violations(store))


def contradiction_error(
    found: Sequence[Violation], modules: Sequence[Module], prefixes: Mapping[str, str]
) -> OntologyError:
    """What to say of contradictory knowledge: of the first contradiction who is involved; the others are its notes.

    Args:
        found: one at least.
        modules: what the knowledge came from.
        prefixes: for the message.
    """
    first, more = found[0], len(found) - 1
    message = f"the knowledge contradicts itself: {first.message(prefixes)}" + (f" (and {more} more)" if more else "")
    hint = repair_hint(first.individuals, first.terms, modules, prefixes)
    error = OntologyError(message, hint=hint)
    for other in found[1:_TOLD]:
        error.add_note(other.message(prefixes))
    if more >= _TOLD:
        error.add_note(f"and {more + 1 - _TOLD:,} more; `kaicep check` lists all of a project's own modules")
    return error


def _violations(store: Store) -> Iterator[Violation]:
    for contradiction in CONTRADICTIONS:
        yield from _instances(contradiction, store)
    for wrong in wrong_literals(store):
        yield Violation(WRONG_LITERAL, (wrong.subject, wrong.property, wrong.value, wrong.expected))


def _instances(contradiction: Contradiction, store: Store) -> Iterator[Violation]:
    for solution in select(store, contradiction.query):
        yield Violation(contradiction, tuple(solution))


def repair_hint(
    individuals: Sequence[Term], terms: Sequence[Term], modules: Sequence[Module], prefixes: Mapping[str, str]
) -> str:
    """The way out: the modules that mention the individuals or describe the terms, and which of them."""
    described = [(module.source, _described(individuals, terms, module)) for module in modules]
    parts = [f"{name} ({', '.join(shown(term, prefixes) for term in found)})" for name, found in described if found]
    return "take one of the statements back" + (f", see {', '.join(parts)}" if parts else "")


def _described(individuals: Sequence[Term], terms: Sequence[Term], module: Module) -> list[Term]:
    subjects = {triple.subject for triple in module.triples}
    mentioned = subjects | {triple.object for triple in module.triples}
    return list(dict.fromkeys([t for t in individuals if t in mentioned] + [t for t in terms if t in subjects]))
