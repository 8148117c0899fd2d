"""Whether closed knowledge contradicts itself, and who is involved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pyoxigraph import Store

from ...errors import OntologyError
from ..modules import Module
from ..terms import Term, select, shown
from .contradictions import CONTRADICTIONS, Contradiction
from .literal_ranges import wrong_literals


@dataclass(frozen=True, slots=True)
class Violation:
    """One contradiction that was found: what to say, the individuals, the classes and properties."""

    message: str
    individuals: tuple[Term, ...]
    terms: tuple[Term, ...]


def check_consistency(store: Store, modules: Sequence[Module], prefixes: Mapping[str, str]) -> None:
    """Refuse contradictory knowledge.

    Args:
        store: the closed knowledge.
        modules: what it came from, for the message.
        prefixes: for the message.

    Raises:
        OntologyError: names the individuals, classes and properties of the first contradiction, the modules that
            speak of them, and how many contradictions there are.
    """
    found = [*_violations(store, prefixes)]
    if not found:
        return
    first, more = found[0], len(found) - 1
    message = f"the knowledge contradicts itself: {first.message}" + (f" (and {more} more)" if more else "")
    raise OntologyError(message, hint=repair_hint(first.individuals, first.terms, modules, prefixes))


def _violations(store: Store, prefixes: Mapping[str, str]) -> Iterator[Violation]:
    for contradiction in CONTRADICTIONS:
        yield from _instances(contradiction, store, prefixes)
    for wrong in wrong_literals(store):
        names = [shown(term, prefixes) for term in (wrong.subject, wrong.property, wrong.value, wrong.expected)]
        message = f"{names[0]} has {names[2]} as {names[1]}, which is no {names[3]}"
        yield Violation(message, (wrong.subject,), (wrong.property,))


def _instances(contradiction: Contradiction, store: Store, prefixes: Mapping[str, str]) -> Iterator[Violation]:
    for solution in select(store, contradiction.query):
        bound = dict(zip(contradiction.variables, solution, strict=True))
        message = contradiction.says.format(**{name: shown(term, prefixes) for name, term in bound.items()})
        individuals = tuple(bound[name] for name in contradiction.individuals)
        yield Violation(message, individuals, tuple(bound[name] for name in contradiction.terms))


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
