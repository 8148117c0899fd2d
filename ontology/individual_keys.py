"""Which individual has which key: a literal of its own, or of the reference that it points at.

Brick keeps the id of a point's time series on a reference, often a blank node: `ex:t1 ref:hasExternalReference [
ref:hasTimeseriesId "abc" ]`. So what a reference says is a key of whoever refers to it, and so is what a blank node
says of whoever leads to it.

Source: Brick, "Timeseries Storage References" (`ref:hasExternalReference`, until Brick 1.2 `brick:timeseries`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from pyoxigraph import BlankNode, Literal, NamedNode, Store

from .terms import OWL, RDF, TYPE, select

__all__ = ["KeyIndex", "index_keys", "subjects_below"]

_BRICK = "https://brickschema.org/schema/Brick"
_REFERENCES = tuple(
    NamedNode(iri)
    for iri in (
        f"{_BRICK}/ref#hasExternalReference",
        f"{_BRICK}/ref#hasTimeseriesReference",
        f"{_BRICK}#hasTimeseriesReference",
        f"{_BRICK}#timeseries",
        "http://data.ashrae.org/standard223#hasExternalReference",
    )
)


@dataclass(frozen=True)
class KeyIndex:
    """The individuals of a knowledge base by their keys.

    Attributes:
        individuals: key → IRI of the only individual that it fits; of several equal ones the first by IRI.
        ambiguous: key → IRIs of the individuals that it fits, where they are several.
    """

    individuals: Mapping[str, str]
    ambiguous: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, fitting: Mapping[str, Iterable[str]]) -> KeyIndex:
        """Key → IRIs of those that it fits."""
        listed = {key: tuple(sorted(set(iris))) for key, iris in sorted(fitting.items())}
        return cls(
            {key: iris[0] for key, iris in listed.items() if len(iris) == 1},
            {key: iris for key, iris in listed.items() if len(iris) > 1},
        )

    @cached_property
    def folded(self) -> KeyIndex:
        """With keys in lower case, by which two that differ in case only are one."""
        fitting: dict[str, set[str]] = {}
        for key, iri in self.individuals.items():
            fitting.setdefault(key.casefold(), set()).add(iri)
        for key, iris in self.ambiguous.items():
            fitting.setdefault(key.casefold(), set()).update(iris)
        return KeyIndex.of(fitting)


def index_keys(
    store: Store,
    prop: str,
    of_class: str | None,
    equivalents: Mapping[str, frozenset[str]],
    is_term: Callable[[str], bool],
) -> KeyIndex:
    """Index the individuals of a store by the values of a property.

    Args:
        store: the closure.
        prop: IRI of the property.
        of_class: IRI of the class whose individuals are meant; `None`: any.
        equivalents: IRI → all that mean the same, itself among them.
        is_term: whether an IRI is a class or a property: these have labels as well, and give way to individuals.
    """
    members = None if of_class is None else _members(store, of_class)
    referring = _referring(store)
    fitting: dict[str, set[str]] = {}
    for quad in store.quads_for_pattern(None, NamedNode(prop), None):
        if isinstance(quad.object, NamedNode | Literal) and isinstance(quad.subject, NamedNode | BlankNode):
            owners = _owners(store, quad.subject, referring)
            kept = owners if members is None else owners & members
            fitting.setdefault(quad.object.value, set()).update(kept)
    return KeyIndex.of({key: _distinct(iris, equivalents, is_term) for key, iris in fitting.items() if iris})


def subjects_below(store: Store, prefix: str, of_class: str | None, *, typed: bool) -> frozenset[str]:
    """The IRIs of subjects that begin with `prefix`.

    Args:
        store: the closure.
        prefix: of their IRIs.
        of_class: IRI of the class whose individuals are meant; `None`: any.
        typed: whether those of no class are left out, which is faster.
    """
    if of_class is not None:
        return frozenset(iri for iri in _members(store, of_class) if iri.startswith(prefix))
    pattern = "?x a ?kind" if typed else "?x ?p ?o"
    found = select(store, f"SELECT DISTINCT ?x {{ {pattern} FILTER (STRSTARTS(STR(?x), {Literal(prefix)})) }}")
    return frozenset(x.value for (x,) in found if isinstance(x, NamedNode))


def _members(store: Store, of_class: str) -> frozenset[str]:
    found = store.quads_for_pattern(None, TYPE, NamedNode(of_class))
    return frozenset(quad.subject.value for quad in found if isinstance(quad.subject, NamedNode))


def _referring(store: Store) -> Mapping[object, frozenset[object]]:
    """Reference → those that refer to it; read at once, since most holders of literals are no references."""
    quads = [quad for prop in _REFERENCES for quad in store.quads_for_pattern(None, prop, None)]
    found: dict[object, set[object]] = {}
    for quad in quads:
        found.setdefault(quad.object, set()).add(quad.subject)
    return {reference: frozenset(subjects) for reference, subjects in found.items()}


def _owners(
    store: Store, holder: NamedNode | BlankNode, references: Mapping[object, frozenset[object]]
) -> frozenset[str]:
    """Whose keys a holder of a literal has."""
    referring = references.get(holder, frozenset())
    if not referring and isinstance(holder, BlankNode):
        leading = store.quads_for_pattern(None, None, holder)
        referring = frozenset(quad.subject for quad in leading if not quad.predicate.value.startswith((OWL, RDF)))
    named = frozenset(node.value for node in referring if isinstance(node, NamedNode))
    return frozenset({holder.value}) if not named and isinstance(holder, NamedNode) else named


def _distinct(iris: set[str], equivalents: Mapping[str, frozenset[str]], is_term: Callable[[str], bool]) -> set[str]:
    """One IRI for each individual among them."""
    if len(iris) == 1:
        return iris
    individuals = {iri for iri in iris if not is_term(iri)} or iris
    return {min((equivalents.get(iri, frozenset()) & individuals) | {iri}) for iri in individuals}
